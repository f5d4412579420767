//go:build slow && linux

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// The command with 20 kills of each cycle.
func TestTwentyKills(t *testing.T) {
	for _, cycle := range []string{"synchronous", "pipelined", "asynchronous"} {
		t.Run(cycle, func(t *testing.T) { twentyKills(t, cycle) })
	}
}

func twentyKills(t *testing.T, cycle string) {
	var stdout, stderr strings.Builder
	if err := runTrial(t.Context(), []string{
		"--kills", "20", "--iterations", "40", "--cycle", cycle, "--json", "--dir", t.TempDir(),
	}, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var r report
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Kills != 20 || 2*r.Writes < r.Kills || r.Completed < 1 {
		t.Errorf("%s", stdout.String())
	}
}
