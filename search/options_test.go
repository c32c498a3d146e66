package search

import (
	"strings"
	"testing"

	"grsplat/render/fail"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "5", "-1", "x", "1.0"} {
		if m, err := ParseMode(bad); fail.Status(err) != fail.StatusUsage {
			t.Errorf("mode %q is %v, %v", bad, m, err)
		}
	}
	for _, m := range append(Modes(), Auto) {
		if got, err := ParseMode(m.String()); got != m || err != nil {
			t.Errorf("mode %v came back as %v, %v", m, got, err)
		}
	}
	for _, bad := range []string{"", "1", "1/1", "-1/2", "0/0", "0/1/2", "a/b"} {
		if s, err := ParseShard(bad); fail.Status(err) != fail.StatusUsage {
			t.Errorf("shard %q is %v, %v", bad, s, err)
		}
	}
	if s, err := ParseShard("2/3"); s != (Shard{2, 3}) || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := NewRegion(headline, Region{1, 0, 0, 5}, Shard{0, 1}); fail.Status(err) != fail.StatusUsage {
		t.Errorf("an empty region: %v", err)
	}
}

// auto reuses classes where positions repeat them, and else lists roots by position.
func TestAutoMode(t *testing.T) {
	t.Parallel()
	draw := NewSampler(headline, 6)
	var scattered []Pos
	for range 65_536 {
		scattered = append(scattered, draw.Position())
	}
	for _, c := range []struct {
		name string
		in   []Pos
		want Mode
	}{{"4096 scattered", scattered[:4096], PerPositionGroups}, {"65,536 scattered", scattered, PerPositionGroups},
		{"classes of two", append(scattered[:4096:4096], scattered[:4096]...), RootedSieve}, {"one class", headline.Members(Class{1, 2}), RootedSieve}} {
		if got := headline.autoMode(c.in); got != c.want {
			t.Errorf("%s: mode %s, want %s", c.name, got, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    OpenOptions
		want int
	}{
		{OpenOptions{Backend: "cuda"}, fail.StatusUsage},
		{OpenOptions{Backend: "cpu", Vulkan: VulkanOptions{Device: "0"}}, fail.StatusUsage},
		{OpenOptions{Backend: "vulkan", Vulkan: VulkanOptions{Device: "no such device"}}, fail.StatusBackend},
		{OpenOptions{Backend: "auto", Vulkan: VulkanOptions{Device: "no such device"}}, fail.StatusBackend},
	} {
		if _, _, err := Open(headline, DefaultLimits(), c.o); fail.Status(err) != c.want || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	s, choice, err := Open(headline, DefaultLimits(), OpenOptions{Backend: "auto"})
	if err != nil || choice == "" {
		t.Fatalf("auto: %q, %v", choice, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
