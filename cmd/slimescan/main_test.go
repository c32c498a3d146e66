package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
)

// call runs the program in this process.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = program().Dispatch(t.Context(), cli.NewConsole("slimescan", &out, &err), args)
	return status, out.String(), err.String()
}

// A mistake costs one clear line on stderr, the documented status, and no file.
func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name, text string) string {
		p := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	out := path("out.csv", "")
	there := path("there.csv", "mine")
	for _, c := range []struct {
		status int
		says   string
		args   string
	}{
		{fail.StatusUsage, "no verb", ""},
		{fail.StatusUsage, "unknown verb", "seek"},
		{fail.StatusUsage, "unknown flag", "scan --speed 9"},
		{fail.StatusUsage, "unexpected argument", "scan hits.csv"},
		{fail.StatusUsage, "-o", "scan --class-of 1,2"},
		{fail.StatusUsage, "want one", "scan -o " + out},
		{fail.StatusUsage, "want one", "scan --class-of 1,2 --region 0,0,1,1 -o " + out},
		{fail.StatusUsage, "X,Z", "scan --class-of 1,2,3 -o " + out},
		{fail.StatusUsage, "X0,Z0,X1,Z1", "scan --region 1,2 -o " + out},
		{fail.StatusUsage, "before the first", "scan --region 5,5,1,9 -o " + out},
		{fail.StatusUsage, "mode", "scan --class-of 1,2 --mode 9 -o " + out},
		{fail.StatusUsage, "shape", "scan --class-of 1,2 --shape 2x2 -o " + out},
		{fail.StatusUsage, "4096", "scan --class-of 1,2 --backend cpu --threads 100000000 -o " + out},
		{fail.StatusUsage, "workgroup", "scan --class-of 1,2 --backend cpu --workgroup 64 -o " + out},
		{fail.StatusUsage, "needs --random-classes", "scan --class-of 1,2 --per-class 4 -o " + out},
		{fail.StatusUsage, "same file", "scan --class-of 1,2 -o " + out + " --report " + out + ".journal"},
		{fail.StatusUsage, "shard", "scan --class-of 1,2 --shard 2/2 -o " + out},
		{fail.StatusUsage, "backend", "scan --class-of 1,2 --backend cuda -o " + out},
		{fail.StatusUsage, "random-classes", "scan --random-classes -4 -o " + out},
		{fail.StatusUsage, "hits", "scan --class-of 1,2 --max-hits 0 --backend cpu -o " + out},
		{fail.StatusUsage, "same file", "scan --class-of 1,2 -o " + out + " --report " + dir + "/./" + filepath.Base(out)},
		{fail.StatusUsage, "same file", "scan --positions " + there + " --force -o " + there},
		{fail.StatusInput, "no such file", "scan --positions " + path("none.csv", "") + " -o " + out},
		{fail.StatusInput, "line 2", "scan --positions " + path("bad.csv", "1,2\nx;y\n") + " -o " + out},
		{fail.StatusInput, "bad.csv: positions: line 2", "scan --positions " + path("bad.csv", "1,2\nx;y\n") + " -o " + out},
		{fail.StatusInput, "none", "scan --positions " + path("header.csv", "x,z\n") + " -o " + out},
		{fail.StatusInput, "--max-hits", "scan --region 3003,700,3012,706 --shape 4x3 --max-hits 2 --quiet --backend cpu -o " + out},
		{fail.StatusInput, "is a directory", "scan --class-of 1,2 --backend cpu --force -o " + dir},
		{fail.StatusInput, "no-folder", "scan --class-of 1,2 --backend cpu -o " + out + " --report " + filepath.Join(dir, "no-folder", "r.json")},
		{fail.StatusInput, "exists", "bench --thin 30000 --rounds 1 --backend cpu --json " + there},
		{fail.StatusInput, "exists", "scan --class-of 1,2 --backend cpu -o " + there},
		{fail.StatusInput, "exists", "scan --class-of 1,2 --backend cpu -o " + out + " --report " + there},
		{fail.StatusInput, "no-folder", "scan --class-of 1,2 --backend cpu -o " + filepath.Join(dir, "no-folder", "x.csv")},
		{fail.StatusBackend, "no vulkan device", "scan --class-of 1,2 --backend vulkan --device no-such-device -o " + out},
		{fail.StatusUsage, "--seed", "verify --x 1 --z 2"},
		{fail.StatusTolerance, "fails", "verify --seed 1 --x 51069 --z 419124"},
		{fail.StatusUsage, "rounds", "bench --rounds 0"},
		{fail.StatusUsage, "standard error", "estimate --classes 1 --backend cpu"},
		{fail.StatusUsage, "devices", "estimate --devices 0"},
	} {
		status, _, stderr := call(t, strings.Fields(c.args)...)
		last := strings.TrimSuffix(stderr, "\n")
		if status != c.status || !strings.Contains(stderr, c.says) || strings.Contains(last, "\n") || !strings.HasPrefix(stderr, "slimescan: ") {
			t.Errorf("%s: status %d, want %d: %q", c.args, status, c.status, stderr)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	status, stdout, _ := call(t, "verify", "--seed", "10358701894766", "--x", "51069", "--z", "419124")
	if status != 0 || !strings.HasPrefix(stdout, "yes") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

func TestScanAndReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	positions, hits, report := filepath.Join(dir, "p.csv"), filepath.Join(dir, "h.csv"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(positions, []byte("x,z\n0,0\n51069,419124\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := call(t, "scan", "--positions", positions, "-o", hits, "--report", report, "--backend", "cpu")
	if status != 0 || !strings.Contains(stdout, "24 hits") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	text, err := os.ReadFile(hits)
	if err != nil || !strings.HasPrefix(string(text), "index,x,z,seed\n1,51069,419124,10358701894766\n") {
		t.Errorf("%.80s, %v", text, err)
	}
	var r struct {
		Counts struct{ Hits, Tasks int }
		Commit string
	}
	raw, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil || r.Counts.Hits != 24 || r.Counts.Tasks < 84 || r.Commit == "" {
		t.Errorf("report %+v, %v", r, err)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, v := range program().Verbs {
		if status, stdout, _ := call(t, v.Name, "--help"); status != 0 || !strings.Contains(stdout, v.Example) {
			t.Errorf("%s --help: status %d", v.Name, status)
		}
	}
	if status, stdout, _ := call(t, "help"); status != 0 || !strings.Contains(stdout, "estimate") {
		t.Errorf("help: status %d", status)
	}
}

func TestEstimateAndBench(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := call(t, "estimate", "--classes", "300", "--backend", "cpu")
	if status != 0 || !strings.Contains(stdout, "measured on") || !strings.Contains(stdout, "extrapolated") {
		t.Errorf("estimate: status %d: %s%s", status, stdout, stderr)
	}
	path := filepath.Join(t.TempDir(), "b.json")
	status, stdout, stderr = call(t, "bench", "--thin", "30000", "--rounds", "1", "--backend", "cpu", "--json", path)
	if status != 0 || !strings.Contains(stdout, "all modes agree") {
		t.Errorf("bench: status %d: %s%s", status, stdout, stderr)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
