package trainer

import (
	"fmt"
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

// fitSpan is the number of iterations whose losses are averaged before they are compared with
// those of as many before.
const fitSpan = 4

// FitState is what is remembered of the losses of values, to see whether results are learned by
// heart.
type FitState struct {
	// Training and HeldOut are the value losses of the last iterations, at most 2·fitSpan, the
	// newest last, each less its target's entropy.
	Training []float64 `json:"training"`
	HeldOut  []float64 `json:"held_out"`
	Warned   bool      `json:"warned,omitempty"` // of what is still the case
	// a warning has said that the losses lie far apart, which is still the case
	Apart bool `json:"apart,omitempty"`
}

// note takes the losses of an update, and reports whether to warn: the held-out loss has risen
// while that of training has fallen, and this was not said since it began.
func (f *FitState) note(training, held float64) bool {
	last := func(list []float64, x float64) []float64 {
		list = append(list, x)
		return list[max(0, len(list)-2*fitSpan):]
	}
	f.Training, f.HeldOut = last(f.Training, training), last(f.HeldOut, held)
	if len(f.Training) < 2*fitSpan {
		return false
	}
	fell, rose := -trend(f.Training), trend(f.HeldOut)
	switch {
	case rose <= 0 || fell <= 0:
		f.Warned = false
	case rose > fitErrors && fell > fitErrors && !f.Warned:
		f.Warned = true
		return true
	}
	return false
}

// Losses lie far apart if the mean of the held-out ones is above apartFactor times that of
// training, and by more than apartGap nats.
const (
	apartFactor = 1.5
	apartGap    = 0.1
)

// apart reports, after note, whether to warn that the losses lie far apart: on what was not trained
// on, the network knows much less. It is said once until they no longer do.
func (f *FitState) apart() bool {
	if len(f.Training) < 2*fitSpan {
		return false
	}
	training, held := mean(f.Training[fitSpan:]), mean(f.HeldOut[fitSpan:])
	if far := held > apartFactor*training && held > training+apartGap; far == f.Apart {
		return false
	}
	f.Apart = !f.Apart
	return f.Apart
}

// mean returns the mean of a list.
func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// fitErrors is the number of standard errors by which means must differ.
const fitErrors = 2

// trend returns the difference between the means of the second and the first half of a list, in
// standard errors.
func trend(list []float64) float64 {
	n := len(list) / 2
	moments := func(x []float64) (mean, variance float64) {
		for _, v := range x {
			mean += v / float64(n)
		}
		for _, v := range x {
			variance += (v - mean) * (v - mean) / float64(n-1)
		}
		return mean, variance
	}
	a, va := moments(list[:n])
	b, vb := moments(list[n:])
	return (b - a) / math.Sqrt((va+vb)/float64(n)+math.SmallestNonzeroFloat64)
}

// noteFit takes the losses of an update, and returns a warning, "" if there is none. held is nil
// without held-out losses.
func (r *runner) noteFit(training, held *nn.Losses) string {
	if held == nil {
		return ""
	}
	if r.state.Fit == nil {
		r.state.Fit = new(FitState)
	}
	f := r.state.Fit
	rises := f.note(training.Value-training.ValueTargetEntropy, held.Value-held.ValueTargetEntropy)
	what := ""
	switch apart := f.apart(); {
	case rises:
		what = fmt.Sprintf("over %d iterations the value loss on held-out games rose from %s to %s, while that of training fell from %s to %s",
			2*fitSpan, fine(mean(f.HeldOut[:fitSpan])), fine(mean(f.HeldOut[fitSpan:])),
			fine(mean(f.Training[:fitSpan])), fine(mean(f.Training[fitSpan:])))
	case apart:
		what = fmt.Sprintf(
			"over %d iterations the value loss on held-out games is %s, that of training %s",
			fitSpan, fine(mean(f.HeldOut[fitSpan:])), fine(mean(f.Training[fitSpan:])))
	default:
		return ""
	}
	return "the network learns results by heart: " + what + "; " +
		"fewer steps an update (training.max_steps), a share of the search's value in the target (training.value_mix), a larger window (replay.games), more training.weight_decay, or l2 with sgd, or a smaller network help"
}
