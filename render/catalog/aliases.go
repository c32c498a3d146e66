package catalog

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"grsplat/render/catalog/table"
	"grsplat/render/fail"
)

//go:embed aliases.txt
var aliasText string

// aliases is aliases.txt, parsed.
type aliases struct {
	roles  []string            // in file order
	names  map[string][]string // role to names, best first
	ucds   map[string][]string // role to UCDs
	zeroed map[string]bool     // roles in which 0 is missing
}

var embeddedAliases = sync.OnceValue(func() *aliases { return parseAliases(aliasText) })

// parseAliases panics on a malformed line: the file is part of the program.
func parseAliases(text string) *aliases {
	a := &aliases{names: map[string][]string{}, ucds: map[string][]string{}, zeroed: map[string]bool{}}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case words[0] == "role" && len(words) > 2:
			a.roles = append(a.roles, words[1])
			a.names[words[1]] = words[2:]
		case words[0] == "ucd" && len(words) > 2:
			a.ucds[words[1]] = words[2:]
		case words[0] == "zero":
			for _, role := range words[1:] {
				a.zeroed[role] = true
			}
		default:
			panic("catalog: aliases.txt: " + line)
		}
	}
	return a
}

func (a *aliases) roleList() string { return strings.Join(a.roles, ", ") }

// role finds a role by its own name or one of its columns' names, as --columns gives it.
func (a *aliases) role(name string) (string, bool) {
	name = fold(name)
	if _, ok := a.names[name]; ok {
		return name, true
	}
	for _, role := range a.roles {
		if slices.Contains(a.names[role], name) {
			return role, true
		}
	}
	return "", false
}

var folder = strings.NewReplacer("-", "_", " ", "_", ".", "_")

// fold makes a column name comparable.
func fold(name string) string { return folder.Replace(strings.ToLower(strings.TrimSpace(name))) }

// roleMap gives the column of each role that a table has.
type roleMap map[string]int

// resolve finds the columns of all roles; overrides come from --columns.
func (a *aliases) resolve(columns []table.Column, overrides map[string]string) (roleMap, error) {
	found := roleMap{}
	folded := make([]string, len(columns))
	for i, c := range columns {
		folded[i] = fold(c.Name)
	}
	for _, role := range a.roles {
		if name, given := overrides[role]; given {
			i, err := named(columns, name)
			if err != nil {
				return nil, err
			}
			found[role] = i
		} else if i := a.byMainUCD(role, columns); i >= 0 {
			found[role] = i
		} else if i := a.byName(role, columns, folded); i >= 0 {
			found[role] = i
		} else if i := a.byUCD(role, columns, folded); i >= 0 {
			found[role] = i
		}
	}
	for role, i := range found {
		if n := count(folded, folded[i]); n > 1 && overrides[role] == "" {
			return nil, fail.Input("column %q appears %d times", columns[i].Name, n)
		}
	}
	return found, nil
}

func count(names []string, name string) (n int) {
	for _, other := range names {
		if other == name {
			n++
		}
	}
	return n
}

// named finds the column that --columns names: exactly, else without case.
func named(columns []table.Column, name string) (int, error) {
	same := -1
	for i, c := range columns {
		if c.Name == name {
			return i, nil
		}
		if strings.EqualFold(strings.TrimSpace(c.Name), name) {
			same = i
		}
	}
	if same < 0 {
		return -1, fail.Input("no column %q (named by --columns); the file has %s", name, list(columns))
	}
	return same, nil
}

// byMainUCD finds a position that the table itself calls its main one.
func (a *aliases) byMainUCD(role string, columns []table.Column) int {
	for i, c := range columns {
		ucd := strings.ToLower(c.UCD)
		if strings.HasPrefix(ucd, "pos") && (strings.HasSuffix(ucd, ";meta.main") || strings.HasSuffix(ucd, "_main")) && a.ucdMeans(role, ucd) {
			return i
		}
	}
	return -1
}

// byName takes a role's names in their order, not the columns': the best name wins.
func (a *aliases) byName(role string, columns []table.Column, folded []string) int {
	for _, name := range a.names[role] {
		for i := range columns {
			if exact, ok := strings.CutPrefix(name, "="); ok && columns[i].Name == exact || folded[i] == name {
				return i
			}
		}
	}
	return -1
}

// byUCD finds a column by its UCD, unless its name already gives it another role: Tycho's VT has the UCD of V.
func (a *aliases) byUCD(role string, columns []table.Column, folded []string) int {
	for i, c := range columns {
		if c.UCD != "" && a.ucdMeans(role, strings.ToLower(c.UCD)) && !a.isAlias(c.Name, folded[i]) {
			return i
		}
	}
	return -1
}

func (a *aliases) ucdMeans(role, ucd string) bool {
	for _, known := range a.ucds[role] {
		if ucd == known || strings.HasPrefix(ucd, known+";") {
			return true
		}
	}
	return false
}

func (a *aliases) isAlias(name, folded string) bool {
	for _, names := range a.names {
		if slices.Contains(names, folded) || slices.Contains(names, "="+name) {
			return true
		}
	}
	return false
}

// list names the columns of a table for an error message.
func list(columns []table.Column) string {
	const most = 8
	names := make([]string, 0, most+1)
	for i, c := range columns {
		if i == most {
			names = append(names, "...")
			break
		}
		name := c.Name
		if len(name) > 24 {
			name = name[:24] + "..."
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// splitPairs splits a=b,c=d; a pair without = has an empty second part.
func splitPairs(s string) (pairs [][2]string) {
	for _, pair := range strings.Split(s, ",") {
		role, name, _ := strings.Cut(pair, "=")
		pairs = append(pairs, [2]string{strings.TrimSpace(role), strings.TrimSpace(name)})
	}
	return pairs
}
