package compare

import (
	"tengen/run"
	"tengen/run/history"
)

// Result is what came of a run so far. Figures that it does not have are null.
type Result struct {
	Name       string               `json:"name"`
	Folder     string               `json:"folder"`
	Game       string               `json:"game"` // "" where the configuration can't be read
	Algorithm  string               `json:"algorithm"`
	State      history.State        `json:"state"`
	Sittings   int                  `json:"sittings"`
	Iterations int                  `json:"iterations"` // finished
	Of         int                  `json:"of"`         // to be made
	Games      int                  `json:"games"`
	Steps      uint64               `json:"steps"`
	Seconds    float64              `json:"seconds"` // over all sittings, up to what was told last
	Training   *Losses              `json:"losses"`  // of the last iteration
	HeldOut    *Losses              `json:"held_out"`
	Strength   *history.Measurement `json:"strength"` // of the network measured last
	Rating     *Rating              `json:"rating"`   // of the network rated last
	Damaged    []history.Damage     `json:"damaged,omitempty"`
}

// Losses are the losses by head; a head that the network has not is null.
type Losses struct {
	Total  float64  `json:"total"`
	Policy *float64 `json:"policy"`
	Value  float64  `json:"value"`
}

// Rating is a rating in Elo over UCT with its interval.
type Rating struct {
	Iteration int `json:"iteration"`
	run.Elo
}

func resultOf(name string, r *history.Run) Result {
	x := Result{
		Name: name, Folder: string(r.Folder), Game: r.Game(), State: r.State(), Sittings: r.Sittings,
		Iterations: r.Iteration(), Of: r.All(), Damaged: r.Damaged,
	}
	if r.Config != nil {
		x.Algorithm = string(r.Config.Algorithm)
	}
	if r.Iteration() > 0 {
		last := func(name string) float64 { v, _ := r.Iterations.Last(name); return v }
		losses := func(kind string) *Losses {
			return &Losses{last(kind + "/total"), nonzero(last(kind + "/policy")), last(kind + "/value")}
		}
		x.Games, x.Steps, x.Seconds = int(last("games")), uint64(last("steps")), last("elapsed_seconds")
		x.Training = losses("losses")
		if _, ok := r.Iterations.Last("held_out/value"); ok {
			x.HeldOut = losses("held_out")
		}
	}
	if n := len(r.Evaluations.Rows); n > 0 {
		x.Strength = r.Measured()
		x.Seconds = max(x.Seconds, r.Evaluations.Rows[n-1].Strength.Elapsed)
		for _, e := range r.Evaluations.Rows {
			if elo := r.RatingOf(e.Iteration); elo != nil {
				x.Rating = &Rating{e.Iteration, *elo}
			}
		}
	}
	return x
}

// nonzero is nil for the loss of a head that there is not.
func nonzero(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return &x
}
