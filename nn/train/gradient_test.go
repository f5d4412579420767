package train

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

const seed = 1

// referenceLoss computes the loss of the package comment, without L2, from the reference network.
func referenceLoss(
	n *nntest.Reference, b *Batch, rows int, training bool, policyWeight, valueWeight float64,
) (total, policy, value float64) {
	s := n.Spec
	out := n.Forward(nntest.Widen(b.Observations), rows, training)
	mass := 0.0
	for r := range rows {
		if s.Policy != nn.PolicyNone {
			for a, p := range nntest.Softmax(out.Policy[r*s.Actions : (r+1)*s.Actions]) {
				policy -= float64(b.PolicyWeight[r]) *
					float64(b.Policy[r*s.Actions+a]) * math.Log(p)
			}
			mass += float64(b.PolicyWeight[r])
		}
		for p := range s.Players {
			at := (r*s.Players + p) * s.Outputs()
			if s.Value == nn.ValueLinear {
				d := out.Values[r*s.Players+p] - float64(b.Value[at])
				value += d * d
				continue
			}
			for i, q := range nntest.Softmax(out.ValueLogits[at : at+s.Outputs()]) {
				value -= float64(b.Value[at+i]) * math.Log(q)
			}
		}
	}
	if mass > 0 {
		policy /= mass
	}
	value /= float64(rows * s.Players)
	cells, seats := referenceAuxiliary(s, out, b, rows)
	belief, _, _ := referenceBelief(s, out, b)
	return policyWeight*policy + valueWeight*value + labelWeight*(cells+seats) +
		beliefWeight*belief, policy, value
}

// loadInto fills a graph's inputs as GraphTrainer.load does.
func loadInto[T float32 | float64](
	n *network[T], b *Batch, rows int, policyWeight, valueWeight float64,
) {
	length := n.spec.Planes * n.spec.Cells()
	mass := b.PolicyMass()
	for r := range rows {
		n.load(r, b.Observations[r*length:][:length])
		n.valueWeight[r] = T(valueWeight / float64(rows*n.spec.Players))
		if n.policyWeight != nil {
			n.policyWeight[r] = T(policyWeight * float64(b.PolicyWeight[r]) / mass)
		}
	}
	for i, v := range b.Value {
		n.valueTarget[i] = T(v)
	}
	for i := range n.policyTarget {
		n.policyTarget[i] = T(b.Policy[i])
	}
	n.loadAuxiliary(b, 0, rows, Config{LabelWeight: labelWeight, BeliefWeight: beliefWeight})
}

// TestGradients compares gradients of the float64 graph with central differences of the
// reference network's loss, which shares no code with it, and the float32 graph's gradients
// with the float64 graph's.
func TestGradients(t *testing.T) {
	const policyWeight, valueWeight = 1.5, 0.7
	for index, spec := range nntest.AllSpecs() {
		for _, rows := range []int{3, chunk + 2} {
			if rows > chunk && spec.Cells()*spec.Filters > 100 {
				continue // the reference network would take long
			}
			t.Run(fmt.Sprintf("%d rows, %+v", rows, spec), func(t *testing.T) {
				rng := random.New(seed, random.Test, uint64(index))
				p := nntest.Random(spec, rng)
				b := RandomBatch(spec, rows, rng)
				double := newStore[float64](p)
				n, err := build(double, rows, 2, true)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second run must not depend on the first
					loadInto(n, b, rows, policyWeight, valueWeight)
					if err := n.run(); err != nil {
						t.Fatal(err)
					}
				}
				single := newStore[float32](p)
				m, err := build(single, rows, 2, true)
				if err != nil {
					t.Fatal(err)
				}
				loadInto(m, b, rows, policyWeight, valueWeight)
				if err := m.run(); err != nil {
					t.Fatal(err)
				}

				reference := nntest.NewReference(p)
				norm := n.gradientNorm(2)
				if norm == 0 || math.Abs(norm-m.gradientNorm(2)) > 1e-3*norm {
					t.Errorf("the gradient's norm is %g in float64, %g in float32",
						norm, m.gradientNorm(2))
				}
				for i, l := range double.parameters {
					g64, g32 := data[float64](n.gradients[i].Value()),
						data[float32](m.gradients[i].Value())
					for j := range g64 {
						if math.Abs(g64[j]-float64(g32[j])) > 2e-4*(norm+1) {
							t.Fatalf("%s[%d]: gradient %g in float64, %g in float32",
								l.name, j, g64[j], g32[j])
						}
					}
					for range 3 {
						j := rng.IntN(len(g64))
						each := len(g64) / len(l.parts)
						tensor := reference.Tensors[p.Tensors[l.parts[j/each]].Name]
						at := &tensor[j%each]
						difference := func(h float64) float64 {
							x := *at
							*at = x + h
							above, _, _ := referenceLoss(reference, b, rows, true, policyWeight,
								valueWeight)
							*at = x - h
							below, _, _ := referenceLoss(reference, b, rows, true, policyWeight,
								valueWeight)
							*at = x
							return (above - below) / (2 * h)
						}
						// If a ReLU has its kink inside the interval, the difference is wrong; a
						// smaller interval rarely contains one.
						close := func(d float64) bool {
							return math.Abs(d-g64[j]) <= 1e-5*(1+math.Abs(g64[j]))
						}
						if d := difference(1e-5); !close(d) {
							if d := difference(1e-7); !close(d) {
								t.Errorf("%s[%d]: gradient %.10g, the difference quotient is %.10g",
									l.name, j, g64[j], d)
							}
						}
					}
				}
				for _, name := range []string{"stem"} {
					out := reference.Forward(nntest.Widen(b.Observations), rows, true)
					for c := range spec.Filters {
						if got, want := n.batch[name].mean[c],
							out.Mean[name][c]; math.Abs(got-want) > 1e-10 {
							t.Errorf("%s: batch mean %d is %g, want %g", name, c, got, want)
						}
						if got, want := n.batch[name].variance[c],
							out.Variance[name][c]; math.Abs(got-want) > 1e-10 {
							t.Errorf("%s: batch variance %d is %g, want %g", name, c, got, want)
						}
					}
				}
			})
		}
	}
}
