package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Source is the source of kernels and the options for compiling it.
type Source struct {
	Name    string            // in messages: "tower.cu"
	Text    string            // the text, with #include "device.h" and the like
	Headers map[string]string // texts of the included headers, by name
	Defines []string          // macros: "FILTERS=128", or "RELU" for 1
	// MaxRegisters limits the registers per thread; 0 leaves them to the compiler.
	MaxRegisters int
	// Precise requests IEEE division, square roots and denormals. Otherwise the fast variants are
	// used (--use_fast_math). Products and sums are contracted to fma in both.
	Precise bool
}

// Key returns a hash of the text, the headers, the options and extra words, such as the
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
