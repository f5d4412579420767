package train

import (
	"fmt"
	"math"
)

// Learning-rate schedules.
const (
	ScheduleConstant = "constant" // 1 throughout
	ScheduleSteps    = "steps"    // multiplied by Factor at each of Drops
	ScheduleCosine   = "cosine"   // half a cosine from 1 to 0 at the end of the run (Loshchilov, Hutter 2017)
)

// Schedule says by what the learning rate is multiplied, by the share of the
// run that is done (Trainer.SetProgress): how many steps a run will take is not
// known while it goes on. During the first Warmup steps the rate is multiplied
// by (step + 1) / Warmup besides.
type Schedule struct {
	Kind   string    `json:"kind"`             // one of the schedules above; empty is constant
	Warmup int       `json:"warmup,omitempty"` // steps of linear warm-up
	Drops  []float64 `json:"drops,omitempty"`  // shares of the run, ascending, at which Factor applies once more
	Factor float64   `json:"factor,omitempty"`
}

// At is the multiplier for the step that follows so many steps, when a share
// done of the run, 0 to 1, is over.
func (s Schedule) At(done float64, step int) float64 {
	m := 1.0
	switch s.Kind {
	case ScheduleSteps:
		for _, at := range s.Drops {
			if done >= at {
				m *= s.Factor
			}
		}
	case ScheduleCosine:
		m = (1 + math.Cos(math.Pi*min(max(done, 0), 1))) / 2
	}
	if step < s.Warmup {
		m *= float64(step+1) / float64(s.Warmup)
	}
	return m
}

// Validate says what is wrong with the schedule, if anything.
func (s Schedule) Validate() error {
	if s.Warmup < 0 {
		return fmt.Errorf("schedule: warmup is %d; at least 0 steps are wanted", s.Warmup)
	}
	switch s.Kind {
	case "", ScheduleConstant, ScheduleCosine:
	case ScheduleSteps:
		for i, at := range s.Drops {
			if !(at >= 0) || i > 0 && !(at > s.Drops[i-1]) {
				return fmt.Errorf("schedule: drops are %v; shares of the run in ascending order are wanted", s.Drops)
			}
		}
		if !(s.Factor > 0 && s.Factor <= 1) {
			return fmt.Errorf("schedule: factor is %g; above 0 and at most 1 is wanted", s.Factor)
		}
	default:
		return fmt.Errorf("schedule: no schedule is called %q; there are constant, steps, cosine", s.Kind)
	}
	return nil
}
