package abstraction

import (
	"math"

	"tengen/internal/random"
)

// Classes sort actions by the directions of their feature vectors. They are safe for
// concurrent use.
type Classes struct {
	Names []string `json:"features"` // names of the features
	K     int      `json:"classes"`  // number of classes
	// Scale [features] multiplies features before vectors are compared: 1 / the standard
	// deviation, 0 for a constant feature.
	Scale []float32 `json:"scale"`
	// Centroids [K][features] are the mean directions; nil for Random classes.
	Centroids [][]float32 `json:"centroids,omitempty"`
	// Means [K][features] are the mean features in the game's own units; nil for Random
	// classes.
	Means [][]float32 `json:"means,omitempty"`
	// Shares [K] are the fractions of the clustered actions; nil for Random classes.
	Shares []float64 `json:"shares,omitempty"`
	// Silhouettes are the mean silhouette widths of the partitions into Tried, Tried+1, …
	// classes; nil for Random classes.
	Silhouettes []float64 `json:"silhouettes,omitempty"`
	Tried       int       `json:"tried_from,omitempty"`

	seed uint64 // for Random classes
}

// Random returns as many classes as c has, to which feature vectors are assigned by a
// hash: equal vectors to the same class.
func (c *Classes) Random(seed uint64) *Classes {
	return &Classes{Names: c.Names, K: c.K, Scale: c.Scale, seed: seed}
}

// of returns the class of an action with the scaled features v. unit is scratch of the
// same length.
func (c *Classes) of(v, unit []float32) int {
	if c.Centroids == nil {
		return c.byLot(v)
	}
	direction(unit, v)
	best, least := 0, float32(math.Inf(1))
	for k, centroid := range c.Centroids {
		if d := squared32(unit, centroid); d < least {
			best, least = k, d
		}
	}
	return best
}

// direction writes v, normalized to length 1, to dst. The zero vector stays zero.
func direction(dst, v []float32) {
	length := float32(0)
	for _, x := range v {
		length += float32(x * x)
	}
	if length > 0 {
		length = 1 / float32(math.Sqrt(float64(length)))
	}
	for i, x := range v {
		dst[i] = x * length
	}
}

// byLot returns the class that a hash of the features gives.
func (c *Classes) byLot(v []float32) int {
	h, _ := random.Seeds(c.seed, random.Classes)
	for _, x := range v {
		if x == 0 {
			x = 0 // turns -0 into 0
		}
		h = random.Mix(h ^ uint64(math.Float32bits(x)))
	}
	return int(h % uint64(c.K))
}

// scale scales the features of an action in place.
func (c *Classes) scale(v []float32) {
	for i, s := range c.Scale {
		v[i] *= s
	}
}

// squared32 is squared in single precision.
func squared32(a, b []float32) float32 {
	sum := float32(0)
	for i, x := range a {
		d := x - b[i]
		sum += float32(d * d)
	}
	return sum
}
