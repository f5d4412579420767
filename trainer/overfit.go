package trainer

import (
	"fmt"
	"math"

	"tengen/nn"
)

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
