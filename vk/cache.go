package vk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// A pipeline cache file: magic, key, length of the data, data, checksum of all before it. The key covers whatever may
// change a compiled pipeline, the checksum catches a torn or damaged file; a driver that trusts stale data hangs or
// crashes, so anything that does not match is a miss.
type cacheFile struct {
	path string
	key  [sha256.Size]byte
}

const cacheMagic = "grsplat pipelines 1\n"

func cacheKey(i Info, extra string) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %d %d %q %q %s %s %s %q", i.Vendor, i.Device, i.Driver.ID, i.Driver.Version, i.Driver.Info, i.Name,
		i.UUID, i.Driver.UUID, i.Driver.CacheUUID, extra))
}

// read returns the driver's data, or nil.
func (c cacheFile) read() []byte {
	if c.path == "" {
		return nil
	}
	file, err := os.ReadFile(c.path)
	head := len(cacheMagic) + len(c.key) + 8
	if err != nil || len(file) < head+sha256.Size {
		return nil
	}
	body, sum := file[:len(file)-sha256.Size], file[len(file)-sha256.Size:]
	want := sha256.Sum256(body)
	data := body[head:]
	if !bytes.Equal(sum, want[:]) || !bytes.Equal(body[:head], c.head(len(data))) {
		return nil
	}
	return data
}

func (c cacheFile) head(n int) []byte {
	return binary.LittleEndian.AppendUint64(append([]byte(cacheMagic), c.key[:]...), uint64(n))
}

// write puts the file in place whole.
func (c cacheFile) write(data []byte) error {
	body := append(c.head(len(data)), data...)
	sum := sha256.Sum256(body)
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), filepath.Base(c.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(body, sum[:]...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path)
}

// SaveCache writes the pipelines compiled so far to the device's cache file, if it has one. A failure costs only time.
func (d *Device) SaveCache() error {
	if d.cache.path == "" {
		return nil
	}
	d.mu.Lock()
	data, s := d.nativeCache()
	err := d.check(s, "pipeline cache")
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if err := d.cache.write(data); err != nil {
		return fmt.Errorf("pipeline cache: %w", err)
	}
	return nil
}
