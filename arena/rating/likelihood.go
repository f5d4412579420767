package rating

import (
	"math"
	"math/bits"
)

// derivatives are the gradient of a log-likelihood, and its negated Hessian, the
// information, [dim, dim].
type derivatives struct {
	gradient    []float64
	information []float64
}

func newDerivatives(dim int) *derivatives {
	return &derivatives{make([]float64, dim), make([]float64, dim*dim)}
}

// logLikelihood returns that of all games and of the prior with the given weight, and
// sets d to its derivatives.
//
// A choice is of an exponential family: with x(S) the vector by which β is multiplied
// for the subset S of the remaining seats, the logarithm of its probability is
// x(chosen)·β less the logarithm of the sum of exp(x(S)·β) over all S. The derivatives
// of the latter are mean and covariance of x.
func (m *model) logLikelihood(beta []float64, prior float64, d *derivatives) float64 {
	copy(d.gradient, m.linear)
	clear(d.information)
	sum := m.logPrior(beta, prior, d)
	for i, x := range m.linear {
		sum += x * beta[i]
	}
	var o outcomes
	for i := range m.situations {
		s := &m.situations[i]
		sum -= s.count * o.set(m, s, beta)
		o.addMean(d.gradient, -s.count)
		o.addCovariance(d.information, m.dim, s.count)
	}
	for coordinate := range m.fixed {
		d.fix(coordinate)
	}
	return sum
}

// addChosen adds x(chosen) of a choice, times weight, to v.
func (m *model) addChosen(v []float64, c choice, weight float64) {
	s := &m.situations[c.situation]
	t := bits.OnesCount32(c.chosen)
	for k := range s.players {
		if c.chosen>>k&1 == 1 {
			addTo(v, [2]int{s.players[k], s.seats[k]}, weight/float64(t))
		}
	}
	if s.given == 0 {
		addTo(v, [2]int{m.tie[len(s.players)][t], none}, weight)
	}
}

// logPrior returns the logarithm of the prior: a win and a loss of the given weight of
// each player against the absent one, and of each seat likewise. It adds its
// derivatives to d.
func (m *model) logPrior(beta []float64, weight float64, d *derivatives) float64 {
	sum := 0.0
	for i, side := range [][]int{m.player, m.seat} {
		for _, j := range side {
			absent := m.absent[i]
			x := value(beta, [2]int{j, none}) - beta[absent]
			e := math.Exp(-math.Abs(x))
			sum -= weight * (math.Abs(x) + 2*math.Log1p(e))
			slope := weight * math.Copysign((1-e)/(1+e), -x)
			bend := weight * 2 * e / ((1 + e) * (1 + e))
			d.gradient[absent] -= slope
			d.information[absent*m.dim+absent] += bend
			if j != none {
				d.gradient[j] += slope
				d.information[j*m.dim+j] += bend
				d.information[j*m.dim+absent] -= bend
				d.information[absent*m.dim+j] -= bend
			}
		}
	}
	return sum
}

// outcomes are the subsets that can be chosen in a situation, with their
// probabilities. x(S)·β is linear in local variables too: those of the remaining
// seats, at 1/(size of S) each, followed by log δ for each size.
type outcomes struct {
	left    int
	at      [2 * maxSeats][2]int // coordinates that each local variable is the sum of
	subsets []uint32
	p       []float64                           // [subsets]
	mean    [2 * maxSeats]float64               // of x, by local variable
	square  [2 * maxSeats][2 * maxSeats]float64 // mean of the products
}

// set sets o to the outcomes of a situation and returns the logarithm of the sum of
// their odds.
func (o *outcomes) set(m *model, s *situation, beta []float64) float64 {
	o.left = len(s.players)
	o.subsets = m.subsets[o.left]
	if s.given != 0 {
		o.subsets = m.sized[o.left][s.given]
	}
	var values [2 * maxSeats]float64
	for k := range o.left {
		o.at[k] = [2]int{s.players[k], s.seats[k]}
		o.at[o.left+k] = [2]int{none, none}
		if s.given == 0 {
			o.at[o.left+k][0] = m.tie[o.left][k+1]
		}
	}
	for k := range 2 * o.left {
		values[k] = value(beta, o.at[k])
	}
	o.p = o.p[:0]
	greatest := math.Inf(-1)
	for _, subset := range o.subsets {
		x := 0.0
		for rest := subset; rest != 0; rest &= rest - 1 {
			x += values[bits.TrailingZeros32(rest)]
		}
		t := bits.OnesCount32(subset)
		x = x/float64(t) + values[o.left+t-1]
		greatest = max(greatest, x)
		o.p = append(o.p, x)
	}
	sum := 0.0
	for i, x := range o.p {
		o.p[i] = math.Exp(x - greatest)
		sum += o.p[i]
	}
	for i := range o.p {
		o.p[i] /= sum
	}
	o.moments()
	return greatest + math.Log(sum)
}

// moments computes mean and square.
func (o *outcomes) moments() {
	for k := range 2 * o.left {
		o.mean[k] = 0
		clear(o.square[k][:2*o.left])
	}
	var members [maxSeats]int
	for i, subset := range o.subsets {
		list := members[:0]
		for rest := subset; rest != 0; rest &= rest - 1 {
			list = append(list, bits.TrailingZeros32(rest))
		}
		tie, share := o.left+len(list)-1, 1/float64(len(list))
		p := o.p[i]
		for _, k := range list {
			o.mean[k] += p * share
			o.square[k][tie] += p * share
			o.square[tie][k] += p * share
			for _, l := range list {
				o.square[k][l] += p * share * share
			}
		}
		o.mean[tie] += p
		o.square[tie][tie] += p
	}
}

// addMean adds the mean of x, times weight, to v.
func (o *outcomes) addMean(v []float64, weight float64) {
	for k := range 2 * o.left {
		addTo(v, o.at[k], weight*o.mean[k])
	}
}

// addCovariance adds the covariance of x, times weight, to a [dim, dim] matrix.
func (o *outcomes) addCovariance(matrix []float64, dim int, weight float64) {
	for k := range 2 * o.left {
		for _, i := range o.at[k] {
			if i == none {
				continue
			}
			row := matrix[i*dim : (i+1)*dim]
			for l := range 2 * o.left {
				addTo(row, o.at[l], weight*(o.square[k][l]-o.mean[k]*o.mean[l]))
			}
		}
	}
}

// value returns the sum of the elements of v at the given coordinates.
func value(v []float64, at [2]int) float64 {
	sum := 0.0
	for _, i := range at {
		if i != none {
			sum += v[i]
		}
	}
	return sum
}

// addTo adds x to the elements of v at the given coordinates.
func addTo(v []float64, at [2]int, x float64) {
	for _, i := range at {
		if i != none {
			v[i] += x
		}
	}
}

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
		step := at.solve(at.gradient)[0]
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

// solve returns the x for which information · x = b, for each b. If the information is numerically
// singular, as far out on a flat side, it increases the diagonal until it isn't. Ill-conditioned
// systems are accepted: who takes a step judges it.
func (d *derivatives) solve(right ...[]float64) [][]float64 {
	dim := len(d.gradient)
	// Only players that met have an element in common. Of each row the elements from the first that
	// is not zero on are factorized: in a chain of players these are few.
	first := make([]int, dim)
	for i := range dim {
		row := d.information[i*dim : i*dim+i]
		for first[i] < i && row[first[i]] == 0 {
			first[i]++
		}
	}
	lower := make([]float64, dim*dim)
	for ridge := 0.0; !d.factorize(lower, first, ridge); {
		ridge = max(1e-13, 10*ridge)
	}
	list := make([][]float64, len(right))
	for k, b := range right {
		x := append([]float64(nil), b...)
		for i := range dim {
			row := lower[i*dim : (i+1)*dim]
			for j := first[i]; j < i; j++ {
				x[i] -= row[j] * x[j]
			}
			x[i] /= row[i]
		}
		for i := dim - 1; i >= 0; i-- {
			row := lower[i*dim : (i+1)*dim]
			x[i] /= row[i]
			for j := first[i]; j < i; j++ {
				x[j] -= row[j] * x[i]
			}
		}
		list[k] = x
	}
	return list
}

// factorize sets lower to the Cholesky factor of the information plus a ridge; false if that is not
// positive definite. first has the column of the first element of each row that is not zero.
func (d *derivatives) factorize(lower []float64, first []int, ridge float64) bool {
	dim := len(first)
	for i := range dim {
		row := lower[i*dim : (i+1)*dim]
		for j := first[i]; j <= i; j++ {
			x := d.information[i*dim+j]
			other := lower[j*dim : (j+1)*dim]
			for k := max(first[i], first[j]); k < j; k++ {
				x -= row[k] * other[k]
			}
			switch {
			case j < i:
				row[j] = x / other[j]
			case !(x+ridge > 0):
				return false
			default:
				row[i] = math.Sqrt(x + ridge)
			}
		}
	}
	return true
}
