//go:build slow && linux

package main

import (
	"encoding/json"
	"errors"
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
	if err := killloop(t.Context(), []string{
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

// TestFullDisk runs the command.
func TestFullDisk(t *testing.T) {
	var out strings.Builder
	err := fulldisk(t.Context(), nil, &out, &out)
	if errors.Is(err, errMount) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}
