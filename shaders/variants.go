package shaders

import "slices"

// A Variant is one row: a GLSL source with its defines, and all that a device must have to run it.
type Variant struct {
	Name        string
	Path        string   // atomic, tile16, tile32, mesh; "" for a kernel that paths share
	Precision   string   // f64, exact, f32; mesh for a kernel of that path alone; "" for a kernel of every precision
	Source      string   // file in this folder
	Defines     []string // NAME or NAME=VALUE
	Needs       []string // Vulkan's own names of features, and of the properties that float controls are
	Invocations int      // of a work group
	Shared      int      // bytes of shared memory
}

// What the precisions need. An exact contribution must round to nearest even whatever the driver's default is.
var (
	needsF64   = []string{"shaderFloat64"}
	needsInt64 = []string{"shaderInt64"}
	needsMesh  = []string{"shaderFloat64", "shaderInt64", "shaderBufferInt64Atomics"}
	needsExact = []string{"shaderFloat64", "shaderInt64", "shaderRoundingModeRTEFloat64"}
)

// Shared memory of the tile kernels: 64 staged records of 16-byte words, and one counter.
const (
	stagedF64 = 64*6*16 + 4
	stagedF32 = 64*4*16 + 4
)

var table = []Variant{
	{"atomic-f64", "atomic", "f64", "atomic.comp", nil, []string{"shaderFloat64", "shaderBufferFloat64AtomicAdd"}, 256, 4},
	{"atomic-f32", "atomic", "f32", "atomic.comp", []string{"F32"}, []string{"shaderBufferFloat32AtomicAdd"}, 256, 4},
	{"atomic-i64", "atomic", "exact", "atomic.comp", []string{"I64", "RTE"}, append(slices.Clone(needsExact), "shaderBufferInt64Atomics"), 256, 4},
	{"tile16-f64", "tile16", "f64", "tile.comp", []string{"TILE=16"}, needsF64, 256, stagedF64},
	{"tile32-f64", "tile32", "f64", "tile.comp", []string{"TILE=32"}, needsF64, 1024, stagedF64},
	{"tile16-i64", "tile16", "exact", "tile.comp", []string{"TILE=16", "I64", "RTE"}, needsExact, 256, stagedF64},
	{"tile32-i64", "tile32", "exact", "tile.comp", []string{"TILE=32", "I64", "RTE"}, needsExact, 1024, stagedF64},
	{"tile16-f32", "tile16", "f32", "tile.comp", []string{"TILE=16", "F32"}, nil, 256, stagedF32},

	{"prepare-f64", "", "f64", "prepare.comp", nil, needsF64, 256, 0},
	{"prepare-i64", "", "exact", "prepare.comp", []string{"RTE"}, []string{"shaderFloat64", "shaderRoundingModeRTEFloat64"}, 256, 0},
	{"prepare-f32", "", "f32", "prepare.comp", []string{"F32"}, nil, 256, 0},
	{"merge-f64", "", "f64", "merge.comp", nil, needsF64, 256, 0},
	{"merge-i64", "", "exact", "merge.comp", []string{"I64"}, needsInt64, 256, 0},
	{"merge-f32", "", "f32", "merge.comp", []string{"F32"}, nil, 256, 0},
	{"carry-i64", "", "exact", "carry.comp", nil, needsInt64, 256, 0},

	{"phase-count", "", "", "bin.comp", []string{"PHASE"}, nil, 256, binShared},
	{"phase-scatter", "", "", "bin.comp", []string{"PHASE", "SCATTER"}, nil, 256, binShared},
	{"cell-count", "", "", "bin.comp", nil, nil, 256, binShared},
	{"cell-scatter", "", "", "bin.comp", []string{"SCATTER"}, nil, 256, binShared},
	{"scan-reduce", "", "", "scan.comp", []string{"REDUCE"}, nil, 256, 1024},
	{"scan-spine", "", "", "scan.comp", []string{"SPINE"}, nil, 256, 1024},
	{"scan-down", "", "", "scan.comp", nil, nil, 256, 1024},
	{"starts", "", "", "starts.comp", nil, nil, 256, 0},
	{"plan-segments", "", "", "plan.comp", nil, nil, 256, 4096},
	{"plan-items", "", "", "plan.comp", []string{"ITEMS_MODE"}, nil, 256, 4096},

	{"mesh-deposit", "mesh", "f64", "mesh_deposit.comp", nil, needsMesh, 256, meshShared},
	{"mesh-count", "", "mesh", "mesh_count.comp", nil, needsMesh, 256, 8 + 256*8 + MeshClasses*4},
	{"mesh-rest", "", "mesh", "mesh_rest.comp", nil, needsF64, 256, 8},
	{"mesh-filter", "", "mesh", "mesh_filter.comp", nil, needsF64, 128, 2048 * 8},
	{"mesh-filter-2", "", "mesh", "mesh_filter.comp", []string{"D=2"}, needsF64, 128, 2048 * 8},
	{"mesh-forward", "", "mesh", "mesh_forward.comp", nil, needsF64, 128, meshPart},
	{"mesh-multiply", "", "mesh", "mesh_multiply.comp", nil, needsF64, 128, meshPart},
	{"mesh-inverse", "", "mesh", "mesh_inverse.comp", nil, needsMesh, 128, meshShared},
	{"mesh-ring-forward", "", "mesh", "mesh_forward.comp", []string{"RING"}, needsF64, 128, meshPart},
	{"mesh-ring-multiply", "", "mesh", "mesh_multiply.comp", []string{"RING"}, needsF64, 128, meshPart},
	{"mesh-ring-inverse", "", "mesh", "mesh_inverse.comp", []string{"RING"}, needsMesh, 128, meshShared},
	{"mesh-paste", "", "mesh", "mesh_paste.comp", nil, []string{"shaderFloat64", "shaderInt64"}, 256, MeshGroup * 4},

	{"search-roots", "", "", "search_roots.comp", nil, nil, 256, 32_768},
	{"search-expand", "", "", "search_expand.comp", nil, nil, 256, 0},
	{"search-each", "", "", "search_each.comp", nil, nil, 64, searchTerms + 64*8*4},
	{"search-sieve", "", "", "search_sieve.comp", nil, nil, 64, searchTerms + 128*12 + 64 + 3*64*8*4},
}

// Shared memory of a task's constants in the search kernels, and of their counters.
const searchTerms = 64*8 + 16*8 + 8

// Shared memory of a work group's transforms, and where it finds the largest of its points too. The deposit, which stands for the
// path, uses less.
const (
	meshPart   = 2304 * 8
	meshShared = meshPart + 128*16
)

const binShared = 256*8 + 4*64*4

// Variants returns all rows.
func Variants() []Variant { return slices.Clone(table) }

// Lookup returns the row of a name.
func Lookup(name string) (Variant, bool) {
	i := slices.IndexFunc(table, func(v Variant) bool { return v.Name == name })
	if i < 0 {
		return Variant{}, false
	}
	return table[i], true
}

// Find returns the row of an accumulation path and a precision. Not every pair has one.
func Find(path, precision string) (Variant, bool) {
	i := slices.IndexFunc(table, func(v Variant) bool { return v.Path == path && v.Precision == precision && path != "" })
	if i < 0 {
		return Variant{}, false
	}
	return table[i], true
}

// Paths are the accumulation paths that have rows, in the order of the table.
func Paths() []string {
	var paths []string
	for _, v := range table {
		if v.Path != "" && !slices.Contains(paths, v.Path) {
			paths = append(paths, v.Path)
		}
	}
	return paths
}
