package replay

import "math"

// results counts the final utilities of games on a support. Shares of a utility between two of
// the support are whole numbers, so that what a game adds is exactly what it takes away when it
// leaves, and the counts depend on the games alone.
type results struct {
	support []float32
	counts  []int64 // in units of 1/resultUnit
	row     []float32
	n       int64 // utilities counted
}

const resultUnit = 1 << 20

func newResults(support []float32) *results {
	return &results{support: support, counts: make([]int64, len(support)), row: make([]float32, len(support))}
}

// count adds the results of a game's players sign times, +1 or -1.
func (r *results) count(rec *Game, sign int64) {
	for _, u := range rec.result() {
		project(r.row, r.support, u)
		left := int64(resultUnit)
		at := -1
		for i, share := range r.row {
			if share == 0 {
				continue
			}
			if at >= 0 { // the second of two neighbours takes the rest
				r.counts[i] += sign * left
				left = 0
				break
			}
			at = i
			part := int64(math.Round(float64(share) * resultUnit))
			r.counts[i] += sign * part
			left -= part
		}
		if left != 0 {
			r.counts[at] += sign * left
		}
		r.n += sign
	}
}

// distribution writes the distribution of the results, smoothed by one more that is spread evenly
// over the support: every utility is possible.
func (r *results) distribution(dst []float64) {
	for i, c := range r.counts {
		dst[i] = (float64(c)/resultUnit + 1/float64(len(r.counts))) / float64(r.n+1)
	}
}

// result returns what the game's value targets are of: Outcome if there is one, else Returns.
func (g *Game) result() []float32 {
	if len(g.Outcome) > 0 {
		return g.Outcome
	}
	return g.Returns
}
