package pruning

import "math"

// Least returns the number of visits that a visited child is forced to have: sqrt(k·P·N), for
// its prior P, noise included, and the sum N of the visits of all children.
func Least(k float64, prior float32, sum int32) float64 {
	return math.Sqrt(k * float64(prior) * float64(sum))
}

// Child is a child of the root after a search, not the most visited one.
type Child struct {
	Visits int32
	Prior  float32 // noise included
	Q      float64 // mean utility for the root's player
	Width  float64 // the factor of P/(1+N) in PUCT
}

// Score returns PUCT(c).
func (c Child) Score() float64 { return c.after(c.Visits) }

// after returns PUCT(c) after a number of visits with the same Q. The conversion prevents fused
// multiply-add.
func (c Child) after(visits int32) float64 {
	return c.Q + float64(c.Width*(float64(c.Prior)/float64(1+visits)))
}

// Pruned returns how many of the child's visits are taken from the policy target: up to least,
// as long as PUCT(c) does not reach best, which is that of the most visited child. Of a child
// with one visit left, that is taken too.
func (c Child) Pruned(least, best float64) int32 {
	left := c.Visits
	limit := left - int32(min(least, float64(left)))
	for left > limit && c.after(left-1) < best {
		left--
	}
	if left == 1 {
		left = 0
	}
	return c.Visits - left
}
