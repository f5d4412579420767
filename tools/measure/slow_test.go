//go:build slow

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The command with a few short games, all at once.
func TestTwentyGames(t *testing.T) {
	for _, args := range [][]string{
		{"--clock", "5s"},
		{"--clock", "1s+5x1s", "--time-left"},
	} {
		var stdout, stderr strings.Builder
		args = append([]string{
			"--games", "20", "--at-once", "20", "--json", "--dir", t.TempDir(),
		}, args...)
		if err := clocks(t.Context(), args, &stdout, &stderr); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stderr.String())
		}
		var r clockReport
		if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Games) != 20 || r.Overstepped != 0 || r.Moves < 4 {
			t.Errorf("%s", stdout.String())
		}
	}
}

// TestLarge: no format's hostile files of 1 or 8 MiB take more memory or time than the bound.
func TestLarge(t *testing.T) {
	list, err := formats(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, mib := range []int{1, 8} {
		var text bytes.Buffer
		if over := costTable(&text, list, mib<<20); len(over) > 0 {
			t.Errorf("%d MiB of %q cost more than the bound", mib, over)
		}
		t.Logf("%d MiB:\n%s", mib, text.String())
	}
}
