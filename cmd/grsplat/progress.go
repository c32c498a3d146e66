package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"grsplat/cmd/internal/cli"
	"grsplat/render"
)

// quietInterval is how often progress is told where no terminal shows a bar.
const quietInterval = 5 * time.Second

// A progress tells where a render stands: a spinner with counts on a terminal, a line every 5 s elsewhere, nothing when quiet.
type progress struct {
	console *cli.Console
	quiet   bool
	json    bool
	bar     *progressbar.ProgressBar // nil without a terminal
	began   time.Time
	told    time.Time
}

func newProgress(c *cli.Console, quiet bool, format string) *progress {
	p := &progress{console: c, quiet: quiet, json: format == "json", began: time.Now(), told: time.Now()}
	if c.Terminal() && !quiet && !p.json {
		p.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(c.Stderr), progressbar.OptionSetDescription("drawing"),
			progressbar.OptionSpinnerType(14), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	return p
}

func (p *progress) update(u render.Update) {
	text := fmt.Sprintf("%s: %d stars, %d star images, %.0f s", u.Stage, u.Stars, u.Images, time.Since(p.began).Seconds())
	switch {
	case p.quiet:
	case p.bar != nil:
		p.bar.Describe(text)
	case time.Since(p.told) >= quietInterval:
		p.told = time.Now()
		p.log(false).Info("progress", "stage", u.Stage, "stars", u.Stars, "images", u.Images)
	}
}

// done takes the bar off the terminal.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish() // a terminal that went away is no reason to fail a render
	}
}

// log returns the render's logger: JSON records, or lines like the program's other messages.
func (p *progress) log(verbose bool) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level(p.quiet, verbose)}
	if p.json {
		return slog.New(slog.NewJSONHandler(p.console.Stderr, opts))
	}
	return slog.New(&lineHandler{console: p.console, level: level(p.quiet, verbose)})
}

// A lineHandler writes a record as `grsplat: message: key value, key value`.
type lineHandler struct {
	console *cli.Console
	level   slog.Level
	attrs   []slog.Attr
}

func (h *lineHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	var parts []string
	add := func(a slog.Attr) bool {
		parts = append(parts, fmt.Sprintf("%s %v", a.Key, a.Value))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	h.console.Errorf("%s", text)
	return nil
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &lineHandler{h.console, h.level, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup has no use here: no record of the program is grouped.
func (h *lineHandler) WithGroup(string) slog.Handler { return h }
