package compare

import (
	"tengen/run"
	"tengen/run/history"
)

// Result is the result of a run so far. Missing figures are null.
type Result struct {
	Name      string        `json:"name"`
	Folder    string        `json:"folder"`
	Game      string        `json:"game"` // "" if the configuration can't be read
	Algorithm string        `json:"algorithm"`
	State     history.State `json:"state"`
	// times started or resumed; the format keeps its former name
	Processes  int                  `json:"sittings"`
	Iterations int                  `json:"iterations"` // finished
	Of         int                  `json:"of"`         // configured
	Games      int                  `json:"games"`
	Steps      uint64               `json:"steps"`
	Seconds    float64              `json:"seconds"` // over all processes, up to the last event
	Training   *Losses              `json:"losses"`  // of the last iteration
	HeldOut    *Losses              `json:"held_out"`
	Strength   *history.Measurement `json:"strength"` // of the last evaluation
	Rating     *Rating              `json:"rating"`   // of the last rated network
	Damaged    []history.Damage     `json:"damaged,omitempty"`
}

// Losses has the losses by head. A head that the network does not have is null.
type Losses struct {
	Total  float64  `json:"total"`
	Policy *float64 `json:"policy"`
	Value  float64  `json:"value"`
	// ValueTargetEntropy is the entropy of the values' targets, which Value can't fall below;
	// null where they are no distributions, or results alone.
	ValueTargetEntropy *float64 `json:"value_target_entropy"`
	// The auxiliary heads' losses (nn.Losses); left out where the network lacks the head.
	Cells *float64 `json:"cells,omitempty"`
	Seats *float64 `json:"seats,omitempty"`
	// Belief is the loss of what the network believes of hidden facts, BeliefPrior that of
	// counting.
	Belief      *float64 `json:"belief,omitempty"`
	BeliefPrior *float64 `json:"belief_prior,omitempty"`
}

// Rating is the rating of a network relative to UCT.
type Rating struct {
	Iteration int `json:"iteration"`
	run.Elo
}

// ResultOf returns the result of a run under a name.
func ResultOf(name string, r *history.Run) Result {
	x := Result{
		Name: name, Folder: string(r.Folder), Game: r.Game(), State: r.State(),
		Processes:  r.Processes,
		Iterations: r.Iteration(), Of: r.All(), Seconds: r.Took(), Damaged: r.Damaged,
	}
	if r.Config != nil {
		x.Algorithm = string(r.Config.Algorithm)
	}
	if r.Iteration() > 0 {
		last := func(name string) float64 { v, _ := r.Iterations.Last(name); return v }
		losses := func(kind string) *Losses {
			part := func(name string) *float64 { return nonzero(last(kind + "/" + name)) }
			return &Losses{
				last(kind + "/total"), part("policy"), last(kind + "/value"),
				part("value_target_entropy"),
				part("cells"), part("seats"), part("belief"), part("belief_prior"),
			}
		}
		x.Games, x.Steps = int(last("games")), uint64(last("steps"))
		x.Training = losses("losses")
		if _, ok := r.Iterations.Last("held_out/value"); ok {
			x.HeldOut = losses("held_out")
		}
	}
	if n := len(r.Evaluations.Rows); n > 0 {
		x.Strength = r.Measured()
		for _, e := range r.Evaluations.Rows {
			if elo := r.RatingOf(e.Iteration); elo != nil {
				x.Rating = &Rating{e.Iteration, *elo}
			}
		}
	}
	return x
}

// nonzero returns nil for 0, the loss of a head that the network does not have.
func nonzero(x float64) *float64 {
	if x == 0 {
		return nil
	}
	return &x
}
