//go:build hip

package hip

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// objects are the code objects of kernels.hip, raw ELF, built by `./build.sh hip`.
//
//go:embed co/*.hsaco
var objects embed.FS

const objectPrefix = "grsplat_"

// targets lists the devices that objects are for, newest first.
func targets() ([]string, error) {
	files, err := objects.ReadDir("co")
	if err != nil {
		return nil, fmt.Errorf("hip: embedded objects: %w", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(f.Name(), objectPrefix), ".hsaco"))
	}
	slices.SortFunc(names, func(a, b string) int { return len(b)*1000 - len(a)*1000 + strings.Compare(b, a) })
	return names, nil
}

func object(target string) ([]byte, error) {
	data, err := objects.ReadFile("co/" + objectPrefix + target + ".hsaco")
	if err != nil {
		return nil, fmt.Errorf("hip: embedded objects: %w", err)
	}
	return data, nil
}
