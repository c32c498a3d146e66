package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/render/outfile"
	"grsplat/search"
)

var scanVerb = cli.Verb{
	Name: "scan", Args: "POSITIONS -o hits.csv [flags]", Summary: "search many positions; a stopped scan goes on when called again",
	Example: "slimescan scan --class-of 51069,419124 -o hits.csv", Run: runScan,
}

// scanFlags are the flags of scan, as given.
type scanFlags struct {
	engine              engineFlags
	positions           string
	classOf, region     []int32
	randomClasses, per  int
	randomSeed          uint64
	mode, shard         string
	output, report      string
	supplementary       bool
	force, quiet        bool
	givenClass, givenRe bool
}

func (f *scanFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.positions, "positions", "", "CSV file of corners x,z")
	flags.Int32SliceVar(&f.classOf, "class-of", nil, "X,Z: all corners of the world in the class of this one")
	flags.IntVar(&f.randomClasses, "random-classes", 0, "this many random classes")
	flags.IntVar(&f.per, "per-class", 64, "random corners of each random class")
	flags.Uint64Var(&f.randomSeed, "random-seed", 1, "equal seeds draw equal classes")
	flags.Int32SliceVar(&f.region, "region", nil, "X0,Z0,X1,Z1: all corners of a rectangle, its edges included")
	flags.StringVar(&f.mode, "mode", "auto", "auto or 0 to 4; all give the same hits")
	flags.StringVar(&f.shard, "shard", "0/1", "I/N: part I of N of the classes, I from 0")
	flags.StringVarP(&f.output, "output", "o", "", "hits file, CSV index,x,z,seed; required")
	flags.StringVar(&f.report, "report", "", "JSON file of counts and times")
	flags.BoolVar(&f.supplementary, "supplementary", false, "instead find the seeds where Java redraws a chunk's number")
	flags.BoolVar(&f.force, "force", false, "replace existing files, and a journal of another job")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress")
	f.engine.register(flags)
}

func runScan(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	var f scanFlags
	f.register(flags)
	if done, err := c.ParseFlags(v, flags, args); done || err != nil {
		return err
	}
	for _, name := range []string{"per-class", "random-seed"} {
		if flags.Changed(name) && !flags.Changed("random-classes") {
			return fail.Usage("scan: --%s needs --random-classes", name)
		}
	}
	f.givenClass, f.givenRe = flags.Changed("class-of"), flags.Changed("region")
	if f.output == "" {
		return fail.Usage("scan: -o: a hits file is required")
	}
	if err := f.distinctFiles(); err != nil {
		return err
	}
	mode, err := search.ParseMode(f.mode)
	if err != nil {
		return err
	}
	shape, err := search.ParseShape(f.engine.shape)
	if err != nil {
		return err
	}
	source, err := f.source(ctx, shape)
	if err != nil {
		return err
	}
	// Without a journal an existing file is not this scan's own; search.Scan decides where there is one.
	_, fresh := os.Stat(f.output + ".journal")
	if err := outfile.Check(f.output, f.force || fresh == nil); err != nil {
		return err
	}
	if f.report != "" {
		if err := outfile.Check(f.report, f.force); err != nil {
			return err
		}
	}
	searcher, _, err := f.engine.open(c)
	if err != nil {
		return err
	}
	scan := search.Scan{Searcher: searcher, Source: source, Mode: mode, Supplementary: f.supplementary, Output: f.output, Force: f.force}
	if !f.quiet {
		scan.Progress = scanProgress(c)
	}
	report, err := scan.Run(ctx)
	if err := errors.Join(err, searcher.Close()); err != nil {
		return withRemedy(err, f.engine.maxHits)
	}
	c.Wipe()
	c.FilesWritten()
	c.Printf("%s: %d hits; %d positions, %d tasks, %.1f s", f.output, report.Counts.Hits, report.Positions, report.Counts.Tasks, report.Seconds)
	if f.report == "" {
		return nil
	}
	return writeJSON(f.report, f.force, struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		*search.Report
	}{version, commit, report})
}

// withRemedy adds what to do where a single corner has more hits than --max-hits, which bounds their clusters too.
func withRemedy(err error, maxHits int) error {
	var over *search.LimitError
	if errors.As(err, &over) && (over.Name == "hits" || over.Name == "clusters") && over.Limit == maxHits && maxHits < search.MaxHits {
		return fmt.Errorf("%w; up to %d are possible with a larger --max-hits", err, search.MaxHits)
	}
	return err
}

// distinctFiles refuses one name for two files: the hits would replace the positions, or the report the hits.
func (f *scanFlags) distinctFiles() error {
	type file struct{ flag, path string }
	var seen []file
	for _, f := range []file{{"--positions", f.positions}, {"-o", f.output}, {"the journal of -o", f.output + ".journal"}, {"--report", f.report}} {
		if f.path == "" {
			continue
		}
		for _, other := range seen {
			if outfile.Same(f.path, other.path) {
				return fail.Usage("scan: %s and %s name the same file %s", other.flag, f.flag, f.path)
			}
		}
		seen = append(seen, f)
	}
	return nil
}

// source reads the one way in which the positions are given.
func (f *scanFlags) source(ctx context.Context, shape search.Shape) (search.Source, error) {
	given := 0
	for _, yes := range []bool{f.positions != "", f.givenClass, f.randomClasses != 0, f.givenRe} {
		if yes {
			given++
		}
	}
	if given != 1 {
		return nil, fail.Usage("scan: %d of --positions, --class-of, --random-classes and --region given, want one", given)
	}
	shard, err := search.ParseShard(f.shard)
	if err != nil {
		return nil, err
	}
	var list []search.Pos
	switch {
	case f.positions != "":
		list, err = search.ReadPositionsFile(f.positions)
	case f.givenClass:
		if len(f.classOf) != 2 {
			return nil, fail.Usage("class-of: %d numbers, want X,Z", len(f.classOf))
		}
		list = shape.Members(shape.ClassOf(search.Pos{X: f.classOf[0], Z: f.classOf[1]}))
	case f.givenRe:
		if len(f.region) != 4 {
			return nil, fail.Usage("region: %d numbers, want X0,Z0,X1,Z1", len(f.region))
		}
		return search.NewRegion(shape, search.Region{X0: f.region[0], Z0: f.region[1], X1: f.region[2], Z1: f.region[3]}, shard)
	default:
		if f.randomClasses < 1 || f.per < 1 || f.randomClasses > search.MaxListed/f.per {
			return nil, fail.Usage("random-classes: %d of %d positions, want 1 or more and at most %d positions", f.randomClasses, f.per, search.MaxListed)
		}
		draw := search.NewSampler(shape, f.randomSeed)
		for range f.randomClasses {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			list = append(list, draw.Classes(1, f.per)...)
		}
	}
	if err != nil {
		return nil, err
	}
	return search.NewList(shape, list, shard), nil
}

// scanProgress shows how far a scan is: often on a terminal, about every 5 s elsewhere.
func scanProgress(c *cli.Console) func(search.Progress) {
	last := time.Now()
	return func(p search.Progress) {
		pause := 5 * time.Second
		if c.Terminal() {
			pause = 200 * time.Millisecond
		}
		if time.Since(last) < pause {
			return
		}
		last = time.Now()
		c.Progress(fmt.Sprintf("%.1f%%: %d of %d positions, %d hits, %v left", 100*float64(p.Steps)/float64(p.AllSteps),
			p.Seen, p.Total, p.Hits, p.Left.Round(time.Second)))
	}
}
