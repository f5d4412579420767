package trainer

import (
	"math"

	"tengen/configs"
	"tengen/nn"
)

// plateau is the value of training.schedule that follows the held-out loss.
const plateau = "plateau"

// leastScale is the least factor by which plateau multiplies the learning rate. Held-out losses of
// self-play do not fall for good as those of a fixed set of games do: while players grow, their
// policies and results may become harder to predict. Without a limit a long run stops learning.
const leastScale = 0.01

// The loss must fall by the share plateauThreshold to count as lower, and if it does not, the rate
// is multiplied by plateauFactor.
const (
	plateauThreshold = 0.01
	plateauFactor    = 0.1
)

// PlateauState is the state of training.schedule=plateau in a checkpoint.
type PlateauState struct {
	Best  float64 `json:"best"`  // least held-out loss since the rate was last lowered
	Since int     `json:"since"` // iterations with a held-out loss since then
	Drops int     `json:"drops"` // how often the rate was lowered
}

// note takes the held-out loss of an iteration, and reports whether the rate is lowered. The next
// comparison is with the loss at which that happened: results and policies of better players may be
// harder to predict, and the least loss of all may never come back.
func (p *PlateauState) note(loss float64, t *configs.Training) bool {
	if loss < p.Best*(1-plateauThreshold) {
		p.Best, p.Since = loss, 0
		return false
	}
	if p.Since++; p.Since < t.PlateauIterations {
		return false
	}
	p.Best, p.Since = loss, 0
	p.Drops++
	return true
}

// rateScale returns the factor of the learning rate that the held-out losses so far have led to.
func (r *runner) rateScale() float64 {
	t := &r.plan.Config.Training
	if t.Schedule != plateau || r.state.Plateau == nil {
		return 1
	}
	return math.Max(leastScale, math.Pow(plateauFactor, float64(r.state.Plateau.Drops)))
}

// notePlateau takes the held-out losses after an update, nil if there are none.
func (r *runner) notePlateau(held *nn.Losses) {
	t := &r.plan.Config.Training
	if t.Schedule != plateau || held == nil {
		return
	}
	loss := held.Total - held.L2
	if r.state.Plateau == nil {
		r.state.Plateau = &PlateauState{Best: loss}
		return
	}
	if before := r.rateScale(); r.state.Plateau.note(loss, t) && r.rateScale() < before {
		r.log.Info("the held-out loss has not fallen: the learning rate is lowered",
			"iteration", r.state.Iteration, "factor", r.rateScale(), "held_out", round(loss))
	}
}
