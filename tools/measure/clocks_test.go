package main

import (
	"strings"
	"testing"

	"tengen/clock"
)

// The commands that tell of clocks are what the engine reads.
func TestCommands(t *testing.T) {
	for text, want := range map[string]string{
		"10s":        "kata-time_settings absolute 10",
		"10s+200ms":  "kata-time_settings fischer 10 0.2",
		"1m+5x2s":    "kata-time_settings byoyomi 60 2 5",
		"0s+30s/15":  "kata-time_settings canadian 0 30 15",
		"1m0s+5m/15": "kata-time_settings canadian 60 300 15",
	} {
		s, err := clock.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := timeSettings(s); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	s, _ := clock.Parse("1s+5x2s")
	c := clock.New(s)
	if got, want := timeLeft(0, c.Left()), "time_left black 1.000 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.Spend(4e9)
	if got, want := timeLeft(1, c.Left()), "time_left white 2.000 4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A clockReport counts clocks, not games, and fails if one was overstepped.
func TestReport(t *testing.T) {
	o := clockOptions{atOnce: 2}
	o.clock, _ = clock.Parse("10s")
	r := newReport(&o)
	r.add(&timedGame{
		Number: 1, Moves: 30, Used: [2]float64{8, 6}, Left: [2]float64{2, 4}, Longest: 1,
	})
	r.add(&timedGame{
		Number: 0, Moves: 40, Used: [2]float64{11, 7}, Left: [2]float64{0, 3}, Longest: 2,
		Overstepped: [2]bool{true, false},
	})
	r.finish()
	if r.verdict() == nil || r.Overstepped != 1 || r.LeastLeft != 0 || r.Moves != 35 ||
		r.Longest != 2 || r.Used < 0.79 || r.Used > 0.81 || r.Games[0].Number != 0 {
		t.Errorf("%+v", r)
	}
	if text := r.String(); !strings.Contains(text, "overstepped: 1 of 4 clocks") ||
		!strings.Contains(text, "used: 80 % of the main time; least left: 0.00 s") {
		t.Error(text)
	}
}
