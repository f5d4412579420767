package abstraction

import (
	"math"
	"slices"

	"tengen/internal/stream"
)

// Classes sort actions by the directions of their feature vectors. They are safe for
// concurrent use.
type Classes struct {
	Names []string `json:"features"` // of the features
	K     int      `json:"classes"`  // number of classes
	// Scale multiplies features before they are compared: 1 / the standard
	// deviation, 0 for a feature that is always the same.
	Scale []float32 `json:"scale"`
	// Centroids [K][features] are means of directions; nil for Random classes.
	Centroids [][]float32 `json:"centroids,omitempty"`
	// Means [K][features] are those of the features themselves, in the game's
	// own units; nil for Random classes.
	Means [][]float32 `json:"means,omitempty"`
	// Shares [K] of the actions that were clustered; nil for Random classes.
	Shares []float64 `json:"shares,omitempty"`
	// Silhouettes are the mean silhouette widths of the numbers of classes that
	// were tried, from Tried on; nil for Random classes.
	Silhouettes []float64 `json:"silhouettes,omitempty"`
	Tried       int       `json:"tried_from,omitempty"`

	seed uint64 // of Random classes
}

// Random is as many classes as in c to which feature vectors belong by lot: equal
// vectors to the same class.
func (c *Classes) Random(seed uint64) *Classes {
	return &Classes{Names: c.Names, K: c.K, Scale: c.Scale, seed: seed}
}

// of is the class of an action with the features v, scaled. unit is
// scratch of the same length.
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

// Of is the class, 0 to K-1, of an action with the features v, in the game's
// own units. It allocates.
func (c *Classes) Of(v []float32) int {
	scaled := slices.Clone(v)
	c.scale(scaled)
	return c.of(scaled, make([]float32, len(v)))
}

// direction writes v, brought to length 1, to dst; zero stays zero.
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

// byLot hashes the features.
func (c *Classes) byLot(v []float32) int {
	h, _ := stream.Seeds(c.seed, stream.Classes)
	for _, x := range v {
		if x == 0 {
			x = 0 // the two zeros are one
		}
		h = mix(h ^ uint64(math.Float32bits(x)))
	}
	return int(h % uint64(c.K))
}

// scale multiplies the features of an action in place.
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

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
