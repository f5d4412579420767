package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Source is a kernel source and how it is compiled.
type Source struct {
	Name    string            // in messages: "tower.cu"
	Text    string            // the text, with #include "device.h" and the like
	Headers map[string]string // the texts that it includes, by name
	Defines []string          // macros: "FILTERS=128", or "RELU" for 1
	// MaxRegisters bounds a thread's registers; 0 leaves it to the compiler.
	MaxRegisters int
	// Precise asks for IEEE division, square roots and denormals. Otherwise the
	// fast ones are used (--use_fast_math). Sums and products are contracted to fma in both.
	Precise bool
}

// Key identifies the text, the headers and the options, with extra words, such as the
// architecture: 64 hexadecimal digits.
func (s *Source) Key(extra ...string) string {
	h := sha256.New()
	part := func(p string) {
		fmt.Fprintf(h, "%d:", len(p))
		io.WriteString(h, p)
	}
	part(s.Name)
	part(s.Text)
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		part(name)
		part(s.Headers[name])
	}
	part(fmt.Sprint(len(s.Defines), s.MaxRegisters, s.Precise))
	for _, d := range s.Defines {
		part(d)
	}
	for _, e := range extra {
		part(e)
	}
	return hex.EncodeToString(h.Sum(nil))
}
