package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
)

var renderVerb = cli.Verb{
	Name: "render", Args: "-o FILE.png [flags]", Summary: "draw a star catalogue as a PNG and an HDR FITS image",
	Example: "grsplat render -o hole.png --hdr-output --spacetime schwarzschild --radius 30", Run: runRender,
}

// beside stands for --hdr-output without a file name: the FITS file goes beside the PNG.
const beside = "(beside the PNG)"

func runRender(ctx context.Context, c *cli.Console, v *cli.Verb, args []string) error {
	f := newRenderFlags(v.Name)
	if done, err := c.Parse(v, f.set, joinOptional(args)); done || err != nil {
		return err
	}
	return draw(ctx, c, f)
}

// draw renders what parsed flags say and prints the report or a summary.
func draw(ctx context.Context, c *cli.Console, f *renderFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	p := newProgress(c, f.quiet, f.logFormat)
	cfg.Log, cfg.Progress = p.log(f.verbose), p.update
	res, err := render.Run(ctx, cfg)
	p.done()
	if err != nil {
		return err
	}
	if len(res.Outputs) > 0 {
		c.FilesWritten()
	}
	if f.asJSON || res.Diagnostics != nil {
		return c.JSON(res)
	}
	if !f.quiet {
		summarise(c, res)
	}
	return nil
}

// joinOptional turns `--hdr-output FILE` into `--hdr-output=FILE`, which is how pflag reads a value that may be left out.
func joinOptional(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--hdr-output" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// summarise prints what a finished render read, drew and wrote.
func summarise(c *cli.Console, r *render.Result) {
	cat, im, acc := &r.Catalogue, &r.Images, &r.Accumulation
	c.Printf("stars   %d of %d rows%s", cat.Stars, cat.Rows, skippedText(cat.Skipped))
	if t := cat.Tiles; t != nil && len(t.Missing) > 0 {
		c.Printf("missing %d of %d tiles%s", len(t.Missing), t.Total, missingStars(t.MissingStars))
	}
	c.Printf("images  %d: %d cached, %d wing-clipped, %d direct, %d discarded", im.Total, im.Cached, im.WingClipped, im.Direct, im.Discarded)
	c.Printf("summed  %s, %s, %s: %d contributions, %.3g a second", acc.Backend, acc.Path, acc.Precision, acc.Contributions, acc.ContributionsPerSecond)
	for _, path := range r.Outputs {
		c.Printf("wrote   %s", path)
	}
}

// missingStars is what a store's index says; a directory has none.
func missingStars(n int64) string {
	if n == 0 {
		return ", of how many stars is not known"
	}
	return fmt.Sprintf(", %d stars", n)
}

func skippedText(skipped map[string]int64) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, skipped[reason]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; skipped: " + strings.Join(parts, ", ")
}

// parameters are the flags that decide what is drawn, as the report and the FITS history keep them: the same image names the
// same ones, wherever it is written.
func parameters(set *pflag.FlagSet) map[string]string {
	skip := []string{"help", "quiet", "verbose", "log-format", "force", "json", "output", "hdr-output", "report", "lens-map-output", "threads", "capture", "capture-limit", "capture-triangles"}
	out := map[string]string{}
	set.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(skip, f.Name) {
			out[f.Name] = f.Value.String()
		}
	})
	return out
}

// level is how much the log says.
func level(quiet bool, verbose bool) slog.Level {
	switch {
	case quiet:
		return slog.LevelWarn
	case verbose:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
