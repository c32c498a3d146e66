package text

import (
	"bufio"
	"strings"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

// openIPAC reads the header of an IPAC table (IRSA, "IPAC Table Format Definition"): keyword lines that begin with a backslash,
// then up to four lines between bars that give names, types, units and the spelling of a missing value. A cell
// belongs to the column between whose bars it lies.
func openIPAC(r *bufio.Reader) (*Reader, error) {
	l := &lines{r: r}
	var bars []string
	for {
		line := l.peek(0)
		switch {
		case strings.HasPrefix(line, "|"):
			bars = append(bars, strings.TrimRight(line, " \t"))
		case len(bars) > 0 || line != "" && line[0] != '\\' || l.atEnd():
			return ipacReader(l, bars)
		}
		if _, err := l.next(); err != nil {
			return nil, err
		}
	}
}

func ipacReader(l *lines, bars []string) (*Reader, error) {
	if len(bars) == 0 || len(bars) > 4 {
		return nil, fail.Input("ipac: %d header lines between bars, want 1 to 4", len(bars))
	}
	split := &fixed{}
	rd := newReader(l.r, l.line+1, false)
	rd.info.Format, rd.split, rd.comment = "ipac", split, '\\'
	for at := 0; at+1 < len(bars[0]); {
		width := strings.IndexByte(bars[0][at+1:], '|')
		if width < 0 {
			return nil, fail.Input("ipac: the line of column names does not end in a bar")
		}
		end := at + 1 + width
		column, null := ipacColumn(bars, at+1, end)
		rd.info.Columns = append(rd.info.Columns, column)
		split.start = append(split.start, at)
		split.null = append(split.null, null)
		at = end
	}
	return rd, nil
}

// ipacColumn reads one column's header cells. Dashes pad a cell like spaces.
func ipacColumn(bars []string, from, to int) (column table.Column, null []byte) {
	var cells [4]string
	for i, line := range bars {
		if from < len(line) {
			cells[i] = strings.TrimSpace(line[from:min(to, len(line))])
		}
	}
	column.Name = strings.Trim(cells[0], "- ")
	kind := strings.ToLower(strings.Trim(cells[1], "- "))
	column.Text = strings.HasPrefix(kind, "c") || kind == "date"
	column.Unit = strings.Trim(cells[2], "- ")
	if cells[3] != "" {
		null = []byte(cells[3])
	}
	return column, null
}
