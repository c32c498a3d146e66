// Package lint keeps the tree of docs/design.md downhill: it reads every import of the module and fails with the rule that the
// import breaks.
package lint

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A rule says which folders of this module the files of a folder, and of those below it, may import, and why.
type rule struct {
	folder string
	may    []string // each with the folders below it
	why    string
}

// rules in order: the first that holds a folder counts. Tests may import anything.
var rules = []rule{
	{"vk", nil, "vk knows nothing of stars: slimescan and grsplat share it"},
	{"shaders", nil, "shaders are data, looked up by variant"},
	{"search", []string{"vk", "shaders", "render/fail", "render/outfile"}, "slimescan stands on the device layer alone"},
	{"render/fail", nil, "a leaf"},
	{"render/outfile", []string{"render/fail"}, "a leaf"},
	{"render/event", []string{"render/fail", "render/outfile"}, "a leaf"},
	{"render/hdr", []string{"render/fail"}, "a leaf"},
	{"render/healpix", []string{"render/fail"}, "a leaf"},
	{"render/color", []string{"render/fail"}, "colour knows no star"},
	{"render/psf", []string{"render/fail", "render/event", "render/hdr"}, "the PSF knows no sink"},
	{"render/lens", []string{"render/fail", "render/outfile", "render/healpix"}, "the map knows no star and no sink"},
	{"render/catalog", []string{"render/catalog", "render/fail", "render/outfile", "render/healpix", "render/color"}, "a catalogue knows no lens and no sink"},
	{"render/star", []string{"render/lens", "render/catalog", "render/color", "render/psf", "render/event", "render/hdr", "render/fail"}, "star images come before sinks"},
	{"render/mesh", []string{"render/mesh", "render/event", "render/psf", "render/hdr", "render/fail"}, "the mesh is arithmetic, used by sinks"},
	{"render/sink", []string{"render/sink", "render/mesh", "render/event", "render/psf", "render/hdr", "render/fail", "render/outfile", "vk", "shaders"}, "a sink never imports lens, catalog, star or render"},
	{"render/encode", []string{"render/hdr", "render/fail", "render/outfile"}, "files are written from frames"},
	{"render/replay", []string{"render/sink", "render/event", "render/psf", "render/hdr", "render/fail", "render/outfile", "render/mesh"}, "replay feeds sinks without stars"},
	{"render/probe", []string{"render/sink", "render/event", "render/psf", "render/hdr", "render/fail", "render/outfile", "render/replay", "vk", "shaders"}, "probe asks devices, not stars"},
	{"render/bench", []string{"render", "tools/baseline"}, "benchmarks may drive anything below cmd, and the C baseline"},
	{"render", []string{"render"}, "Run wires the pipeline; devices are reached through sinks"},
	{"cmd/internal", []string{"render/fail"}, "what the commands share knows nothing of their work"},
	{"cmd", []string{"cmd/internal", "render", "search", "vk"}, "commands parse flags and print"},
	{"tools", []string{"render", "shaders", "vk", "search", "tools"}, "tools may look at everything"},
}

func TestImportsRunDownhill(t *testing.T) {
	t.Parallel()
	for file, imports := range moduleImports(t) {
		folder := filepath.ToSlash(filepath.Dir(file))
		at := slices.IndexFunc(rules, func(r rule) bool { return within(folder, r.folder) })
		if at < 0 {
			t.Errorf("%s: no rule for folder %s", file, folder)
			continue
		}
		for _, path := range imports {
			ok := slices.ContainsFunc(rules[at].may, func(m string) bool { return within(path, m) })
			if !ok && !within(path, folder) {
				t.Errorf("%s imports %s: %s", file, path, rules[at].why)
			}
		}
	}
}

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// moduleImports returns the module's own imports of every Go file that is not a test, by path below the module root.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	walk(t, func(path string, _ fs.DirEntry) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		if within(path, "render/sink/sinktest") {
			return // test support: compares with the CPU reference
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", path), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		imports[path] = nil
		for _, i := range parsed.Imports {
			if own, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "grsplat/"); ok {
				imports[path] = append(imports[path], own)
			}
		}
	})
	if len(imports) < 20 {
		t.Fatalf("only %d Go files found: the walk is broken", len(imports))
	}
	return imports
}

// walk visits the files of the tree that belong to the project.
func walk(t *testing.T, visit func(path string, d fs.DirEntry)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"out", "bin", "data", "testdata"}, path)) {
				return fs.SkipDir
			}
			return nil
		}
		visit(path, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every file tells one story: none has more than 500 lines, generated ones apart.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	hand := []string{".go", ".c", ".h", ".comp", ".glsl", ".hip", ".cu", ".cc", ".sh", ".py"}
	walk(t, func(path string, d fs.DirEntry) {
		if !slices.Contains(hand, filepath.Ext(path)) || strings.HasPrefix(d.Name(), "z") {
			return
		}
		raw, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), "\n"); n > 500 {
			t.Errorf("%s has %d lines, more than 500", path, n)
		}
	})
}

// Only cmd prints, and only through its console.
func TestOnlyCommandsPrint(t *testing.T) {
	t.Parallel()
	printers := []string{"fmt.Print", "os.Stdout", "os.Stderr", "println("}
	walk(t, func(path string, _ fs.DirEntry) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || within(path, "cmd") || within(path, "tools") {
			return
		}
		raw, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(raw), "\n") {
			code, _, _ := strings.Cut(line, "//")
			for _, p := range printers {
				if strings.Contains(code, p) && !strings.Contains(path, "/gen/") {
					t.Errorf("%s:%d: %s: only cmd prints", path, n+1, p)
				}
			}
		}
	})
}
