package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"grsplat/render/outfile"
	"grsplat/shaders"
	"grsplat/vk"
)

// A cache holds one device's measurements in a file named by all that may change them: the device, its driver, the
// shaders and this program.
type cache struct{ path string }

func newCache(dir, program string, i vk.Info) cache {
	m, err := shaders.Committed()
	if dir == "" || err != nil {
		return cache{}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %q %q %+v %v %s %q", i.Vendor, i.Device, i.Name, i.UUID, i.Driver, i.API, m.Key(), program))
	return cache{filepath.Join(dir, hex.EncodeToString(sum[:16])+".json")}
}

// read fills paths from the file. It is false, and paths are as before, unless the file holds every one.
func (c cache) read(paths []Path) bool {
	var kept []Path
	text, err := os.ReadFile(c.path)
	if c.path == "" || err != nil || json.Unmarshal(text, &kept) != nil {
		return false
	}
	found := map[[2]string]Path{}
	for _, p := range kept {
		found[[2]string{p.Path, p.Precision}] = p
	}
	for _, p := range paths {
		if k := found[[2]string{p.Path, p.Precision}]; k.SelfTest == "" || k.Eligible != p.Eligible {
			return false
		}
	}
	for i, p := range paths {
		k := found[[2]string{p.Path, p.Precision}]
		paths[i].take(Measurement{k.SelfTest, k.Speed, k.Inputs})
	}
	return true
}

// write keeps measurements. A path whose process crashed is kept too: it would crash again.
func (c cache) write(paths []Path) error {
	if c.path == "" {
		return nil
	}
	text, err := json.Marshal(paths)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	f, err := outfile.Create(c.path, true)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}
