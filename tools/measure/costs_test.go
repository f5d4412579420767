package main

import (
	"io"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// TestCosts: whatever a small file or line holds, reading it costs no more than the bound, even if
// all that is allocated were in use at a time. TestLarge and the documented table are of larger
// ones.
func TestCosts(t *testing.T) {
	list, err := formats(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := 8 << 10
	if testing.Short() {
		n = 1 << 10
	}
	for _, f := range list {
		for _, x := range f.hostile(n) {
			data := x.data()
			testkit.CheckCost(t, f.name+": "+x.name, len(data), func() { f.read(data) })
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"--kib", "0"}, {"more"}} {
		if err := costs(t.Context(), args, io.Discard, io.Discard); err == nil ||
			!strings.Contains(err.Error(), "--kib") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
