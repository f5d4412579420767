//go:build slow

package main

import (
	"bytes"
	"testing"
)

// TestLarge: no format's hostile files of 1 or 8 MiB take more memory or time than the bound.
func TestLarge(t *testing.T) {
	list, err := formats(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, mib := range []int{1, 8} {
		var text bytes.Buffer
		if over := table(&text, list, mib<<20); len(over) > 0 {
			t.Errorf("%d MiB of %q cost more than the bound", mib, over)
		}
		t.Logf("%d MiB:\n%s", mib, text.String())
	}
}
