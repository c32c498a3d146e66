package search

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grsplat/render/fail"
)

var testJob = jobRecord{1, "list", "5x5", false}

// journalText is a journal of three steps and an end.
func journalText(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j")
	j, _, _, err := openJournal(path, testJob, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		r := stepRecord{Step: i, Seen: 10, Counts: Counts{Hits: 1}, Hits: []FoundSeed{{i, -1, 2, 1 << 47}}}
		if err := j.append(record{Step: &r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.append(record{End: &endRecord{"00"}}); err != nil {
		t.Fatal(err)
	}
	if err := j.file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Cut at any byte, a journal yields the steps that are whole and is trimmed to them; a flipped byte costs the steps from its line on.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	text := journalText(t)
	for n := range len(text) + 1 {
		whole := bytes.Count(text[:n], []byte("\n"))
		steps, end, good, err := readJournal(text[:n], testJob)
		if err != nil || len(steps) != min(max(whole-1, 0), 3) || (end != nil) != (whole == 5) || good != bytes.LastIndexByte(text[:n], '\n')+1 {
			t.Fatalf("cut at %d of %d: %d steps, good to %d, %v", n, len(text), len(steps), good, err)
		}
	}
	first := bytes.IndexByte(text, '\n')
	for n := range text {
		bad := bytes.Clone(text)
		bad[n] ^= 1
		steps, _, good, err := readJournal(bad, testJob)
		line := bytes.Count(text[:n], []byte("\n"))
		if n <= first && err == nil && good > 0 || n > first && (err != nil || len(steps) > max(line-1, 0)) {
			t.Fatalf("byte %d of line %d flipped: %d steps, %v", n, line, len(steps), err)
		}
	}
}

func TestJournalOfOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j")
	for _, text := range []string{"hello\n", "00000000 {}\n", string(journalText(t))} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		other := testJob
		other.Shape = "4x4"
		if _, _, _, err := openJournal(path, other, false); fail.Status(err) != fail.StatusInput || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%.20q: %v", text, err)
		}
		j, steps, end, err := openJournal(path, other, true)
		if err != nil || len(steps) > 0 || end != nil {
			t.Fatalf("%.20q, forced: %d steps, %v", text, len(steps), err)
		}
		if err := j.remove(); err != nil {
			t.Error(err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	f.Add(journalText(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		steps, _, good, err := readJournal(text, testJob)
		if good > len(text) || err != nil && good != 0 || good == 0 && len(steps) > 0 {
			t.Errorf("%d steps, good to %d of %d, %v", len(steps), good, len(text), err)
		}
	})
}

func TestReadPositions(t *testing.T) {
	t.Parallel()
	got, err := ReadPositions(strings.NewReader("\ufeffx,z\r\n# comment\n\n1,-2\r\n -2147483648 , 2147483647\n"))
	if err != nil || len(got) != 2 || got[0] != (Pos{1, -2}) || got[1] != (Pos{-1 << 31, 1<<31 - 1}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"1\n", "1,2,3\n", "1.5,2\n", "2147483648,0\n", "a,b\n", "1,2\nx,z\n", "1,\n", "", "x,z\n# none\n\n", strings.Repeat("1", 70_000)} {
		if _, err := ReadPositions(strings.NewReader(bad)); fail.Status(err) != fail.StatusInput || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if _, err := ReadPositions(strings.NewReader("1,2\n" + strings.Repeat("1", 70_000))); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line too long: %v", err)
	}
	if _, err := ReadPositionsFile(filepath.Join(t.TempDir(), "none.csv")); fail.Status(err) != fail.StatusInput {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzPositions(f *testing.F) {
	f.Add("x,z\n1,2\n")
	f.Add("# a\n-5,7\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadPositions(strings.NewReader(text))
		if err != nil && got != nil || len(got) > strings.Count(text, ",") {
			t.Errorf("%d positions, %v", len(got), err)
		}
	})
}
