package abstraction

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Clusters is a partition of points.
type Clusters struct {
	Centroids [][]float64 // [K][D]: the mean of each cluster's points
	Of        []int       // [N]: the cluster of each point
	Inertia   float64     // sum of the squared distances of the points to their centroids
}

// mostRounds bounds the rounds of Lloyd's algorithm, which converges much earlier
// except for rounding.
const mostRounds = 1000

// KMeans partitions points [N][D] into k clusters, 1 <= k <= N, of small Inertia. It
// runs Lloyd's algorithm (1982) from restarts k-means++ seedings (Arthur and
// Vassilvitskii 2007) and keeps the best result. A point at the same distance from two
// centroids belongs to the first. No cluster is empty if there are k different points.
func KMeans(points [][]float64, k, restarts int, rng *rand.Rand) Clusters {
	var best Clusters
	for i := range max(1, restarts) {
		c := lloyd(points, plusPlus(points, k, rng))
		if i == 0 || c.Inertia < best.Inertia {
			best = c
		}
	}
	return best
}

// plusPlus draws k of the points as initial centroids: the first uniformly, each
// further one with a probability proportional to its squared distance to the nearest
// centroid so far.
func plusPlus(points [][]float64, k int, rng *rand.Rand) [][]float64 {
	centroids := [][]float64{slices.Clone(points[rng.IntN(len(points))])}
	nearest := make([]float64, len(points))
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for len(centroids) < k {
		sum := 0.0
		for i, p := range points {
			nearest[i] = min(nearest[i], squared(p, centroids[len(centroids)-1]))
			sum += nearest[i]
		}
		x, drawn := rng.Float64()*sum, -1
		for i, d := range nearest {
			if d == 0 {
				continue
			}
			drawn = i
			if x -= d; x < 0 {
				break
			}
		}
		if drawn < 0 { // all points are centroids already
			drawn = rng.IntN(len(points))
		}
		centroids = append(centroids, slices.Clone(points[drawn]))
	}
	return centroids
}

// lloyd moves the centroids, in place, until no point changes its cluster.
func lloyd(points, centroids [][]float64) Clusters {
	c := Clusters{Centroids: centroids, Of: make([]int, len(points))}
	size := make([]int, len(centroids))
	for round := range mostRounds {
		changed := round == 0
		clear(size)
		for i, p := range points {
			k, _ := nearestOf(p, centroids)
			changed = changed || k != c.Of[i]
			c.Of[i] = k
			size[k]++
		}
		changed = c.fill(points, size) || changed
		if !changed {
			break
		}
		for k := range centroids {
			if size[k] > 0 {
				clear(centroids[k])
			}
		}
		for i, p := range points {
			for j, x := range p {
				centroids[c.Of[i]][j] += x
			}
		}
		for k, n := range size {
			if n > 0 {
				for j := range centroids[k] {
					centroids[k][j] /= float64(n)
				}
			}
		}
	}
	for i, p := range points {
		c.Inertia += squared(p, centroids[c.Of[i]])
	}
	return c
}

// fill moves to each empty cluster the point that is farthest from its centroid, among
// clusters of several points. It reports whether it moved any.
func (c *Clusters) fill(points [][]float64, size []int) (filled bool) {
	for k := range size {
		if size[k] > 0 {
			continue
		}
		far, most := -1, 0.0
		for i, p := range points {
			if d := squared(p, c.Centroids[c.Of[i]]); size[c.Of[i]] > 1 && d > most {
				far, most = i, d
			}
		}
		if far < 0 {
			return filled
		}
		size[c.Of[far]]--
		c.Of[far] = k
		size[k] = 1
		copy(c.Centroids[k], points[far])
		filled = true
	}
	return filled
}

// nearestOf returns the centroid nearest to p, the first in case of a tie, and its
// squared distance.
func nearestOf(p []float64, centroids [][]float64) (k int, distance float64) {
	distance = math.Inf(1)
	for i, c := range centroids {
		if d := squared(p, c); d < distance {
			k, distance = i, d
		}
	}
	return k, distance
}

// squared is the squared Euclidean distance. The conversion keeps compilers from
// fusing the operations, so that all machines round alike.
func squared(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		d := x - b[i]
		sum += float64(d * d)
	}
	return sum
}

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
