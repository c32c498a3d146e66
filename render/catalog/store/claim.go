package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"grsplat/render/catalog"
	"grsplat/render/fail"
	"grsplat/render/outfile"
)

// claim makes the directory and its unfinished folder, keeps other builds out of it, and decides whether to go on with what is there.
func (b *builder) claim(print string) error {
	if err := b.refuse(); err != nil {
		return err
	}
	err := os.Mkdir(b.dir, 0o777)
	if b.made = err == nil; err != nil && !errors.Is(err, fs.ErrExist) {
		return fail.Input("store: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(b.partial, spillName), 0o777); err != nil {
		return fail.Input("store: %w", err)
	}
	b.lock, err = outfile.OpenLocked(filepath.Join(b.partial, lockName))
	if errors.Is(err, outfile.ErrLocked) {
		return fail.Input("store: %s: another build is writing it; let it end, or give another directory", b.dir)
	}
	if err != nil {
		return fail.Input("store: %w", err)
	}
	if err := b.begin(print); err != nil {
		return b.leave(err)
	}
	return nil
}

// refuse protects what is in the directory and not an unfinished store.
func (b *builder) refuse() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail.Input("store: %w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	switch {
	case names[catalog.UnfinishedDir]:
	case names[indexName] && !b.opt.Force:
		return fail.Usage("store: %s is a complete store; --force replaces it", b.dir)
	case len(names) > 0 && !names[indexName]:
		return fail.Usage("store: %s is not empty and not a store", b.dir)
	}
	return nil
}

// begin takes up the checkpoint of the same build, or starts anew. A complete store stays as it is until all inputs are read.
func (b *builder) begin(print string) error {
	if b.state = readState(b.partial); b.state != nil && b.state.Fingerprint == print {
		b.spill = b.newSpill()
		b.spill.moving = b.state.Moving
		return b.spill.restore(b.state.Counts)
	}
	b.state = &state{Fingerprint: print, Counts: make([]int64, spillFiles)}
	b.spill = b.newSpill()
	var err error
	for _, name := range []string{stateName, journalName, spillName} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(b.partial, name)))
	}
	if err = errors.Join(err, os.Mkdir(filepath.Join(b.partial, spillName), 0o777)); err != nil {
		return fail.Input("store: %w", err)
	}
	return b.checkpoint()
}

// content is what a store consists of besides its unfinished folder. The index is the first to go: what has none is no store.
var content = []string{indexName, "properties", "partition_info.csv", "dataset"}

// clear removes the store that was there before, once its successor needs nothing but the unfinished folder.
func (b *builder) clear() error {
	if b.state.Cleared {
		return nil
	}
	if err := b.remove(content); err != nil {
		return err
	}
	b.state.Cleared = true
	return b.checkpoint()
}

func (b *builder) remove(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, os.RemoveAll(filepath.Join(b.dir, name)))
	}
	if err != nil {
		return fail.Input("store: %w", err)
	}
	return nil
}

// release removes the unfinished folder and lets other builds in.
func (b *builder) release() error {
	if err := outfile.ReleaseAfter(b.lock, func() error { return os.RemoveAll(b.partial) }); err != nil {
		return fail.Input("store: %w", err)
	}
	return nil
}

// leave ends a build that failed or was interrupted. Where the same call can go on from a checkpoint it keeps the unfinished folder and
// says so; else nothing of the build stays, and a complete store that was there is as before.
func (b *builder) leave(err error) error {
	if len(b.state.Inputs) > 0 && !b.futile {
		return fail.Resumable(errors.Join(err, b.lock.Close()),
			fmt.Sprintf("%s keeps what was done: the same command goes on there", b.partial))
	}
	if _, complete := os.Stat(filepath.Join(b.dir, indexName)); complete != nil {
		err = errors.Join(err, b.remove(content))
	}
	err = errors.Join(err, b.release())
	if b.made {
		err = errors.Join(err, os.Remove(b.dir))
	}
	return err
}

// read spills the inputs that are not yet. What it cannot read makes the build futile: a mended input is another one, from which
// the checkpoint does not follow.
func (b *builder) read(ctx context.Context, inputs []BuildInput) error {
	if b.state.Spilled {
		return nil
	}
	var sources []catalog.Source
	for _, in := range inputs[len(b.state.Inputs):] {
		src, err := in.Open()
		if err != nil {
			b.futile = true
			return err
		}
		sources = append(sources, src)
	}
	for _, src := range sources {
		spilled, err := b.source(ctx, src)
		if err != nil {
			b.futile = spilled && ctx.Err() == nil
			return err
		}
		b.state.Inputs = append(b.state.Inputs, newInputResult(src.Name(), src.Stats()))
		if err := b.checkpoint(); err != nil {
			return err
		}
	}
	b.state.Spilled = true
	return b.checkpoint()
}

// source spills every star of a catalogue; spilled tells whether the spill is not to blame for an error.
func (b *builder) source(ctx context.Context, src catalog.Source) (spilled bool, err error) {
	spilled = true
	err = src.ReadAstrometry(ctx, func(batch []catalog.Star, ast []catalog.Astrometry) error {
		for i := range batch {
			r := newRecord(&batch[i], &ast[i])
			if err := b.spill.add(&r); err != nil {
				spilled = false
				return err
			}
		}
		b.stars += int64(len(batch))
		b.opt.Progress(Progress{"read", b.stars})
		return nil
	})
	if err != nil {
		return spilled, err
	}
	return false, b.spill.flushAll()
}
