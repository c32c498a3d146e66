package cpu_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"grsplat/tools/require"
)

// The sink without assembly is right on another processor: tests built for arm64, whose compiler fuses products into sums
// wherever the code lets it, run under qemu-user.
func TestOnArm64(t *testing.T) {
	t.Parallel()
	require.Long(t)
	qemu, err := exec.LookPath("qemu-aarch64")
	require.Tool(t, "qemu", err)
	for folder, run := range map[string]string{
		".":      "TestStampConforms/generic/(f64|exact|cells)/(phases|corners|wing-clipped|mixed-with-direct|flux-decades|beyond-64-bits|carries)",
		"./kern": "Test",
	} {
		program := filepath.Join(t.TempDir(), "test")
		build := exec.Command("go", "test", "-c", "-o", program, folder)
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s for arm64: %v\n%s", folder, err, out)
		}
		if out, err := exec.Command(qemu, program, "-test.run", "^("+run+")").CombinedOutput(); err != nil {
			t.Errorf("%s on arm64: %v\n%s", folder, err, out)
		}
	}
}
