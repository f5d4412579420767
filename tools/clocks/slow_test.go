//go:build slow

package main

import (
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
		if err := run(t.Context(), args, &stdout, &stderr); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stderr.String())
		}
		var r report
		if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Games) != 20 || r.Overstepped != 0 || r.Moves < 4 {
			t.Errorf("%s", stdout.String())
		}
	}
}
