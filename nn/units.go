package nn

import (
	"math"
	"strings"
)

// deadBelow is the magnitude below which the weights of a unit are taken to do nothing.
const deadBelow = 1e-5

// DeadUnits returns the number of hidden units of the value heads, and how many of them are dead: all
// weights that lead to the unit, or all that lead from it, are below 1e-5, so that it adds the same to
// every value. L2 regularization with Adam makes units die, since what Adam subtracts does not shrink
// with the weight.
func (p *Params) DeadUnits() (dead, of int) {
	for _, t := range p.Tensors {
		name, ok := strings.CutSuffix(t.Name, ".hidden.weight")
		if !ok || !strings.HasPrefix(name, "value.") {
			continue
		}
		units, inputs := t.Shape[0], t.Shape[1]
		from := p.Get(name + ".output.weight")
		outputs := from.Shape[0]
		for u := range units {
			into, out := 0.0, 0.0
			for _, w := range t.Data[u*inputs:][:inputs] {
				into = max(into, math.Abs(float64(w)))
			}
			for o := range outputs {
				out = max(out, math.Abs(float64(from.Data[o*units+u])))
			}
			if of++; into < deadBelow || out < deadBelow {
				dead++
			}
		}
	}
	return dead, of
}
