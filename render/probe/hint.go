package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"grsplat/vk"
)

// renderNodes are where Linux lets a program reach a GPU.
const renderNodes = "/dev/dri/renderD*"

// hint says why there may be no GPU among the devices although the machine has one; "" where a GPU was found.
func hint(devices []Device, nodes string) string {
	if slices.ContainsFunc(devices, func(d Device) bool { return d.Type != vk.CPU }) {
		return ""
	}
	found, _ := filepath.Glob(nodes)
	for _, node := range found {
		f, err := os.OpenFile(node, os.O_RDWR, 0)
		if err != nil {
			return fmt.Sprintf("%v: is this user in the render group?", err)
		}
		f.Close()
	}
	if len(found) == 0 {
		return "no " + nodes + ": no gpu, no kernel driver, or none passed to this container (nvidia's needs the capability graphics)"
	}
	return "the gpu's driver is missing or older than the gpu"
}
