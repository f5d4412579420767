package rating

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Better tests whether results are above 0 in the mean, as a gate asks before a
// new player takes the place of an old one. Each result is the difference of
// utility, new minus old, in one independent game, or the mean of games that
// are not independent: of a pair, or of all seatings of one opening. Draws and
// seats are counted by what they are worth.
//
// low is the lower bound of the mean at the given confidence, such as 0.95:
// one-sided, by Student's t (1908); better is low > 0. A new player that is no
// better passes in about 1 - confidence of gates. At a confidence of 0.5 a mean
// above 0 is enough.
//
// Two virtual results, plus and minus the greatest in absolute value, count
// with the others ("plus two", as Agresti and Coull 1998 do for proportions).
// Results that all agree have no variance, and Student's t alone would be
// certain after two wins; so five wins of five are the fewest that reach 0.95.
// Losses that are large, rare, and not among the results are beyond the test:
// with fewer than some 20 results a loss in three games, twice as large as
// the wins, goes unseen too often (one gate in eight passes at 5 results).
//
// Without results low is -Inf. The confidence must lie between 0 and 1: Better
// panics otherwise.
func Better(results []float64, confidence float64) (better bool, low float64) {
	if !(confidence > 0 && confidence < 1) {
		panic(fmt.Sprintf("rating: a confidence of %g; it must be between 0 and 1", confidence))
	}
	if len(results) == 0 {
		return false, math.Inf(-1)
	}
	greatest := 0.0
	for _, x := range results {
		greatest = max(greatest, math.Abs(x))
	}
	all := append([]float64{greatest, -greatest}, results...)
	mean, sd := stat.MeanStdDev(all, nil)
	n := float64(len(all))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(confidence)
	low = mean - t*sd/math.Sqrt(n)
	return low > 0, low
}
