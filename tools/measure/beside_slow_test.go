//go:build slow && linux

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Beside with a small network.
func TestBeside(t *testing.T) {
	var stdout, stderr strings.Builder
	args := []string{"beside", "--rounds", "1", "--iterations", "2", "--json", "--dir", t.TempDir(),
		"--set", "training.games=40", "--set", "network.blocks=1", "--set", "network.filters=8",
		"--set", "training.max_steps=5"}
	if err := measure(t.Context(), args, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var r besideReport
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil || len(r.Rounds) != 1 ||
		!(r.Ratio > 0) || !(r.Time > 0) || r.Rounds[0].Beside.Games == 0 {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	if text := r.String(); !strings.Contains(text, "the same to the bit") {
		t.Error(text)
	}
}
