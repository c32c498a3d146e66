//go:build !amd64

package kern

// Available returns the levels that the processor has.
func Available() []Set { return []Set{generic()} }
