package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A tiny run of each cycle, on a device that is fast enough for it.
func TestBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays for seconds")
	}
	var out, log strings.Builder
	args := []string{"--json", "--config", "quick", "--set", "game=tictactoe", "--set",
		"training.games=8", "--set", "training.batch=8",
		"--set", "search.simulations=8", "--set", "warm_start.initial_games=0", "--set",
		"warm_start.schedule=none", "--set", "selfplay.workers=1", "--set", "replay.games=100"}
	var r busyReport
	for minutes := 0.02; ; minutes *= 8 { // a loaded machine may have done nothing in a short time
		out.Reset()
		if err := busy(t.Context(), append(args, "--minutes", fmt.Sprint(minutes)), &out,
			&log); err != nil {
			t.Fatal(err, log.String())
		}
		r = busyReport{}
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil || len(r.Cycles) != 3 {
			t.Fatalf("%v: %s", err, out.String())
		}
		if minutes > 1 ||
			!slices.ContainsFunc(r.Cycles, func(c *cycleReport) bool {
				return c.Evaluations == 0
			}) {
			break
		}
	}
	for _, c := range r.Cycles {
		if c.Evaluations == 0 || c.Rows == 0 || c.Batches == 0 || !(c.Busy > 0 && c.Busy <= 1) ||
			!(c.Work > 0 && c.Work <= c.Busy) || c.Seconds < 1 {
			t.Errorf("%+v", c)
		}
	}
	if text := r.String(); strings.Count(text, "\n") != 5 ||
		!strings.Contains(text, "asynchronous") {
		t.Errorf("it is printed as\n%s", text)
	}
	r.Cycles[2].Busy = 0.899
	if err := r.verdict(90); err == nil || !strings.Contains(err.Error(), "89.9 %") {
		t.Errorf("the verdict is %v", err)
	}
	if err := r.verdict(89); err != nil {
		t.Errorf("the verdict is %v", err)
	}
}

func TestUsage(t *testing.T) {
	var out strings.Builder
	for _, args := range [][]string{
		{"--minutes", "0"}, {"--slower", "-1"}, {"more"}, {"--block", "0"}, {"--calls", "-1s"},
		{"--config", "none-such"},
	} {
		if err := busy(t.Context(), args, &out, &out); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
