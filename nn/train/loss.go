package train

import (
	"math"
)

// crossEntropy computes for each row the sum over its groups of
// −Σ target·log softmax(logits). Inputs: logits and target, both [rows, groups·n].
type crossEntropy[T float] struct {
	rows, groups, n, workers int

	p      []T       // softmax(logits)
	losses []float64 // [rows] the last result

	// difference, if not nil, makes the loss half the sum of squares of logitDifference, which it
	// holds.
	difference []T
}

// overLogits makes the loss that of PolicyLossLogits.
func (l *crossEntropy[T]) overLogits() { l.difference = make([]T, len(l.p)) }

// leastLogit is the least logarithm of a target's probability, relative to the greatest, that
// logitDifference asks for.
const leastLogit = -8

// logitDifference sets the difference of a group's logits to the target's logarithms, both without
// their means over the actions that have a probability; the difference of others is 0. It returns
// half the sum of squares.
func (l *crossEntropy[T]) logitDifference(logits, target []T, group int) float64 {
	logits, target, d := logits[group*l.n:][:l.n], target[group*l.n:][:l.n],
		l.difference[group*l.n:][:l.n]
	clear(d)
	top := T(0)
	for _, t := range target {
		top = max(top, t)
	}
	mean, n := 0.0, 0
	for i, t := range target {
		if t > 0 {
			x := float64(logits[i]) - max(leastLogit, math.Log(float64(t)/float64(top)))
			d[i] = T(x)
			mean += x
			n++
		}
	}
	loss := 0.0
	for i, t := range target {
		if t > 0 {
			x := float64(d[i]) - mean/float64(n)
			d[i] = T(x)
			loss += x * x / 2
		}
	}
	return loss
}

func newCrossEntropy[T float](rows, groups, n, workers int) *crossEntropy[T] {
	return &crossEntropy[T]{
		rows: rows, groups: groups, n: n, workers: workers, p: make([]T, rows*groups*n),
		losses: make([]float64, rows),
	}
}

func (l *crossEntropy[T]) forward(in [][]T, y []T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			l.losses[r] = 0
			for group := r * l.groups; group < (r+1)*l.groups; group++ {
				loss := l.softmax(in[0], in[1], group)
				if l.difference != nil {
					loss = l.logitDifference(in[0], in[1], group)
				}
				l.losses[r] += loss
			}
			y[r] = T(l.losses[r])
		}
	})
}

// softmax computes p for a group and returns its cross-entropy.
func (l *crossEntropy[T]) softmax(logits, target []T, group int) float64 {
	logits, target, p := logits[group*l.n:][:l.n], target[group*l.n:][:l.n], l.p[group*l.n:][:l.n]
	top := math.Inf(-1)
	for _, v := range logits {
		top = max(top, float64(v))
	}
	total := 0.0
	for i, v := range logits {
		e := math.Exp(float64(v) - top)
		p[i] = T(e)
		total += e
	}
	logTotal := math.Log(total)
	loss := 0.0
	for i, v := range logits {
		p[i] /= T(total)
		loss -= float64(target[i]) * (float64(v) - top - logTotal)
	}
	return loss
}

func (l *crossEntropy[T]) backward(in [][]T, _, dy []T, dIn [][]T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for group := from * l.groups; group < to*l.groups; group++ {
			target, p, d := in[1][group*l.n:][:l.n], l.p[group*l.n:][:l.n], dIn[0][group*l.n:][:l.n]
			mass, slope := sum(target), dy[group/l.groups]
			if l.difference != nil {
				for i, x := range l.difference[group*l.n:][:l.n] {
					d[i] = slope * x
				}
				continue
			}
			for i, v := range p {
				d[i] = slope * (mass*v - target[i])
			}
		}
	})
}

func (l *crossEntropy[T]) rowLosses() []float64 { return l.losses }

// squaredError computes for each row Σ (x − target)². Inputs: x and target, both [rows, n].
type squaredError[T float] struct {
	rows, n int
	losses  []float64 // [rows] the last result
}

func newSquaredError[T float](rows, n int) *squaredError[T] {
	return &squaredError[T]{rows, n, make([]float64, rows)}
}

func (l *squaredError[T]) forward(in [][]T, y []T) {
	for r := range y {
		loss := 0.0
		for i := r * l.n; i < (r+1)*l.n; i++ {
			d := float64(in[0][i]) - float64(in[1][i])
			loss += d * d
		}
		l.losses[r] = loss
		y[r] = T(loss)
	}
}

func (l *squaredError[T]) backward(in [][]T, _, dy []T, dIn [][]T) {
	for i := range dIn[0] {
		dIn[0][i] = 2 * dy[i/l.n] * (in[0][i] - in[1][i])
	}
}

func (l *squaredError[T]) rowLosses() []float64 { return l.losses }
