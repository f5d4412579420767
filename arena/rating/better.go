package rating

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Better tests whether the mean of results is above 0, as a gate does before a new
// player replaces an old one. Each result is the difference of utility, new minus old,
// in one independent game, or the mean over dependent games, such as a pair, or all
// seatings of one opening. So draws and seats count with their utilities.
//
// low is the lower bound of the mean at the given confidence, such as 0.95: one-sided,
// by Student's t (1908); better is low > 0. A new player of equal strength passes in
// about 1 - confidence of gates. At a confidence of 0.5 a mean above 0 suffices.
//
// Two virtual results, plus and minus the greatest absolute value, are added ("plus
// two", as Agresti and Coull 1998 do for proportions). Without them, equal results
// would have no variance, and Student's t would be certain after two wins; with them,
// 0.95 takes at least five wins of five. The test can't account for large rare losses
// that are not among the results: with fewer than some 20 results, a loss in every
// third game, twice as large as the wins, is missed too often (one gate in eight
// passes at 5 results).
//
// Without results low is -Inf. Better panics if the confidence is not between 0 and 1.
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
