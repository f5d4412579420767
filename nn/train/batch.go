package train

import (
	"fmt"
	"math"

	"tengen/nn"
)

// Batch holds N training rows.
type Batch struct {
	Observations []float32 // [N, Planes, Height, Width]
	Policy       []float32 // [N, Actions] target distributions; unused without a policy head
	PolicyWeight []float32 // [N] weight of the row in the policy loss, 0 if it has no policy target
	// [N, Players, Outputs] target distributions over the support, or utilities for a linear head
	Value []float32

	// Targets of the auxiliary heads (nn.Auxiliary), empty for those that the network lacks.
	Cells           []int8    // [N, targets, Height, Width] classes of targets of cells, or NoClass
	Seats           []float32 // [N, Players, Auxiliary.Seats]
	AuxiliaryWeight []float32 // [N] weight of the row in the losses of both, 0 if it has no targets
	Facts           []int8    // [N, facts] the class of each fact of Auxiliary.Belief, or NoClass
	// [N, classes of all facts] probability of each class without a belief; of a fact with a class
	// they sum to 1
	Priors     []float32
	FactWeight []float32 // [N] weight of the row in the loss of the belief, 0 if it has no facts
}

// NewBatch returns a batch of n rows of zeros.
func NewBatch(spec nn.Spec, n int) *Batch {
	b := &Batch{
		Observations: make([]float32, n*spec.Planes*spec.Cells()),
		Value:        make([]float32, n*spec.Players*spec.Outputs()),
	}
	if spec.Policy != nn.PolicyNone {
		b.Policy = make([]float32, n*spec.Actions)
		b.PolicyWeight = make([]float32, n)
	}
	b.newAuxiliary(spec, n)
	return b
}

// Numbers returns the places of the batch's arrays of numbers, and Classes of those of classes,
// both always in the same order.
func (b *Batch) Numbers() [8]*[]float32 {
	return [8]*[]float32{
		&b.Observations, &b.Policy, &b.PolicyWeight, &b.Value, &b.Seats, &b.AuxiliaryWeight,
		&b.Priors, &b.FactWeight,
	}
}

// Classes is described at Numbers.
func (b *Batch) Classes() [2]*[]int8 { return [2]*[]int8{&b.Cells, &b.Facts} }

// Set copies the rows of another batch of the same size.
func (b *Batch) Set(from *Batch) {
	numbers, classes := b.Numbers(), b.Classes()
	for i, x := range from.Numbers() {
		copy(*numbers[i], *x)
	}
	for i, x := range from.Classes() {
		copy(*classes[i], *x)
	}
}

// Repeat fills the batch with the rows of a smaller one, again and again.
func (b *Batch) Repeat(from *Batch) {
	numbers, classes := b.Numbers(), b.Classes()
	for i, x := range from.Numbers() {
		repeat(*numbers[i], *x)
	}
	for i, x := range from.Classes() {
		repeat(*classes[i], *x)
	}
}

func repeat[T any](to, from []T) {
	for len(to) > 0 && len(from) > 0 {
		to = to[copy(to, from):]
	}
}

// Bytes returns the size of the batch's arrays.
func (b *Batch) Bytes() int {
	n := 0
	for _, x := range b.Numbers() {
		n += 4 * len(*x)
	}
	for _, x := range b.Classes() {
		n += len(*x)
	}
	return n
}

// Rows returns N. It returns an error if the lengths do not fit the network and one
// another, or a policy weight is negative or not finite.
func (b *Batch) Rows(spec nn.Spec) (int, error) {
	n := len(b.Observations) / (spec.Planes * spec.Cells())
	check := func(name string, got, want int) error {
		if got != want {
			return fmt.Errorf("batch: %d numbers of %s, want %d for %d rows", got, name, want, n)
		}
		return nil
	}
	if err := check("observations", len(b.Observations), n*spec.Planes*spec.Cells()); err != nil {
		return 0, err
	}
	if err := check("value targets", len(b.Value), n*spec.Players*spec.Outputs()); err != nil {
		return 0, err
	}
	if err := b.checkAuxiliary(spec, n); err != nil {
		return 0, err
	}
	if spec.Policy == nn.PolicyNone {
		return n, nil
	}
	if err := check("policy targets", len(b.Policy), n*spec.Actions); err != nil {
		return 0, err
	}
	if err := check("policy weights", len(b.PolicyWeight), n); err != nil {
		return 0, err
	}
	return n, checkWeights("policy", b.PolicyWeight)
}

// PolicyMass returns the sum of PolicyWeight, by which the policy loss is divided.
func (b *Batch) PolicyMass() float64 { return mass(b.PolicyWeight) }

// AuxiliaryMass returns the same of AuxiliaryWeight, FactMass of FactWeight.
func (b *Batch) AuxiliaryMass() float64 { return mass(b.AuxiliaryWeight) }

// FactMass is described at AuxiliaryMass.
func (b *Batch) FactMass() float64 { return mass(b.FactWeight) }

// valueEntropy returns the sum over rows of the mean entropy of the players' value targets, in
// nats. It is 0 for a linear head, whose targets are no distributions.
func (b *Batch) valueEntropy(spec nn.Spec, from, rows int) float64 {
	n := spec.Outputs()
	if n == 1 {
		return 0
	}
	sum := 0.0
	for i := from * spec.Players; i < (from+rows)*spec.Players; i++ {
		sum += entropy(b.Value[i*n:][:n])
	}
	return sum / float64(spec.Players)
}

// measure accumulates the sums behind Losses over several runs of a graph.
type measure struct {
	policyWeight, policy, accuracy, entropy, target float64
	value, valueTarget                              float64
	rows                                            int
	calibration                                     nn.Calibration
	auxiliary                                       auxiliaryMeasure
}

// add adds rows 0 to rows-1 of n's last run, which are the batch's rows from from on.
func (m *measure) add(workers int, n *network[float32], rows int, b *Batch, from int) {
	for r := range rows {
		m.value += n.valueLoss.rowLosses()[r] / float64(n.spec.Players)
	}
	m.valueTarget += b.valueEntropy(n.spec, from, rows)
	m.rows += rows
	m.auxiliary.add(n, rows, b, from)
	addValues(&m.calibration, n, rows, b.Value[from*n.spec.Players*n.spec.Outputs():])
	if n.policyLoss == nil {
		return
	}
	actions := n.spec.Actions
	probabilities := n.policyLoss.(*crossEntropy[float32]).p
	logits := data[float32](n.policyLogits.Value())
	type row struct {
		entropy, target float64
		hit             bool
	}
	measured := make([]row, rows)
	eachChunk(workers, rows, func(_, _, first, to int) {
		for r := first; r < to; r++ {
			if b.PolicyWeight[from+r] > 0 {
				target := b.Policy[(from+r)*actions:][:actions]
				measured[r] = row{
					entropy(probabilities[r*actions:][:actions]), entropy(target),
					argmax(logits[r*actions:][:actions]) == argmax(target),
				}
			}
		}
	})
	for r, got := range measured {
		w := float64(b.PolicyWeight[from+r])
		if w == 0 {
			continue
		}
		m.policyWeight += w
		m.policy += w * n.policyLoss.rowLosses()[r]
		m.entropy += w * got.entropy
		m.target += w * got.target
		if got.hit {
			m.accuracy += w
		}
	}
}

// losses returns the means; squares is Σ w².
func (m *measure) losses(c Config, squares float64) nn.Losses {
	l := nn.Losses{
		Value: m.value / float64(m.rows), ValueTargetEntropy: m.valueTarget / float64(m.rows),
		L2: c.L2 * squares, WeightNorm: math.Sqrt(squares),
		ValueCalibration: m.calibration.Error(), Calibration: m.calibration,
	}
	if m.policyWeight > 0 {
		l.Policy = m.policy / m.policyWeight
		l.PolicyAccuracy = m.accuracy / m.policyWeight
		l.PolicyEntropy = m.entropy / m.policyWeight
		l.TargetEntropy = m.target / m.policyWeight
	}
	l.Total = c.PolicyWeight*l.Policy + c.ValueWeight*l.Value + l.L2
	m.auxiliary.set(&l, c)
	return l
}

func entropy(p []float32) float64 {
	h := 0.0
	for _, v := range p {
		if v > 0 {
			h -= float64(v) * math.Log(float64(v))
		}
	}
	return h
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// addValues counts in c the values of rows 0 to rows-1 of the network's last run. targets
// begins with the first row's.
func addValues(c *nn.Calibration, n *network[float32], rows int, targets []float32) {
	s := &n.spec
	outputs := s.Outputs()
	if s.Value != nn.ValueCategorical {
		for i, v := range data[float32](n.valueLogits.Value())[:rows*s.Players] {
			c.Count(float64(v), float64(targets[i]))
		}
		return
	}
	p := n.valueLoss.(*crossEntropy[float32]).p
	for i := range rows * s.Players {
		predicted, target := 0.0, 0.0
		for k, utility := range s.Support {
			predicted += float64(p[i*outputs+k]) * float64(utility)
			target += float64(targets[i*outputs+k]) * float64(utility)
		}
		c.Count(predicted, target)
	}
}
