package record

import (
	"errors"
	"fmt"
	"math/bits"

	"tengen/game"
)

// MaxWeight is the weight of the action of the greatest probability of a Move's Policy.
const MaxWeight = 1<<16 - 1

// A policy target is encoded in bits, in this order:
//
//	form     1 bit: 0, a mask; 1, a list
//	actions  as a mask: a bit for each action below the game's limit.
//	         As a list: the number of actions less 1, in an exponential Golomb code of order 0, and
//	         each action in the width of the limit less 1.
//	visits   each count, in an exponential Golomb code whose order follows from those before it
//	weights  if there is a policy: 16 bits each
//
// The form is that of fewer bits, a mask if both have as many.

// order is the order of the code of the next visit count.
type order struct{ mean uint32 }

func newOrder() order { return order{2} }

func (o *order) k() int { return max(0, bits.Len32(o.mean)-1) }

func (o *order) add(n uint32) { o.mean = uint32((uint64(o.mean) + uint64(n)) / 2) }

// listBits returns the number of bits of a list of n of the actions below limit.
func listBits(n int, limit uint32) int { return golombBits(uint32(n-1), 0) + n*width(limit-1) }

// isList reports whether n of the actions below limit are encoded as a list.
func isList(n int, limit uint32) bool { return listBits(n, limit) < int(limit) }

// targetBits returns the number of bits of a move's target.
func targetBits(m *Move, limit uint32) int {
	n := 1 + min(int(limit), listBits(len(m.Visits), limit)) + 16*len(m.Policy)
	o := newOrder()
	for _, v := range m.Visits {
		n += golombBits(v.N, o.k())
		o.add(v.N)
	}
	return n
}

// target appends a move's target.
func (w *bitWriter) target(m *Move, limit uint32) {
	list := isList(len(m.Visits), limit)
	if w.flag(list); list {
		w.golomb(uint32(len(m.Visits)-1), 0)
		for _, v := range m.Visits {
			w.put(uint64(v.Action), width(limit-1))
		}
	} else {
		next := game.Action(0)
		for _, v := range m.Visits {
			for ; v.Action-next >= 32; next += 32 {
				w.put(0, 32)
			}
			w.put(1<<(v.Action-next), int(v.Action-next)+1)
			next = v.Action + 1
		}
		for ; int(limit)-int(next) > 32; next += 32 {
			w.put(0, 32)
		}
		w.put(0, int(limit)-int(next))
	}
	o := newOrder()
	for _, v := range m.Visits {
		w.golomb(v.N, o.k())
		o.add(v.N)
	}
	for _, x := range m.Policy {
		w.put(uint64(x), 16)
	}
}

// Target is the policy target of a move: see Move.
type Target struct {
	Visits []Visit
	Policy []uint16
}

// Of returns the target of the action of Visits[i], up to a common factor.
func (t *Target) Of(i int) float64 {
	if len(t.Policy) > 0 {
		return float64(t.Policy[i])
	}
	return float64(t.Visits[i].N)
}

var errTarget = errors.New("its bits are no policy target")

// read reads a target, which must fill r, and keeps the room of t's slices.
func (t *Target) read(r *bitReader, limit uint32, policy bool) error {
	t.Visits, t.Policy = t.Visits[:0], t.Policy[:0]
	list := r.take(1) == 1
	if list {
		n, wide := int(r.golomb(0))+1, width(limit-1)
		// An action that takes no bits comes once at most.
		if n > (r.end-r.at)/max(1, wide)+1 {
			return errTarget
		}
		for range n {
			t.Visits = append(t.Visits, Visit{Action: game.Action(r.take(wide))})
		}
	} else {
		if int64(limit) > int64(r.end-r.at) {
			return errTarget
		}
		for first := 0; first < int(limit); first += WordPlies {
			for x := r.take(min(WordPlies, int(limit)-first)); x != 0; x &= x - 1 {
				t.Visits = append(t.Visits,
					Visit{Action: game.Action(first + bits.TrailingZeros64(x))})
			}
		}
	}
	n := len(t.Visits)
	if r.bad || n == 0 || list != isList(n, limit) {
		return errTarget
	}
	o := newOrder()
	last, total, most := game.NoAction, uint64(0), uint64(0)
	for i := range t.Visits {
		v := &t.Visits[i]
		if v.Action <= last || uint32(v.Action) >= limit {
			return fmt.Errorf("the visited action %d follows action %d; must be above it and below %d",
				v.Action, last, limit)
		}
		last = v.Action
		v.N = r.golomb(o.k())
		o.add(v.N)
		total += uint64(v.N)
	}
	if policy {
		for range n {
			x := r.take(16)
			most = max(most, x)
			t.Policy = append(t.Policy, uint16(x))
		}
	}
	switch {
	case r.bad || r.at != r.end:
		return errTarget
	case policy && most != MaxWeight:
		return fmt.Errorf("the greatest weight is %d; must be %d", most, MaxWeight)
	case !policy && total == 0:
		return errors.New("all visit counts are 0")
	}
	return nil
}
