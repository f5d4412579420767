package main

import (
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"tengen/configs"
	"tengen/nn/backend/modelled"
)

// report is what busy prints.
type report struct {
	Device  string         `json:"device"`
	Model   modelled.Model `json:"-"`
	Minutes float64        `json:"minutes"` // of each cycle, at least
	Cycles  []*cycleReport `json:"cycles"`
}

// cycleReport is the measurement of a cycle.
type cycleReport struct {
	Cycle string `json:"cycle"`
	modelled.Usage
	Workers     int     `json:"workers"`
	GamesAtOnce int     `json:"games_at_once"` // at most
	Iterations  int     `json:"iterations"`
	Games       uint64  `json:"games"`
	Evaluations uint64  `json:"evaluations"`
	CacheHits   uint64  `json:"cache_hits"`
	PerSecond   float64 `json:"evaluations_per_second"`
	Batch       float64 `json:"mean_batch"`
	// time of cores a second that this process had; 0: unknown
	Cores float64 `json:"cores"`
	// time of a core in all ÷ evaluations and hits of the cache
	Microseconds float64 `json:"microseconds_per_evaluation"`
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Device)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "cycle\tbusy\twork\tof it training\tevaluations/s\ta batch\ta launch\titerations\tseconds\tcores of %d\tµs of a core\n", runtime.GOMAXPROCS(0))
	for _, c := range r.Cycles {
		fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%.1f %%\t%.0f\t%.0f\t%.0f\t%d\t%.0f\t%.2f\t%.2f\n",
			c.Cycle, 100*c.Busy, 100*c.Work, 100*c.Training,
			c.PerSecond, c.Batch, float64(c.Rows)/float64(max(1, c.Batches)), c.Iterations,
			c.Seconds, c.Cores, c.Microseconds)
	}
	w.Flush()
	return b.String()
}

// verdict returns an error if an asynchronous cycle did not keep the device busy.
func (r *report) verdict(least float64) error {
	for _, c := range r.Cycles {
		if c.Cycle == string(configs.CycleAsynchronous) && 100*c.Busy < least {
			return fmt.Errorf("an asynchronous cycle kept the device busy for %.1f %% of the time; %g %% are wanted", 100*c.Busy, least)
		}
	}
	return nil
}
