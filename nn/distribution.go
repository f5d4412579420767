package nn

import "math"

// Distributions evaluates one observation, [Planes, Height, Width], and returns the probability
// of each utility of Support for each player, [Players][len(Support)]. It returns nil if the value
// head is not categorical. It allocates.
func (e *CPU) Distributions(observation []float32) [][]float64 {
	s := &e.w.spec
	if s.Value != ValueCategorical {
		return nil
	}
	list := make([][]float64, s.Players)
	e.observe = func(player int, logits []float32) { list[player] = softmax(logits) }
	b := e.NewBatch(1)
	b.N = copy(b.Observations, observation) / len(b.Observations)
	_ = e.Evaluate(b) // never fails
	e.observe = nil
	return list
}

// softmax returns the probabilities of logits.
func softmax(logits []float32) []float64 {
	top := math.Inf(-1)
	for _, l := range logits {
		top = max(top, float64(l))
	}
	list, sum := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		list[i] = math.Exp(float64(l) - top)
		sum += list[i]
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}
