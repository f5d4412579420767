//go:build linux

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tengen/configs"
)

// chaosReport is the result of chaos.
type chaosReport struct {
	Workers    int     `json:"workers"`
	Iterations int     `json:"iterations"` // of a run
	Cycle      string  `json:"cycle"`
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"`
	Alone      float64 `json:"undisturbed_seconds"` // of a run in one process
	Runs       int     `json:"runs"`                // all complete, and as they must be
	// that counted, as far as workers have said so
	Games        uint64         `json:"games_of_workers"`
	Disturbances map[string]int `json:"disturbances"`
	// what became of the broker's store when the trainer was killed
	Store map[string]int `json:"store"`
	Ended int            `json:"workers_ended"`
	// at the end of a run; they ended when they were asked to
	Told int `json:"workers_cut_off"`
}

func (r *chaosReport) verdict() string {
	if r.Cycle == string(configs.CycleAsynchronous) {
		return "no game is missing, and none is there or learned from twice"
	}
	return "games, network, average and optimizer equal the undisturbed run's to the bit"
}

func (r *chaosReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"%d runs of %d iterations (%s) with %d workers, disturbed for %.0f s, seed %d: %s\n",
		r.Runs, r.Iterations, r.Cycle, r.Workers, r.Seconds, r.Seed, r.verdict())
	for _, what := range slices.Sorted(maps.Keys(r.Disturbances)) {
		fmt.Fprintf(&b, "  %-40s %5d\n", what, r.Disturbances[what])
	}
	for _, what := range slices.Sorted(maps.Keys(r.Store)) {
		fmt.Fprintf(&b, "  %-40s %5d\n", "store of a dead broker "+what, r.Store[what])
	}
	fmt.Fprintf(&b, "%d games of workers counted; %d workers ended with the run, %d were cut off then and ended when asked to (a run alone: %.1f s)\n", r.Games, r.Ended, r.Told, r.Alone)
	return b.String()
}
