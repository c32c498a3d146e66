package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// inspect asserts what the machine code of an object must be, and returns what it says of its kernels:
//
//   - the integer kernels add with the device's own 64-bit atomic, and nothing is a compare-and-swap loop;
//   - no kernel spills registers or uses scratch memory, which a launch would have to provide;
//   - no float64 operation is fused: every one is rounded, as in Go. The pieces of cut lists and the mesh, whose sums keep no order, are
//     the exceptions.
func inspect(compiler, target, object string) ([]kernel, error) {
	code, err := tool(compiler, "llvm-objdump", "-d", object)
	if err != nil {
		return nil, err
	}
	if err := checkCode(target, code); err != nil {
		return nil, err
	}
	notes, err := tool(compiler, "llvm-readobj", "--notes", object)
	if err != nil {
		return nil, err
	}
	return readNotes(target, notes)
}

// tool runs the LLVM tool of the compiler's version, clang-19 giving llvm-objdump-19.
func tool(compiler, name string, args ...string) (string, error) {
	_, suffix, _ := strings.Cut(compiler, "clang")
	text, err := exec.Command(name+suffix, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name+suffix, err, text)
	}
	return string(text), nil
}

var (
	symbolLine = regexp.MustCompile(`^[0-9a-f]+ <([^>]+)>:`)
	fused      = regexp.MustCompile(`\bv_(pk_)?(fma|fmac|mad|mac)_?\w*_f64`)
	swap       = regexp.MustCompile(`cmpswap`)
	scratch    = regexp.MustCompile(`\bscratch_(load|store)`)
	atomicAdd  = regexp.MustCompile(`\b(global|flat)_atomic_add_(u64|x2)\b`)
)

// addsOf is the least number of atomic adds of a kernel, besides the counters: three planes for the atomic path, four lattice points of
// each and four nodes for the mesh.
var addsOf = map[string]int{"grhip_atomic_i64": 3 + 2, "grhip_mesh_deposit": 12 + 4 + 2}

// fusedOf is the least number of fused operations of a kernel that fuses: six for each of two pixels, one for each of the values that a
// thread of the filter makes, two for a twiddle, four for a product that is summed. No other may have one.
var fusedOf = map[string]int{
	"grhip_pieces_f64": 12, "grhip_mesh_filter": 10,
	"grhip_mesh_forward": 30, "grhip_mesh_multiply": 94, "grhip_mesh_inverse": 30,
	"grhip_rims_forward": 30, "grhip_rims_multiply": 94, "grhip_rims_inverse": 30,
}

func checkCode(target, code string) error {
	adds, fuses := map[string]int{}, map[string]int{}
	symbol := ""
	for _, line := range strings.Split(code, "\n") {
		if m := symbolLine.FindStringSubmatch(line); m != nil {
			symbol = m[1]
			continue
		}
		if fusedOf[symbol] > 0 && fused.MatchString(line) {
			fuses[symbol]++
			continue
		}
		for what, pattern := range map[string]*regexp.Regexp{"a fused operation": fused, "a compare-and-swap": swap, "scratch memory": scratch} {
			if pattern.MatchString(line) {
				return fmt.Errorf("%s: %s has %s: %s", target, symbol, what, strings.TrimSpace(line))
			}
		}
		if atomicAdd.MatchString(line) {
			adds[symbol]++
		}
	}
	for name, least := range addsOf {
		if adds[name] < least {
			return fmt.Errorf("%s: %s has %d 64-bit atomic adds, fewer than %d", target, name, adds[name], least)
		}
	}
	for name, least := range fusedOf {
		if fuses[name] < least {
			return fmt.Errorf("%s: %s has %d fused operations, fewer than %d", target, name, fuses[name], least)
		}
	}
	return nil
}

var noteField = regexp.MustCompile(`(?m)^\s+(?:- )?\.([a-z_]+):\s+(\S+)\s*$`)

// readNotes reads the metadata that llvm-readobj prints as YAML: one kernel ends with its wavefront size or what follows.
func readNotes(target, notes string) ([]kernel, error) {
	var kernels []kernel
	var arguments []int
	for _, m := range noteField.FindAllStringSubmatch(notes, -1) {
		n, _ := strconv.Atoi(m[2])
		last := len(kernels) - 1
		switch m[1] {
		case "size":
			arguments = append(arguments, n)
		case "group_segment_fixed_size":
			kernels = append(kernels, kernel{Shared: n})
			if len(arguments) != 1 {
				return nil, fmt.Errorf("%s: a kernel has %d arguments, want the one struct", target, len(arguments))
			}
			kernels[last+1].Arguments = arguments[0]
			arguments = nil
		case "name":
			kernels[last].Name = m[2]
		case "sgpr_count":
			kernels[last].SGPRs = n
		case "vgpr_count":
			kernels[last].VGPRs = n
		case "private_segment_fixed_size", "sgpr_spill_count", "vgpr_spill_count":
			if n != 0 {
				return nil, fmt.Errorf("%s: %s has %s %d", target, kernels[last].Name, m[1], n)
			}
		}
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s: no kernels in the notes", target)
	}
	return kernels, nil
}
