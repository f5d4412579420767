package train

import (
	"fmt"
	"math"

	"tengen/nn"
)

// beliefEntropy computes for each row the sum over its known facts of −log b[class], where b is the
// softmax of log prior + logits over the classes of the fact whose prior is above 0. Inputs: logits
// [rows, classes]; and [rows, facts + classes], the class of each fact as a number, NoClass where
// there is none, and then the prior probability of each class of each fact.
type beliefEntropy[T float] struct {
	rows, workers int
	facts         []int // number of classes of each
	classes       int   // of all

	p      []T       // b
	losses []float64 // [rows] the last result
	priors []float64 // [rows] the same of the priors
}

func newBeliefEntropy[T float](rows int, facts []int, workers int) *beliefEntropy[T] {
	classes := nn.Auxiliary{Belief: facts}.BeliefClasses()
	return &beliefEntropy[T]{
		rows, workers, facts, classes, make([]T, rows*classes), make([]float64, rows),
		make([]float64, rows),
	}
}

// width is the length of a row of targets.
func (l *beliefEntropy[T]) width() int { return len(l.facts) + l.classes }

func (l *beliefEntropy[T]) forward(in [][]T, y []T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			target := in[1][r*l.width():][:l.width()]
			logits, p, priors := in[0][r*l.classes:][:l.classes], l.p[r*l.classes:][:l.classes],
				target[len(l.facts):]
			l.losses[r], l.priors[r] = 0, 0
			for k, n := range l.facts {
				if class := target[k]; class >= 0 {
					l.losses[r] += beliefAt(logits[:n], priors[:n], p[:n], int(class))
					l.priors[r] -= math.Log(float64(priors[int(class)]))
				}
				logits, p, priors = logits[n:], p[n:], priors[n:]
			}
			y[r] = T(l.losses[r])
		}
	})
}

// beliefAt computes the belief p of logits and priors and returns −log p of a class.
func beliefAt[T float](logits, priors, p []T, class int) float64 {
	top := math.Inf(-1)
	for i, v := range logits {
		if priors[i] > 0 {
			top = max(top, float64(v))
		}
	}
	total := 0.0
	for i, v := range logits {
		p[i] = 0
		if priors[i] > 0 {
			e := float64(priors[i]) * math.Exp(float64(v)-top)
			p[i] = T(e)
			total += e
		}
	}
	for i := range p {
		p[i] /= T(total)
	}
	return top + math.Log(total) - float64(logits[class]) - math.Log(float64(priors[class]))
}

func (l *beliefEntropy[T]) backward(in [][]T, _, dy []T, dIn [][]T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			target, p, d := in[1][r*l.width():], l.p[r*l.classes:][:l.classes],
				dIn[0][r*l.classes:][:l.classes]
			for k, n := range l.facts {
				if class := int(target[k]); class < 0 {
					clear(d[:n])
				} else {
					for i, v := range p[:n] {
						d[i] = dy[r] * v
					}
					d[class] = dy[r] * (p[class] - 1)
				}
				p, d = p[n:], d[n:]
			}
		}
	})
}

func (l *beliefEntropy[T]) rowLosses() []float64 { return l.losses }

// newBelief makes a batch's arrays for the belief head.
func (b *Batch) newBelief(a nn.Auxiliary, n int) {
	if len(a.Belief) > 0 {
		b.Facts, b.Priors, b.FactWeight = make([]int8, n*len(a.Belief)),
			make([]float32, n*a.BeliefClasses()), make([]float32, n)
	}
}

// checkBelief returns an error unless the targets of the belief head fit n rows.
func (b *Batch) checkBelief(a nn.Auxiliary, n int) error {
	weights := 0
	if len(a.Belief) > 0 {
		weights = n
	}
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"facts", len(b.Facts), n * len(a.Belief)},
		{"priors of facts", len(b.Priors), n * a.BeliefClasses()},
		{"fact weights", len(b.FactWeight), weights},
	} {
		if c.got != c.want {
			return fmt.Errorf("batch: %d numbers of %s, want %d for %d rows",
				c.got, c.name, c.want, n)
		}
	}
	priors := b.Priors
	for i, class := range b.Facts {
		k, row := i%len(a.Belief), i/len(a.Belief)
		own := priors[:a.Belief[k]]
		priors = priors[len(own):]
		if class < NoClass || int(class) >= len(own) {
			return fmt.Errorf("batch: fact %d of row %d is of class %d; %d to %d is wanted",
				k, row, class, NoClass, len(own)-1)
		}
		for _, p := range own {
			if !(p >= 0 && p <= 1) {
				return fmt.Errorf(
					"batch: a prior of fact %d of row %d is %g; a number from 0 to 1 is wanted",
					k, row, p)
			}
		}
		if class >= 0 && own[class] == 0 {
			return fmt.Errorf("batch: fact %d of row %d is of class %d, whose prior is 0",
				k, row, class)
		}
	}
	return checkWeights("fact", b.FactWeight)
}

// loadBelief copies rows from to from+count-1 of a batch into the inputs of the belief head.
func (n *network[T]) loadBelief(b *Batch, from, count int, c Config) {
	if n.beliefLoss == nil {
		return
	}
	facts, classes := len(n.beliefLoss.facts), n.beliefLoss.classes
	width := facts + classes
	for r := range n.rows {
		target := n.beliefTarget[r*width:][:width]
		if r >= count {
			for k := range facts {
				target[k] = NoClass
			}
			continue
		}
		for k, class := range b.Facts[(from+r)*facts:][:facts] {
			target[k] = T(class)
		}
		for i, p := range b.Priors[(from+r)*classes:][:classes] {
			target[facts+i] = T(p)
		}
	}
	setFactors(n.beliefWeight, b.FactWeight[from:from+count], c.BeliefWeight, b.FactMass())
}

// beliefMeasure accumulates the sums behind the losses of the belief head.
type beliefMeasure struct {
	weight, belief, prior float64
	calibration           nn.Calibration
}

// add adds rows 0 to rows-1 of n's last run, which are the batch's rows from from on.
func (m *beliefMeasure) add(n *network[float32], rows int, b *Batch, from int) {
	l := n.beliefLoss
	if l == nil {
		return
	}
	for r := range rows {
		w := float64(b.FactWeight[from+r])
		if w == 0 {
			continue
		}
		m.weight += w
		m.belief += w * l.losses[r]
		m.prior += w * l.priors[r]
		p, priors := l.p[r*l.classes:], b.Priors[(from+r)*l.classes:]
		for k, n := range l.facts {
			if class := int(b.Facts[(from+r)*len(l.facts)+k]); class >= 0 {
				for i := range n {
					if priors[i] > 0 {
						m.calibration.Count(float64(p[i]), indicator(i == class))
					}
				}
			}
			p, priors = p[n:], priors[n:]
		}
	}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// set writes the mean losses, and adds the head's to the total.
func (m *beliefMeasure) set(l *nn.Losses, c Config) {
	if m.weight == 0 {
		return
	}
	l.Belief, l.BeliefPrior = m.belief/m.weight, m.prior/m.weight
	l.BeliefError, l.BeliefCalibration = m.calibration.Error(), m.calibration
	if more := c.BeliefWeight * l.Belief; more != 0 {
		l.Total += more
	}
}
