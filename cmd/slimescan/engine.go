package main

import (
	"github.com/spf13/pflag"

	"grsplat/cmd/internal/cli"
	"grsplat/render/fail"
	"grsplat/search"
)

// engineFlags are the flags of every verb that searches.
type engineFlags struct {
	shape, backend, device string
	threads, workgroup     int
	maxHits                int
}

func (e *engineFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&e.shape, "shape", "5x5", "chunks of the rectangle along x and z, sides up to 8, 9 chunks or more")
	flags.StringVar(&e.backend, "backend", "auto", "auto, cpu or vulkan; auto is the first GPU, else the CPU")
	flags.StringVar(&e.device, "device", "", "Vulkan device: index, or part of its name or UUID")
	flags.IntVar(&e.threads, "threads", 0, "threads of the cpu backend, 0 for all processors")
	flags.IntVar(&e.maxHits, "max-hits", search.DefaultLimits().Hits, "hits that a batch may have; a small shape can have millions at one corner. A scan that ends at it goes on with a larger one")
	flags.IntVar(&e.workgroup, "workgroup", 0, "Vulkan invocations that share a task, a power of two from 8 to 256; 0 for the default")
}

// open starts the engine and tells what auto chose.
func (e *engineFlags) open(c *cli.Console) (*search.Searcher, search.Shape, error) {
	shape, err := search.ParseShape(e.shape)
	if err != nil {
		return nil, shape, err
	}
	if e.threads < 0 || e.threads > 4096 {
		return nil, shape, fail.Usage("threads: %d: want 1 to 4096, or 0 for all processors", e.threads)
	}
	if e.workgroup != 0 && e.backend == "cpu" {
		return nil, shape, fail.Usage("workgroup: %d: the cpu backend has none", e.workgroup)
	}
	limits := search.DefaultLimits()
	limits.Hits = e.maxHits
	s, choice, err := search.Open(shape, limits, search.OpenOptions{
		Backend: e.backend, Threads: e.threads, Vulkan: search.VulkanOptions{Device: e.device, Workgroup: e.workgroup}})
	if choice != "" {
		c.Errorf("%s", choice)
	}
	return s, shape, err
}
