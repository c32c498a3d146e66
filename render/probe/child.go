package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"grsplat/render/fail"
	"grsplat/render/sink/hip"
	"grsplat/vk"
)

// Listing is what a child that lists devices writes.
type Listing struct {
	Loader  bool       `json:"loader"` // the loader was found
	Version vk.Version `json:"version"`
	Library string     `json:"library"` // its file
	Layers  []string   `json:"layers"`
	Devices []vk.Info  `json:"devices"`
	Problem string     `json:"problem"`
}

// The tasks of a child process.
const (
	taskList    = "list"    // LIBRARY
	taskMeasure = "measure" // LIBRARY DEVICE PATH PRECISION
	taskHIP     = "hip"
)

// Child is the body of a child process: it does one task and writes its answer as JSON. A driver may end it at any time.
func Child(ctx context.Context, args []string, out io.Writer) error {
	var answer any
	switch {
	case len(args) == 2 && args[0] == taskList:
		answer = list(args[1])
	case len(args) == 5 && args[0] == taskMeasure:
		answer = measure(ctx, args[1], args[2], args[3], args[4])
	case len(args) == 1 && args[0] == taskHIP:
		answer = listHIP()
	default:
		return fail.Usage("probe: unknown task %q", args)
	}
	if err := json.NewEncoder(out).Encode(answer); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return nil
}

func list(library string) (l Listing) {
	in, err := vk.Open(vk.Options{Library: library})
	if err == nil {
		defer in.Close()
		return Listing{Loader: true, Version: in.API(), Library: in.File(), Layers: in.Layers(), Devices: in.Devices()}
	}
	l.Problem = err.Error()
	var open *vk.OpenError
	if !errors.As(err, &open) || errors.Is(err, vk.ErrNoLoader) {
		return l
	}
	l.Loader, l.Version, l.Library = true, open.API, open.File
	if !errors.Is(err, vk.ErrNoDevice) {
		l.Problem += remarks(open.Messages)
	}
	return l
}

// remarks are the errors among messages, each once.
func remarks(messages []vk.Message) (text string) {
	for _, m := range messages {
		if m.Error && !strings.Contains(text, m.Text) {
			text += "; " + m.Text
		}
	}
	return text
}

func listHIP() HIP {
	h := HIP{Devices: []HIPDevice{}}
	devices, err := hip.Devices()
	if err != nil {
		h.Problem = err.Error()
	}
	for _, d := range devices {
		h.Devices = append(h.Devices, HIPDevice{d.Index, d.Name, d.Runtime, d.Target, d.Reason == "", d.Reason})
	}
	return h
}

// How long a child may take: a driver that hangs is as bad as one that crashes. Measuring compiles a path's kernels, which
// a software device does for seconds.
const (
	listTime    = 60 * time.Second
	measureTime = 5 * time.Minute
)

func listInChild(ctx context.Context, o Options, env []string) (l Listing, err error) {
	err = o.child(ctx, listTime, env, &l, taskList, o.Library)
	return l, err
}

func hipInChild(ctx context.Context, o Options) *HIP {
	h := &HIP{Devices: []HIPDevice{}}
	if err := o.child(ctx, listTime, nil, h, taskHIP); err != nil {
		h.Problem = err.Error()
	}
	return h
}

func measureInChild(ctx context.Context, o Options, d *Device, p Path) (m Measurement, err error) {
	err = o.child(ctx, measureTime, d.environment, &m, taskMeasure, o.Library, fmt.Sprint(d.child), p.Path, p.Precision)
	return m, err
}

// child runs one task in a process of its own and decodes its answer. The error says how the process ended.
func (o Options) child(ctx context.Context, limit time.Duration, env []string, answer any, args ...string) error {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(timed, o.Self[0], append(append([]string(nil), o.Self[1:]...), args...)...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case timed.Err() != nil && ctx.Err() == nil:
		return fmt.Errorf("no answer within %v", limit)
	case err != nil:
		return fmt.Errorf("ended by %w%s", err, cause(stderr.String()))
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("answered with no JSON: %w", err)
	}
	return nil
}

// cause is the first line of what a process said on its end: of a crash in C, Go names the signal there.
func cause(stderr string) string {
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); line != "" {
			return ": " + strings.TrimPrefix(line, "grsplat: ")
		}
	}
	return ""
}
