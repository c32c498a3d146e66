package vk

import (
	"strconv"
	"strings"
)

// Message is one warning or error that the loader, a layer or a driver gave through VK_EXT_debug_utils.
type Message struct {
	Error      bool
	Validation bool // a finding of the validation layer, not a remark of the loader
	ID, Text   string
}

func (m Message) String() string { return m.ID + ": " + m.Text }

// Messages takes what was said since the last call.
func (in *Instance) Messages() []Message { return parseMessages(in.nativeMessages()) }

// Bits of VkDebugUtilsMessageSeverityFlagBitsEXT and VkDebugUtilsMessageTypeFlagBitsEXT.
const (
	severityError  = 0x1000
	typeValidation = 0x2
)

func parseMessages(text string) (out []Message) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if len(f) != 4 {
			continue
		}
		severity, _ := strconv.Atoi(f[0])
		types, _ := strconv.Atoi(f[1])
		out = append(out, Message{Error: severity&severityError != 0, Validation: types&typeValidation != 0, ID: f[2], Text: f[3]})
	}
	return out
}
