package train

import (
	"fmt"
	"math"
)

// ScheduleKind is how the learning rate changes over a run.
type ScheduleKind string

// The kinds of schedules.
const (
	ScheduleConstant ScheduleKind = "constant" // 1 throughout
	// half a cosine, from 1 to 0 at the end of the run (Loshchilov, Hutter 2017)
	ScheduleCosine ScheduleKind = "cosine"
)

// Schedule is a multiplier of the learning rate that depends on the share of the run that
// is done (Trainer.SetProgress), since the total number of steps is not known in advance.
// During the first Warmup steps the rate is also multiplied by (step + 1) / Warmup.
type Schedule struct {
	Kind   ScheduleKind `json:"kind"`             // one of the schedules above; empty is constant
	Warmup int          `json:"warmup,omitempty"` // steps of linear warm-up
}

// At returns the multiplier for a step, after step earlier ones, when the share done of
// the run, 0 to 1, is over.
func (s Schedule) At(done float64, step int) float64 {
	m := 1.0
	if s.Kind == ScheduleCosine {
		m = (1 + math.Cos(math.Pi*min(max(done, 0), 1))) / 2
	}
	if step < s.Warmup {
		m *= float64(step+1) / float64(s.Warmup)
	}
	return m
}

// Validate returns an error that says what is wrong with the schedule, or nil.
func (s Schedule) Validate() error {
	if s.Warmup < 0 {
		return fmt.Errorf("schedule: warmup is %d; at least 0 steps are wanted", s.Warmup)
	}
	switch s.Kind {
	case "", ScheduleConstant, ScheduleCosine:
	default:
		return fmt.Errorf("schedule: no schedule is called %q; there are constant and cosine",
			s.Kind)
	}
	return nil
}
