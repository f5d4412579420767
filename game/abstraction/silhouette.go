package abstraction

import "math"

// Silhouette returns the mean silhouette width of a partition of points [N][D] into k
// clusters (Rousseeuw 1987): the mean over all points of
//
//	(b - a) / max(a, b)
//
// where a is the mean distance to the other points of the point's own cluster and b
// the smallest mean distance to the points of another cluster; 0 for a point alone in
// its cluster. It lies in [-1, 1]; the greater, the clearer the clusters. It takes
// time proportional to N²·D.
func Silhouette(points [][]float64, of []int, k int) float64 {
	size := make([]int, k)
	for _, c := range of {
		size[c]++
	}
	sums := make([]float64, k)
	total := 0.0
	for i, p := range points {
		if size[of[i]] == 1 {
			continue
		}
		clear(sums)
		for j, q := range points {
			sums[of[j]] += math.Sqrt(squared(p, q))
		}
		own, other := sums[of[i]]/float64(size[of[i]]-1), math.Inf(1)
		for c, n := range size {
			if c != of[i] && n > 0 {
				other = min(other, sums[c]/float64(n))
			}
		}
		if most := max(own, other); most > 0 && !math.IsInf(most, 1) {
			total += (other - own) / most
		}
	}
	return total / float64(len(points))
}
