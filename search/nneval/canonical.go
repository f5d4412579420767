package nneval

import (
	"math"

	"tengen/game"
)

// orientation maps observations to their canonical images, and rows back.
type orientation struct {
	symmetries []game.Symmetry
	sources    [][]int32 // [symmetries][size]: image value i is observation value sources[i]
	left       []int     // scratch: symmetries whose images are equal so far
}

func newOrientation(g game.Game) *orientation {
	o := &orientation{}
	if s, ok := g.(game.Symmetric); ok {
		o.symmetries = s.Symmetries()
	}
	shape := g.Planes()
	cells := shape.H * shape.W
	for _, t := range o.symmetries {
		source := make([]int32, shape.Size())
		for p, q := range t.Planes {
			for i, j := range t.Cells {
				source[q*cells+j] = int32(p*cells + i)
			}
		}
		o.sources = append(o.sources, source)
	}
	o.left = make([]int, 0, len(o.symmetries))
	return o
}

// choose returns the symmetry with an observation's least image, compared value by
// value by their bits; the first of several with the same image.
func (o *orientation) choose(observation []float32) int {
	if len(o.symmetries) < 2 {
		return 0
	}
	left := o.left[:0]
	for t := range o.symmetries {
		left = append(left, t)
	}
	for i := range observation {
		least := uint32(math.MaxUint32)
		n := 0
		for _, t := range left {
			v := math.Float32bits(observation[o.sources[t][i]])
			if v < least {
				least, n = v, 0
			}
			if v == least {
				left[n] = t
				n++
			}
		}
		if left = left[:n]; n == 1 {
			break
		}
	}
	return left[0]
}

// image writes the image of the observation under symmetry t to dst.
func (o *orientation) image(t int, dst, observation []float32) {
	for i, j := range o.sources[t] {
		dst[i] = observation[j]
	}
}

// back writes the row of an observation to policy and values, given the row of its
// image under symmetry t.
func (o *orientation) back(t int, policy, values, imagePolicy, imageValues []float32) {
	s := &o.symmetries[t]
	if len(imagePolicy) > 0 {
		for a, b := range s.Actions {
			policy[a] = imagePolicy[b]
		}
	}
	for p, q := range s.Players {
		values[p] = imageValues[q]
	}
}
