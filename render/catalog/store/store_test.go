package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grsplat/render/catalog"
	"grsplat/render/fail"
	"grsplat/render/healpix"
	"grsplat/tools/require"
)

// TestMain lets the test binary be the process that TestKill kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GRSPLAT_TEST_BUILD"); dir != "" {
		if _, err := Build(context.Background(), dir, files(os.Getenv("GRSPLAT_TEST_INPUTS")), smallTiles); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// smallTiles make many tiles of few stars.
var smallTiles = BuildOptions{TileRows: 300, Memory: MinMemory}

func files(list string) (inputs []BuildInput) {
	for _, path := range strings.Split(list, ":") {
		in, err := FileInput(path, catalog.Options{})
		if err != nil {
			panic(err)
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// writeStars writes a catalogue of n stars, most of them crowded into a degree.
func writeStars(t testing.TB, n int, seed uint64, moving bool) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var text bytes.Buffer
	text.WriteString("ra,dec,vmag,bv")
	if moving {
		text.WriteString(",pmra,pmdec,epoch")
	}
	for i := range n {
		ra, dec := 360*rng.Float64(), math.Asin(2*rng.Float64()-1)*180/math.Pi
		if i%3 > 0 {
			ra, dec = 83+rng.Float64(), -5+rng.Float64()
		}
		fmt.Fprintf(&text, "\n%v,%v,%.3f,%.2f", ra, dec, 15*rng.Float64(), rng.Float64())
		if moving {
			fmt.Fprintf(&text, ",%d,%d,1991.25", i%300, i%70)
		}
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("stars%d.csv", seed))
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustBuild(t testing.TB, dir string, inputs []BuildInput, opt BuildOptions) *Index {
	t.Helper()
	x, err := Build(context.Background(), dir, inputs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// contents returns every file of a store.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		all[below] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameContents(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		if got[name] != data {
			t.Fatalf("%s differs (%d bytes, want %d)", name, len(got[name]), len(data))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
}

// sorted reads a source whole, in an order of its own.
func sorted(t testing.TB, src catalog.Source) (stars []catalog.Star) {
	t.Helper()
	err := src.Read(context.Background(), func(b []catalog.Star) error { stars = append(stars, b...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(stars, func(a, b catalog.Star) int {
		for _, d := range [...]float64{a.Pos[0] - b.Pos[0], a.Pos[1] - b.Pos[1], a.Pos[2] - b.Pos[2], a.V - b.V, a.Teff - b.Teff} {
			if d != 0 {
				return int(math.Copysign(1, d))
			}
		}
		return 0
	})
	return stars
}

// The store holds the stars of its inputs to the bit, by its own reader, by catalog.Open and out of a cone written as CSV.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, moving := range []bool{false, true} {
		input := writeStars(t, 2500, 1, moving)
		dir := filepath.Join(t.TempDir(), "store")
		x := mustBuild(t, dir, files(input), smallTiles)
		src, err := catalog.Open(input, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := sorted(t, src)
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted(t, s.Source(nil, 2)); !slices.Equal(got, want) {
			t.Errorf("moving %v: the store has other stars", moving)
		}
		again, err := catalog.Open(dir, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted(t, again); !slices.Equal(got, want) {
			t.Errorf("moving %v: the directory as a catalogue has other stars", moving)
		}
		csv := coneCSV(t, s)
		if again, err = catalog.Open(csv, catalog.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := sorted(t, again); !slices.Equal(got, want) {
			t.Errorf("moving %v: the whole cone as CSV has other stars", moving)
		}
		st := src.Stats()
		if *s.Magnitudes() != *st.Magnitudes || x.Rows != st.Rows || x.Moving != moving {
			t.Errorf("moving %v: index %d rows, moving %v", moving, x.Rows, x.Moving)
		}
		checkTiles(t, s)
	}
}

func coneCSV(t *testing.T, s *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cone.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "ra,dec,v_mag,teff")
	err = s.Cone(t.Context(), 0, 0, 180, func(s catalog.Star, a catalog.Astrometry) error {
		_, err := fmt.Fprintf(f, "%v,%v,%v,%v\n", a.RA, a.Dec, s.V, s.Teff)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// checkTiles: each star lies in its tile, tiles hold at most TileRows, and no four siblings could have been one.
func checkTiles(t *testing.T, s *Store) {
	t.Helper()
	parents := map[cell]int64{}
	for i, tile := range s.Tiles() {
		stars, err := s.ReadTile(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, star := range stars {
			if healpix.Pixel(tile.Order, star.Pos) != tile.Pixel || star.V < tile.VMin {
				t.Fatalf("tile %d/%d holds the star %v", tile.Order, tile.Pixel, star)
			}
		}
		if tile.Rows > int64(s.index.TileRows) {
			t.Errorf("tile %d/%d has %d stars", tile.Order, tile.Pixel, tile.Rows)
		}
		for c := (cell{tile.Order, tile.Pixel}); c.order > 0; {
			c = cell{c.order - 1, c.pixel / 4}
			parents[c] += tile.Rows
		}
	}
	for c, n := range parents {
		if n <= int64(s.index.TileRows) {
			t.Errorf("cell %d/%d is split although it holds %d stars", c.order, c.pixel, n)
		}
	}
}

// At another epoch the store moves its stars as the file's reader does, but for the second order: it starts anew at J2000, with
// the direction of the motion that belongs to the other epoch.
func TestEpoch(t *testing.T) {
	t.Parallel()
	input := writeStars(t, 500, 2, true)
	dir := filepath.Join(t.TempDir(), "store")
	mustBuild(t, dir, files(input), smallTiles)
	s, err := Open(dir, Options{Epoch: 2050})
	if err != nil {
		t.Fatal(err)
	}
	src, err := catalog.Open(input, catalog.Options{Epoch: 2050})
	if err != nil {
		t.Fatal(err)
	}
	got, want := sorted(t, s.Source(nil, 1)), sorted(t, src)
	for i := range want {
		if d := between(got[i].Pos, want[i].Pos); d > 1e-8 {
			t.Fatalf("star %d is %g rad off", i, d)
		}
	}
}

// Bytes do not depend on memory, workers, or on how often the build was begun anew.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	inputs := files(writeStars(t, 2500, 3, false) + ":" + writeStars(t, 2000, 4, true))
	dir := filepath.Join(t.TempDir(), "a")
	mustBuild(t, dir, inputs, smallTiles)
	want := contents(t, dir)
	again := filepath.Join(t.TempDir(), "b")
	ctx, cancel := context.WithCancel(t.Context())
	stop := smallTiles
	stop.Progress = func(p Progress) {
		if p.Stage == "tiles" && p.Stars > 2000 {
			cancel()
		}
	}
	if _, err := Build(ctx, again, inputs, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled build: %v", err)
	}
	if _, _, err := Verify(t.Context(), again); fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), "2 inputs read whole") {
		t.Errorf("an unfinished store verifies with %v", err)
	}
	if _, err := Open(again, Options{}); fail.Status(err) != fail.StatusInput {
		t.Errorf("an unfinished store opens with %v", err)
	}
	mustBuild(t, again, inputs, BuildOptions{TileRows: 300})
	sameContents(t, contents(t, again), want)
}

// A file that does not fit into the memory for sorting is split again, to the same tiles.
func TestSplit(t *testing.T) {
	t.Parallel()
	input := writeStars(t, 3000, 5, false)
	dir := filepath.Join(t.TempDir(), "a")
	mustBuild(t, dir, files(input), smallTiles)
	again := filepath.Join(t.TempDir(), "b")
	b := &builder{dir: again, partial: filepath.Join(again, catalog.UnfinishedDir), opt: BuildOptions{TileRows: 300, Memory: 100_000, Progress: func(Progress) {}}}
	inputs := files(input)
	if err := errors.Join(b.claim("x"), b.read(t.Context(), inputs)); err != nil {
		t.Fatal(err)
	}
	tiles, err := b.tiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.finish(tiles)
	if err = errors.Join(err, b.release()); err != nil {
		t.Fatal(err)
	}
	sameContents(t, contents(t, again), contents(t, dir))
}

// Kill -9 at random moments leaves what verifies or says that it is unfinished, and the next build completes to the same bytes.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 3
	if os.Getenv("GRSPLAT_LONG") != "" {
		kills = 20
	}
	list := writeStars(t, 6000, 6, false) + ":" + writeStars(t, 4000, 7, true)
	dir := filepath.Join(t.TempDir(), "a")
	begin := time.Now()
	mustBuild(t, dir, files(list), smallTiles)
	span := time.Since(begin)
	want := contents(t, dir)
	again := filepath.Join(t.TempDir(), "b")
	rng := rand.New(rand.NewPCG(8, uint64(begin.UnixNano())))
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "GRSPLAT_TEST_BUILD="+again, "GRSPLAT_TEST_INPUTS="+list)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(span)))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // its status is that of the kill
		x, problems, err := Verify(t.Context(), again)
		if err == nil && (len(problems) > 0 || x.Stars != 10000) {
			t.Fatalf("a complete store with %d stars and %v", x.Stars, problems)
		}
		if err == nil {
			sameContents(t, contents(t, again), want)
			if err := os.RemoveAll(again); err != nil {
				t.Fatal(err)
			}
		} else if fail.Status(err) != fail.StatusInput {
			t.Fatal(err)
		}
	}
	// The last kill may have come after the index and before the end of the unfinished folder.
	if _, _, err := Verify(t.Context(), again); err != nil {
		mustBuild(t, again, files(list), smallTiles)
	}
	sameContents(t, contents(t, again), want)
}

// Every damage of a tile is named, counted where it is allowed, and found by Verify.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	mustBuild(t, dir, files(writeStars(t, 3000, 9, false)), smallTiles)
	s, err := Open(dir, Options{AllowMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	paths := [3]string{}
	for i := range paths {
		tile := s.Tiles()[i]
		paths[i] = filepath.Join(dir, tile.Path())
	}
	data, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0x10
	err = errors.Join(os.Remove(paths[0]), os.WriteFile(paths[1], data, 0o600), os.Truncate(paths[2], 100))
	if err != nil {
		t.Fatal(err)
	}
	src := s.Source(nil, 3)
	if err := src.Read(t.Context(), func([]catalog.Star) error { return nil }); err != nil || len(src.Missing()) != 3 {
		t.Fatalf("%v, missing %v", err, src.Missing())
	}
	for i, m := range src.Missing() {
		if m.Path != paths[i] {
			t.Errorf("missing %s, want %s", m.Path, paths[i])
		}
	}
	lost := s.Tiles()[0].Rows + s.Tiles()[1].Rows + s.Tiles()[2].Rows
	if st := src.Stats(); st.MissingStars != lost || st.Stars != 3000-lost || st.Rows != 3000 || st.TilesRead != st.Tiles-3 || s.TilesRead() != st.TilesRead {
		t.Errorf("%d stars lost: %+v", lost, st)
	}
	firstThree := func(order int, pixel uint64) bool {
		return slices.ContainsFunc(s.Tiles()[:3], func(t Tile) bool { return t.Order == order && t.Pixel == pixel })
	}
	if err := s.Source(firstThree, 2).Read(t.Context(), func([]catalog.Star) error { return nil }); fail.Status(err) != fail.StatusInput {
		t.Errorf("not one tile of the view: %v", err)
	}
	_, problems, err := Verify(t.Context(), dir)
	if err != nil || len(problems) != 3 {
		t.Errorf("verify: %v, %v", problems, err)
	}
	strict, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = strict.Stream(t.Context(), nil, 2, func(*Tile, []catalog.Star) error { return nil })
	if fail.Status(err) != fail.StatusInput || !strings.Contains(err.Error(), paths[0]) {
		t.Errorf("strict: %v", err)
	}
}

// Tiles that nobody wants are not read, and a cone reads only those that it touches.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	mustBuild(t, dir, files(writeStars(t, 6000, 10, false)), smallTiles)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Stream(t.Context(), func(order int, pixel uint64) bool { return order == 1 }, 2, func(tile *Tile, _ []catalog.Star) error {
		if tile.Order != 1 {
			t.Errorf("tile of order %d", tile.Order)
		}
		return nil
	})
	wanted := int64(0)
	for _, tile := range s.Tiles() {
		if tile.Order == 1 {
			wanted++
		}
	}
	if err != nil || s.TilesRead() != wanted || wanted == 0 || wanted == int64(len(s.Tiles())) {
		t.Errorf("%d tiles read of %d wanted and %d, %v", s.TilesRead(), wanted, len(s.Tiles()), err)
	}
	n, centre := 0, catalog.UnitVector(83.5, -4.5)
	for _, star := range sorted(t, s.Source(nil, 1)) {
		if between(star.Pos, centre) <= 0.3*math.Pi/180 {
			n++
		}
	}
	err = s.Cone(t.Context(), 83.5, -4.5, 0.3, func(catalog.Star, catalog.Astrometry) error { n--; return nil })
	if err != nil || n != 0 {
		t.Errorf("cone: %d stars too few, %v", n, err)
	}
}

func TestBuildRefusals(t *testing.T) {
	t.Parallel()
	input := writeStars(t, 100, 11, false)
	dir := filepath.Join(t.TempDir(), "store")
	mustBuild(t, dir, files(input), smallTiles)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, other} {
		if _, err := Build(t.Context(), d, files(input), smallTiles); fail.Status(err) != fail.StatusUsage {
			t.Errorf("build into %s: %v", d, err)
		}
	}
	force := smallTiles
	force.Force = true
	mustBuild(t, dir, files(writeStars(t, 200, 12, false)), force)
	if _, problems, err := Verify(t.Context(), dir); err != nil || len(problems) > 0 {
		t.Errorf("replaced store: %v, %v", problems, err)
	}
	if _, err := Open(other, Options{}); fail.Status(err) != fail.StatusInput {
		t.Errorf("open of %s: %v", other, err)
	}
}

func BenchmarkScan(b *testing.B) {
	require.Long(b)
	dir := filepath.Join(b.TempDir(), "store")
	mustBuild(b, dir, files(writeStars(b, 2_000_000, 13, false)), BuildOptions{})
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var buf []catalog.Star
	n := 0
	for b.Loop() {
		for i := range s.Tiles() {
			if buf, err = s.ReadTile(i, buf); err != nil {
				b.Fatal(err)
			}
			n += len(buf)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mstars/s")
}
