package abstraction

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/internal/random"
)

// cloud draws each points around every centre.
func cloud(
	rng *rand.Rand, centres [][]float64, each int, width float64,
) (points [][]float64, of []int) {
	for k, c := range centres {
		for range each {
			p := slices.Clone(c)
			for j := range p {
				p[j] += width * rng.NormFloat64()
			}
			points, of = append(points, p), append(of, k)
		}
	}
	return points, of
}

// samePartition reports whether two lists of classes are the same up to the names of
// the classes.
func samePartition(a, b []int) bool {
	for i := range a {
		for j := range a {
			if (a[i] == a[j]) != (b[i] == b[j]) {
				return false
			}
		}
	}
	return true
}

// naive is Lloyd's algorithm as in a textbook: points to the nearest mean, means of
// the points, until nothing changes. It gives up if a cluster becomes empty.
func naive(points, centroids [][]float64) (of []int, inertia float64, ok bool) {
	of = make([]int, len(points))
	for round := 0; ; round++ {
		was := slices.Clone(of)
		members := make([][][]float64, len(centroids))
		inertia = 0
		for i, p := range points {
			best := math.Inf(1)
			for k, c := range centroids {
				d := 0.0
				for j := range p {
					d += (p[j] - c[j]) * (p[j] - c[j])
				}
				if d < best {
					best, of[i] = d, k
				}
			}
			inertia += best
			members[of[i]] = append(members[of[i]], p)
		}
		if round > 0 && slices.Equal(of, was) {
			return of, inertia, true
		}
		for k, list := range members {
			if len(list) == 0 {
				return nil, 0, false
			}
			for j := range centroids[k] {
				sum := 0.0
				for _, p := range list {
					sum += p[j]
				}
				centroids[k][j] = sum / float64(len(list))
			}
		}
	}
}

// From the same seeds the result equals the textbook's, and the centroids are the
// means of their points.
func TestLloyd(t *testing.T) {
	compared := 0
	for i := range uint64(60) {
		rng := random.New(1, random.Test, i)
		d, k := 1+rng.IntN(4), 1+rng.IntN(6)
		points, _ := cloud(rng, [][]float64{make([]float64, d), make([]float64, d)}, 20, 1)
		seeds := plusPlus(points, k, rng)
		copied := make([][]float64, k)
		for j := range seeds {
			copied[j] = slices.Clone(seeds[j])
		}
		got := lloyd(points, seeds)
		of, inertia, ok := naive(points, copied)
		if !ok {
			continue
		}
		compared++
		if !slices.Equal(got.Of, of) || math.Abs(got.Inertia-inertia) > 1e-9 {
			t.Fatalf("%d clusters of %d points: %v with inertia %v, by the textbook %v with %v",
				k, len(points), got.Of, got.Inertia, of, inertia)
		}
		for c, centroid := range got.Centroids {
			for j := range centroid {
				sum, n := 0.0, 0.0
				for p := range points {
					if got.Of[p] == c {
						sum += points[p][j]
						n++
					}
				}
				if math.Abs(centroid[j]-sum/n) > 1e-9 {
					t.Fatalf("coordinate %d of a centroid is %v, the mean of its points %v",
						j, centroid[j], sum/n)
				}
			}
		}
	}
	if compared < 40 {
		t.Errorf("only %d of 60 were compared", compared)
	}
}

// With many seedings, KMeans finds the best partition of a few points, found by trying
// all.
func TestKMeansFindsTheBest(t *testing.T) {
	for i := range uint64(20) {
		rng := random.New(2, random.Test, i)
		const n, k = 7, 3
		points := make([][]float64, n)
		for j := range points {
			points[j] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		}
		best := math.Inf(1)
		of := make([]int, n)
		for code := range 2187 { // 3^7
			for j, c := 0, code; j < n; j, c = j+1, c/k {
				of[j] = c % k
			}
			best = min(best, inertiaOf(points, of, k))
		}
		got := KMeans(points, k, 50, rng)
		if math.Abs(got.Inertia-best) > 1e-9 || math.Abs(inertiaOf(points, got.Of, k)-best) > 1e-9 {
			t.Errorf("inertia %v, of its partition %v; the least is %v",
				got.Inertia, inertiaOf(points, got.Of, k), best)
		}
	}
}

// inertiaOf is the inertia of a partition by the definition.
func inertiaOf(points [][]float64, of []int, k int) float64 {
	sum := 0.0
	for c := range k {
		mean := make([]float64, len(points[0]))
		n := 0.0
		for i, p := range points {
			if of[i] == c {
				n++
				for j := range p {
					mean[j] += p[j]
				}
			}
		}
		for i, p := range points {
			if of[i] == c {
				for j := range p {
					sum += math.Pow(p[j]-mean[j]/n, 2)
				}
			}
		}
	}
	return sum
}

func TestPlantedClustersAreFound(t *testing.T) {
	rng := random.New(3, random.Test)
	points, planted := cloud(rng, [][]float64{{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 8}}, 25, 0.5)
	got := KMeans(points, 4, 10, rng)
	if !samePartition(got.Of, planted) {
		t.Errorf("the clusters are %v", got.Of)
	}
	best, most := 0, -1.0
	for k := 2; k <= 8; k++ {
		if w := Silhouette(points, KMeans(points, k, 10, rng).Of, k); w > most {
			best, most = k, w
		}
	}
	if best != 4 || most < 0.8 {
		t.Errorf("the silhouette is greatest, %v, for %d clusters", most, best)
	}
	again := func() Clusters { return KMeans(points, 5, 3, random.New(4, random.Test)) }
	if !reflect.DeepEqual(again(), again()) {
		t.Error("the same random source gives other clusters")
	}
}

// No cluster is empty if there are enough different points; duplicate points are
// accepted.
func TestClustersAreFilled(t *testing.T) {
	points := [][]float64{{0}, {0}, {0}, {1}, {1}, {5}}
	for i := range uint64(30) {
		got := KMeans(points, 3, 1, random.New(5, random.Test, i))
		if got.Inertia != 0 || !samePartition(got.Of, []int{0, 0, 0, 1, 1, 2}) {
			t.Fatalf("the clusters are %+v", got)
		}
		if got := KMeans(points, 5, 1, random.New(6, random.Test, i)); got.Inertia != 0 ||
			len(got.Centroids) != 5 {
			t.Fatalf("with more clusters than different points they are %+v", got)
		}
	}
	filled := lloyd(points, [][]float64{{0}, {9}, {10}}) // the last two begin without points
	if filled.Inertia != 0 {
		t.Errorf("from seeds far off the clusters are %+v", filled)
	}
}

// By hand: for the points 0 and 1 against 10 and 11 the first has a = 1, b = 10.5, the
// second b = 9.5; a point alone counts 0.
func TestSilhouette(t *testing.T) {
	for _, c := range []struct {
		points []float64
		of     []int
		k      int
		want   float64
	}{
		{[]float64{0, 1, 10, 11}, []int{0, 0, 1, 1}, 2, (9.5/10.5 + 8.5/9.5) / 2},
		{[]float64{0, 1, 10}, []int{0, 0, 1}, 2, (0.9 + 8./9 + 0) / 3},
		{[]float64{0, 1, 10, 11}, []int{0, 1, 0, 1}, 2, (-4.0/10 - 5.0/10 - 5.0/10 - 4.0/10) / 4},
		{[]float64{0, 2, 3}, []int{0, 0, 0}, 1, 0},
		{[]float64{0, 1, 10, 11}, []int{0, 0, 2, 2}, 3, (9.5/10.5 + 8.5/9.5) / 2}, // an empty class
	} {
		points := make([][]float64, len(c.points))
		for i, x := range c.points {
			points[i] = []float64{x}
		}
		if got := Silhouette(points, c.of, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("the silhouette of %v in %v is %v, want %v", c.points, c.of, got, c.want)
		}
	}
}
