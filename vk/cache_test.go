package vk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCacheFile(t *testing.T) {
	t.Parallel()
	i := listed("x/other")[0]
	path := filepath.Join(t.TempDir(), "deep", "cache")
	c := cacheFile{path, cacheKey(i, "shaders 1")}
	if c.read() != nil || (cacheFile{}).read() != nil {
		t.Error("data from nowhere")
	}
	if err := c.write([]byte("pipelines")); err != nil {
		t.Fatal(err)
	}
	if got := c.read(); string(got) != "pipelines" {
		t.Errorf("read %q", got)
	}
	updated := i
	updated.Driver.Version++
	for name, key := range map[string][32]byte{"other shaders": cacheKey(i, "shaders 2"), "other driver": cacheKey(updated, "shaders 1")} {
		if (cacheFile{path, key}).read() != nil {
			t.Errorf("%s: a stale file was used", name)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 1
		for name, file := range map[string][]byte{"truncated": whole[:n], "damaged": damaged} {
			if err := os.WriteFile(path, file, 0o644); err != nil {
				t.Fatal(err)
			}
			if c.read() != nil {
				t.Fatalf("%s at byte %d: used", name, n)
			}
		}
	}
	if left, _ := filepath.Glob(path + ".*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A device compiles from its cache file, and from a damaged one as if there were none.
func TestPipelineCache(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cache")
	o := DeviceOptions{CacheFile: path, CacheKey: "test"}
	for range 2 {
		d := device(t, o)
		pipeline(t, d, 3)
		if err := d.SaveCache(); err != nil {
			t.Fatal(err)
		}
		if (cacheFile{path, d.cache.key}).read() == nil {
			t.Error("what was written is not read")
		}
	}
	if err := os.WriteFile(path, []byte("not a cache"), 0o644); err != nil {
		t.Fatal(err)
	}
	pipeline(t, device(t, o), 3)
	if err := device(t, DeviceOptions{}).SaveCache(); err != nil {
		t.Errorf("no file asked for: %v", err)
	}
	o.CacheFile = filepath.Join(path, "below a file")
	if err := device(t, o).SaveCache(); err == nil {
		t.Error("written below a file")
	}
}

func FuzzCacheFile(f *testing.F) {
	c := cacheFile{filepath.Join(f.TempDir(), "cache"), cacheKey(Info{}, "")}
	if err := c.write([]byte("data")); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(c.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(cacheMagic))
	f.Fuzz(func(t *testing.T, file []byte) {
		c := cacheFile{filepath.Join(t.TempDir(), "cache"), c.key}
		if err := os.WriteFile(c.path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		if data := c.read(); data != nil && !bytes.Equal(file, whole) && len(file) != len(whole)-4+len(data) {
			t.Errorf("%d bytes read from a file of %d", len(data), len(file))
		}
	})
}
