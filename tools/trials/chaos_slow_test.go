//go:build slow && linux

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Chaos for some seconds, with each cycle.
func TestChaos(t *testing.T) {
	for _, cycle := range []string{"synchronous", "pipelined", "asynchronous"} {
		t.Run(cycle, func(t *testing.T) {
			var stdout, stderr strings.Builder
			args := []string{
				"chaos", "--minutes", "0.3", "--every", "0.5", "--workers", "2", "--iterations",
				"30", "--cycle", cycle, "--json", "--dir", t.TempDir(),
			}
			if err := trial(t.Context(), args, &stdout, &stderr); err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			var r chaosReport
			if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil || r.Runs < 1 ||
				len(r.Disturbances) < 3 {
				t.Fatalf("%v: %s", err, stdout.String())
			}
			if text := r.String(); !strings.Contains(text, r.verdict()) {
				t.Error(text)
			}
		})
	}
}
