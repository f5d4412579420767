package rating

import (
	"math"
	"slices"
)

const (
	// chi2 is the 95 % quantile of χ² with one degree of freedom.
	chi2 = 3.841458820694124
	// traceGames is the weight of the prior that is used to test whether the games alone
	// set a bound: it keeps everything else finite where the likelihood has no maximum,
	// and sets no bound within reach itself.
	traceGames = 1e-5
	// reach, in natural logarithms of odds, is the maximum distance of a bound from the
	// estimate: 5,200 Elo.
	reach = 30
	// precision of bounds, as a fraction of the standard error.
	precision = 1e-4
	// newtonSteps is the number of steps in which Newton's method finds a bound or does not, and
	// newtonPrecision the change of a coordinate, in natural logarithms of odds, below which a step
	// is the last: the error is then its square.
	newtonSteps     = 12
	newtonPrecision = 1e-5
	// profileTolerance is the gain below which a step towards a profile's maximum is the
	// last. The remaining gain is much smaller.
	profileTolerance = 1e-6
)

// intervals computes the 95 % intervals of coordinates.
type intervals struct {
	m        *model
	estimate []float64
	at       *derivatives // at the estimate
	scores   []float64    // the games' gradients there: sum of outer products, [dim, dim]
	greatest float64      // log-likelihood at the estimate, with the prior

	// The same without the prior, except for a trace.
	traceEstimate []float64
	traceGreatest float64
}

func newIntervals(m *model) *intervals {
	in := &intervals{m: m, at: newDerivatives(m.dim)}
	start := make([]float64, m.dim)
	for coordinate, value := range m.fixed {
		start[coordinate] = value
	}
	in.estimate, in.greatest = m.maximise(start, priorGames, none, m.tolerance())
	m.logLikelihood(in.estimate, priorGames, in.at)
	in.scores = m.scores(in.estimate)
	in.traceEstimate, in.traceGreatest = m.maximise(in.estimate, traceGames, none, profileTolerance)
	return in
}

// rating returns the estimate at a coordinate with its interval, in Elo from origin.
func (in *intervals) rating(coordinate int, origin float64) Rating {
	if coordinate == none {
		return Rating{Elo: origin, Low: origin, High: origin}
	}
	unit := make([]float64, in.m.dim)
	unit[coordinate] = 1
	column := in.at.solve(unit)[0]
	allowed := math.Sqrt(chi2 * in.widening(coordinate, column))
	p := &profile{in.m, coordinate, column, priorGames, in.estimate, in.greatest, allowed}
	trace := &profile{
		in.m, coordinate, column, traceGames, in.traceEstimate, in.traceGreatest, allowed,
	}
	x := in.estimate[coordinate]
	bound := func(side float64) float64 {
		beta, b := p.newton(side, nil)
		if beta == nil {
			b = p.bound(side)
		}
		if math.IsInf(b, 0) {
			return b
		}
		bounded := false
		if at, c := trace.newton(side, beta); beta != nil && at != nil {
			bounded = math.Abs(c-trace.best[coordinate]) <= reach
		} else {
			bounded = trace.bounded(side, 2*b-x)
		}
		if !bounded {
			return math.Inf(int(side))
		}
		return origin + eloPerNat*b
	}
	return Rating{Elo: origin + eloPerNat*x, Low: bound(-1), High: bound(1)}
}

// profile is the greatest log-likelihood as a function of one coordinate.
type profile struct {
	m          *model
	coordinate int
	column     []float64 // of the inverse of the information: covariances with the coordinate
	prior      float64
	best       []float64 // the maximum of all
	greatest   float64   // log-likelihood there
	allowed    float64   // root of twice the loss that the bounds allow
}

// excess returns the root of twice the loss against the maximum if the coordinate is
// x, minus what is allowed; the root is nearly linear in x. beta holds the last point
// found and is set to the new one.
func (p *profile) excess(x float64, beta []float64) float64 {
	// Near the maximum the others move in proportion to their covariances.
	move := (x - beta[p.coordinate]) / p.column[p.coordinate]
	for i := range beta {
		beta[i] += move * p.column[i]
	}
	beta[p.coordinate] = x
	there, value := p.m.maximise(beta, p.prior, p.coordinate, profileTolerance)
	copy(beta, there)
	return math.Sqrt(max(0, 2*(p.greatest-value))) - p.allowed
}

// bounded reports whether the loss exceeds what is allowed within reach, on the given
// side. It tests near first, which is cheaper if the answer is yes.
func (p *profile) bounded(side, near float64) bool {
	start := p.best[p.coordinate]
	for _, distance := range []float64{max(0, side*(near-start)), reach} {
		if p.excess(start+side*distance, slices.Clone(p.best)) > 0 {
			return true
		}
	}
	return false
}

// newton returns the maximum of the others where, on the given side, the loss is as much as
// allowed, and the coordinate there: by Newton's method for both at once (Venzon and Moolgavkar
// 1988), from start, or from where they would be if the log-likelihood were quadratic. It returns
// nil if that leads nowhere, as on a flat side; see bound.
func (p *profile) newton(side float64, start []float64) (beta []float64, x float64) {
	i, origin := p.coordinate, p.best[p.coordinate]
	beta = slices.Clone(start)
	if start == nil {
		beta = slices.Clone(p.best)
		for k, c := range p.column {
			beta[k] += side * p.allowed * c / math.Sqrt(p.column[i])
		}
	}
	d, unit := newDerivatives(p.m.dim), make([]float64, p.m.dim)
	unit[i] = 1
	target := p.greatest - p.allowed*p.allowed/2
	for range newtonSteps {
		value := p.m.logLikelihood(beta, p.prior, d)
		solved := d.solve(d.gradient, unit)
		up, along := solved[0], solved[1]
		gain := 0.0
		for k, g := range d.gradient {
			gain += g * up[k] / 2
		}
		// The quadratic approximation's maximum for a given coordinate is on this line.
		square := 2 * (value + gain - target) / along[i]
		if !(square >= 0) {
			return nil, 0
		}
		greatest := 0.0
		for k := range beta {
			step := up[k] + side*math.Sqrt(square)*along[k]
			beta[k] += step
			greatest = max(greatest, math.Abs(step))
		}
		if !(greatest < maxStep) || !(side*(beta[i]-origin) > 0) ||
			math.Abs(beta[i]-origin) > reach {
			return nil, 0
		}
		if greatest < newtonPrecision {
			return beta, beta[i]
		}
	}
	return nil, 0
}

// bound returns where, on the given side, the loss is as much as allowed: infinite if
// out of reach.
func (p *profile) bound(side float64) float64 {
	beta := slices.Clone(p.best)
	start := beta[p.coordinate]
	// Step outwards until the bound is passed, then regula falsi between the last two with
	// the Illinois rule (Dowell and Jarratt 1971).
	inside, below := start, -p.allowed
	var outside, above float64
	for step := 1.02 * p.allowed * math.Sqrt(p.column[p.coordinate]); ; step *= 1.5 {
		outside = start + side*min(step, reach)
		if above = p.excess(outside, beta); above >= 0 {
			break
		}
		if step >= reach {
			return math.Inf(int(side))
		}
		inside, below = outside, above
	}
	if above < precision {
		return outside
	}
	var outsideKept, insideKept bool
	for {
		x := (inside*above - outside*below) / (above - below)
		switch e := p.excess(x, beta); {
		case math.Abs(e) < precision || x == inside || x == outside:
			return x
		case math.Signbit(e):
			if inside, below = x, e; outsideKept {
				above /= 2
			}
			outsideKept, insideKept = true, false
		default:
			if outside, above = x, e; insideKept {
				below /= 2
			}
			outsideKept, insideKept = false, true
		}
	}
}

// widening returns the robust variance of a coordinate over the model's, at least 1.
// column is the coordinate's in the inverse of the information.
func (in *intervals) widening(coordinate int, column []float64) float64 {
	robust := 0.0
	for i, x := range column {
		for j, y := range column {
			robust += x * in.scores[i*in.m.dim+j] * y
		}
	}
	return max(1, robust/column[coordinate])
}

// scores sums the outer products of the gradients of independent games, and of groups
// of dependent ones, times n/(n-1) for n of them, since their mean was fitted.
func (m *model) scores(beta []float64) []float64 {
	means := make([]map[int]float64, len(m.situations))
	places := make([][]int, len(means)) // the coordinates of each situation
	mean := make([]float64, m.dim)
	var o outcomes
	for i := range means {
		o.set(m, &m.situations[i], beta)
		o.addMean(mean, 1)
		for _, at := range o.at[:2*o.left] {
			places[i] = append(places[i], at[:]...)
		}
		slices.Sort(places[i])
		places[i] = slices.DeleteFunc(slices.Compact(places[i]), func(k int) bool {
			return k == none
		})
		means[i] = make(map[int]float64, len(places[i]))
		for _, k := range places[i] {
			means[i][k], mean[k] = mean[k], 0
		}
	}
	g := make([]float64, m.dim)
	var touched []int // coordinates of g that may not be 0
	addGame := func(f *finish) {
		for _, c := range f.choices {
			m.addChosen(g, c, 1)
			for _, k := range places[c.situation] {
				g[k] -= means[c.situation][k]
				touched = append(touched, k)
			}
		}
	}
	sum := make([]float64, m.dim*m.dim)
	add := func(weight float64) {
		slices.Sort(touched)
		touched = slices.Compact(touched)
		for _, i := range touched {
			for _, j := range touched {
				sum[i*m.dim+j] += weight * g[i] * g[j]
			}
		}
		for _, i := range touched {
			g[i] = 0
		}
		touched = touched[:0]
	}
	n := float64(len(m.clusters))
	for i := range m.finishes {
		addGame(&m.finishes[i])
		add(m.finishes[i].independent)
		n += m.finishes[i].independent
	}
	for _, cluster := range m.clusters {
		for _, i := range cluster {
			addGame(&m.finishes[i])
		}
		add(1)
	}
	if n > 1 {
		for i := range sum {
			sum[i] *= n / (n - 1)
		}
	}
	return sum
}
