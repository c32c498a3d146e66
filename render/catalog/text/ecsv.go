package text

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"grsplat/render/fail"

	"grsplat/render/catalog/table"
)

// openECSV reads the header of an Enhanced CSV file (Astropy APE 6): YAML in comment lines, then a line of names, then rows
// delimited by spaces or commas. Of the YAML it takes each column's name, unit, type and UCD, and the delimiter; that
// subset is read by indentation, in the two layouts that astropy has written (0.9 and 1.0).
func openECSV(r *bufio.Reader) (*Reader, error) {
	l := &lines{r: r}
	described := map[string]table.Column{}
	delim := byte(' ')
	current := ""
	for strings.HasPrefix(l.peek(0), "#") {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		key, value, item := yamlPair(strings.TrimPrefix(line, "#"))
		switch {
		case key == "delimiter" && len(value) == 1:
			delim = value[0]
		case key == "name" && value != "":
			current = value
			described[current] = table.Column{Name: value}
		case item && key == "schema":
			current = ""
		case current != "":
			column := described[current]
			switch key {
			case "unit":
				column.Unit = value
			case "ucd":
				column.UCD = value
			case "datatype":
				column.Text = value == "string"
			}
			described[current] = column
		}
	}
	header, err := l.next()
	if errors.Is(err, io.EOF) {
		return nil, fail.Input("ecsv: no line of column names")
	}
	if err != nil {
		return nil, err
	}
	var columns []table.Column
	for _, name := range headerFields(header, delim) {
		column := described[name]
		column.Name = name
		columns = append(columns, column)
	}
	rd := delimitedReader(l, columns, delim)
	rd.info.Format = "ecsv"
	return rd, nil
}

// yamlPair reads `key: value`, `- key: value`, `- {key: value}` and `- {name: x, unit: y}` (whose first pair it returns);
// item tells a leading dash.
func yamlPair(line string) (key, value string, item bool) {
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "-"); ok {
		line, item = strings.TrimSpace(rest), true
	}
	if inner, ok := strings.CutPrefix(line, "{"); ok {
		line, _, _ = strings.Cut(strings.TrimSuffix(inner, "}"), ", ")
	}
	key, value, _ = strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && (value[0] == '\'' || value[0] == '"') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return strings.TrimSpace(key), value, item
}
