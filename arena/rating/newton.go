package rating

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// maxStep bounds the change of a coordinate in one step: far from the maximum, where
	// one side wins nearly always, the quadratic approximation is poor.
	maxStep  = 4
	maxSteps = 500
)

// tolerance returns the smallest gain in log-likelihood that counts, above the rounding of the
// sum.
func (m *model) tolerance() float64 { return 1e-10 + 1e-14*m.games }

// maximise returns the point of the greatest log-likelihood, with the prior of the
// given weight, that Newton's method reaches from start, and the log-likelihood there.
// Coordinate fixed keeps its value, unless it is none. The function is concave, so
// there is one maximum, and each step, shortened until it gains, leads towards it. A
// step with a predicted gain of less than enough is the last.
func (m *model) maximise(
	start []float64, prior float64, fixed int, enough float64,
) ([]float64, float64) {
	beta, next := append([]float64(nil), start...), make([]float64, m.dim)
	at, there := newDerivatives(m.dim), newDerivatives(m.dim)
	here := m.logLikelihood(beta, prior, at)
	for range maxSteps {
		at.fix(fixed)
		step := at.solve(at.gradient)
		greatest, gain := 0.0, 0.0
		for i, x := range step {
			greatest = max(greatest, math.Abs(x))
			gain += x * at.gradient[i]
		}
		// A step is accepted if it gains a tenth of what its slope predicts (Armijo 1966).
		for scale := min(1, maxStep/greatest); ; scale /= 2 {
			for i := range next {
				next[i] = beta[i] + scale*step[i]
			}
			value := m.logLikelihood(next, prior, there)
			if value >= here+0.1*scale*gain-m.tolerance() {
				here = value
				break
			}
		}
		beta, next = next, beta
		at, there = there, at
		if gain < max(enough, m.tolerance()) {
			break
		}
	}
	return beta, here
}

// fix removes a coordinate from the derivatives, so that no step changes it.
func (d *derivatives) fix(coordinate int) {
	if coordinate == none {
		return
	}
	dim := len(d.gradient)
	d.gradient[coordinate] = 0
	for i := range dim {
		d.information[coordinate*dim+i] = 0
		d.information[i*dim+coordinate] = 0
	}
	d.information[coordinate*dim+coordinate] = 1
}

// solve returns the x for which information · x = b. If the information is numerically
// singular, as far out on a flat side, it increases the diagonal until it isn't.
func (d *derivatives) solve(b []float64) []float64 {
	dim := len(b)
	x := mat.NewVecDense(dim, nil)
	var cholesky mat.Cholesky
	for ridge := 0.0; ; ridge = max(1e-13, 10*ridge) {
		a := mat.NewSymDense(dim, append([]float64(nil), d.information...))
		for i := range dim {
			a.SetSym(i, i, a.At(i, i)+ridge)
		}
		if !cholesky.Factorize(a) {
			continue
		}
		// Ill-conditioned systems are accepted: the line search judges the step.
		_ = cholesky.SolveVecTo(x, mat.NewVecDense(dim, b))
		return x.RawVector().Data
	}
}
