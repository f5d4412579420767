package abstraction

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Learning configures Learn. The zero value stands for the defaults.
type Learning struct {
	Classes int // the number of classes; 0: chosen from the data
	// Most bounds the number of classes chosen from the data; 0: 12.
	Most int
	// Games is the number of random games from which actions are collected; 0: 50.
	Games int
	// Actions is the number of actions that are clustered, sampled from all that were
	// collected; 0: 600.
	Actions int
	// Restarts is the number of k-means restarts for each number of classes; 0: 10.
	Restarts int
}

// MostClasses bounds the number of classes.
const MostClasses = 64

// mostPlies bounds the actions of a random game from which features are collected.
const mostPlies = 10_000

// complete fills in defaults, or returns an error that says what is wrong.
func (l Learning) complete() (Learning, error) {
	for _, o := range []struct {
		name           string
		value          *int
		standard, most int
	}{
		{"most classes", &l.Most, 12, MostClasses}, {"games", &l.Games, 50, 1_000_000},
		{"actions", &l.Actions, 600, 100_000}, {"restarts", &l.Restarts, 10, 1_000_000},
	} {
		if *o.value == 0 {
			*o.value = o.standard
		}
		if *o.value < 1 || *o.value > o.most {
			return l,
				fmt.Errorf("abstraction: %s is %d; a number from 1 to %d is wanted, or 0 for %d",
					o.name, *o.value, o.most, o.standard)
		}
	}
	if l.Classes < 0 || l.Classes > MostClasses {
		return l, fmt.Errorf("abstraction: classes is %d; a number from 1 to %d is wanted, or 0 to let the data choose", l.Classes, MostClasses)
	}
	return l, nil
}

// enough is the fraction of the greatest mean silhouette width at which a smaller
// number of classes is preferred.
const enough = 0.95

// Learn finds classes of the actions of g. If their number is not given, it is the
// smallest whose mean silhouette width is within 5 % of the greatest: where many
// actions are alike, widths hardly fall as the number grows. The classes for a number
// are the same whether it was given or chosen. Learn returns an error if g is not
// game.Features or its features are constant.
func Learn(g game.Game, l Learning, rng *rand.Rand) (*Classes, error) {
	l, err := l.complete()
	if err != nil {
		return nil, err
	}
	f, ok := g.(game.Features)
	if !ok {
		return nil,
			fmt.Errorf("%s does not describe actions by features, which classes are made of",
				g.Name())
	}
	vectors := sample(g, f, l.Games, l.Actions, rng)
	c := &Classes{Names: f.FeatureNames(), Scale: scales(vectors, len(f.FeatureNames()))}
	if !slices.ContainsFunc(c.Scale, func(s float32) bool { return s > 0 }) {
		return nil,
			fmt.Errorf("%s: all actions have the same features, so there are no classes to find",
				g.Name())
	}
	points, different := c.directions(vectors)
	// Each number of classes has a random source of its own.
	hi, lo := rng.Uint64(), rng.Uint64()
	from, to := 2, max(2, min(l.Most, different))
	if l.Classes > 0 {
		from = min(l.Classes, different)
		to = from
	}
	c.Tried = from
	var found []Clusters
	for k := from; k <= to; k++ {
		clusters := KMeans(points, k, l.Restarts, rand.New(rand.NewPCG(hi, lo+uint64(k))))
		found = append(found, clusters)
		c.Silhouettes = append(c.Silhouettes, Silhouette(points, clusters.Of, k))
	}
	most := slices.Max(c.Silhouettes)
	c.take(vectors,
		found[slices.IndexFunc(c.Silhouettes, func(w float64) bool {
			return w >= most-(1-enough)*math.Abs(most)
		})])
	return c, nil
}

// directions returns the directions of feature vectors, and how many are different.
func (c *Classes) directions(vectors [][]float32) (points [][]float64, different int) {
	seen := map[string]bool{}
	scaled := make([]float32, len(c.Scale))
	for _, v := range vectors {
		copy(scaled, v)
		c.scale(scaled)
		direction(scaled, scaled)
		point, key := make([]float64, len(v)), make([]byte, 0, 4*len(v))
		for i, x := range scaled {
			point[i] = float64(x)
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(x))
		}
		seen[string(key)] = true
		points = append(points, point)
	}
	return points, len(seen)
}

// take sets the classes to the clusters found.
func (c *Classes) take(vectors [][]float32, found Clusters) {
	c.K = len(found.Centroids)
	c.Shares = make([]float64, c.K)
	for _, centroid := range found.Centroids {
		row := make([]float32, len(centroid))
		for i, x := range centroid {
			row[i] = float32(x)
		}
		c.Centroids = append(c.Centroids, row)
		c.Means = append(c.Means, make([]float32, len(centroid)))
	}
	for i, k := range found.Of {
		c.Shares[k]++
		for j, x := range vectors[i] {
			c.Means[k][j] += x
		}
	}
	for k, n := range c.Shares {
		for j := range c.Means[k] {
			c.Means[k][j] /= float32(max(n, 1))
		}
		c.Shares[k] /= float64(len(found.Of))
	}
}

// sample draws the features of the given number of actions, uniformly from all that
// were legal in the given number of random games (reservoir sampling; Vitter 1985,
// algorithm R). It returns fewer if there are fewer.
func sample(g game.Game, f game.Features, games, actions int, rng *rand.Rand) [][]float32 {
	var vectors [][]float32
	row := make([]float32, len(f.FeatureNames()))
	initial, s := g.NewState(), g.NewState()
	var legal []game.Action
	met := 0
	for range games {
		s.CopyFrom(initial)
		for ply := 0; ply < mostPlies && s.CurrentPlayer() != game.Nobody; ply++ {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			legal = s.LegalActions(legal[:0])
			for _, a := range legal {
				f.Describe(row, s, a)
				for i := range row {
					row[i] += 0 // -0 becomes 0
				}
				if met++; len(vectors) < actions {
					vectors = append(vectors, slices.Clone(row))
				} else if i := rng.IntN(met); i < actions {
					copy(vectors[i], row)
				}
			}
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
	return vectors
}

// scales returns 1 / the standard deviation of each of n features, 0 for constant
// ones.
func scales(vectors [][]float32, n int) []float32 {
	list := make([]float32, n)
	for j := range list {
		mean, squares := 0.0, 0.0
		for _, v := range vectors {
			mean += float64(v[j]) / float64(len(vectors))
		}
		for _, v := range vectors {
			d := float64(v[j]) - mean
			squares += float64(d * d)
		}
		if deviation := math.Sqrt(squares / float64(len(vectors))); deviation > 1e-9 {
			list[j] = float32(1 / deviation)
		}
	}
	return list
}
