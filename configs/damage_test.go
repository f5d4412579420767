package configs

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A configuration that is truncated at any byte, or has a bit flipped in it, is
// read, or refused with one line that gives its place.
func TestFileAtEveryByte(t *testing.T) {
	c := Default()
	whole, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	read := func(text []byte) {
		t.Helper()
		r := &Resolved{Config: Default(), Sources: map[string]Source{}}
		err := r.readFile("f.yaml", text)
		if err == nil {
			return
		}
		refused++
		if s := err.Error(); !strings.HasPrefix(s, "f.yaml:") || strings.Contains(s, "\n") {
			t.Fatalf("%q: %q is not one line with its place", text, s)
		}
	}
	for n := range whole {
		read(whole[:n])
		damaged := bytes.Clone(whole)
		damaged[n] ^= 1 << (n % 8)
		read(damaged)
	}
	if refused < len(whole)/2 {
		t.Errorf("only %d of %d damaged files are refused", refused, 2*len(whole))
	}
}

// Reading a short file allocates little memory.
func TestFileTakesLittleMemory(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n",
			i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8))
	}
	for name, text := range map[string]string{
		"aliases of aliases": laughs.String(),
		"deep lists":         strings.Repeat("[", 2_000),
		"deep blocks":        strings.Repeat("- ", 2_000),
		"deep maps":          strings.Repeat("{a: ", 2_000),
		"a long number":      "seed: " + strings.Repeat("9", 100_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := &Resolved{Config: Default(), Sources: map[string]Source{}}
		err := r.readFile("f.yaml", []byte(text))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d bytes", name, taken, len(text))
		}
	}
}
