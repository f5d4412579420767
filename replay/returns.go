package replay

import (
	"fmt"

	"tengen/game"
)

// returns computes λ-returns: what a game from a ply on says about its value, as a weighted sum of
// the root values that the network's searches found at and after the ply and of the result
// (Sutton 1988; for tree search: Willemsen, Baier, Kaisers 2021). With λ and the recorded values
// v_0 (at the ply itself or the first after it), v_1, …, v_{n-1}, and the result z, it is
//
//	(1-λ)·Σ λ^k·(v_k - l_k) + λ^n·(z - l_n)
//
// where l_k is 0, or the luck between the ply and v_k: see compute.
type returns struct {
	lambda   float64
	noLuck   bool      // subtract luck
	checked  bool      // the records are (EncoderConfig.Checked)
	searched []float64 // by player: Σ (1-λ)·λ^k·(v_k - l_k)
	luck     []float64 // by player: l of the last step
	weight   float64   // Σ (1-λ)·λ^k
	left     float64   // λ^n
	lucky    bool      // some luck was measured
}

func newReturns(players int, bootstrap float64, noLuck bool) *returns {
	return &returns{lambda: 1 - bootstrap, noLuck: noLuck, searched: make([]float64, players), luck: make([]float64, players)}
}

// compute computes the return from a ply on.
//
// Luck is what an outcome of chance changed. It is the difference between the value after the
// outcome, which is the next recorded root value or the result, and what the search before it
// expected of its move (Move.Expected), if nothing but forced moves lies between. The differences
// are subtracted from all that follows, as by the control variates of AIVAT (Burch et al. 2018).
// Their mean over the outcomes is 0 as far as searches before and after an outcome agree. Where a
// player decides without a recorded value of the network, what chance changed is not known, and
// is left in.
func (r *returns) compute(rec *Game, ply int) error {
	clear(r.searched)
	clear(r.luck)
	r.weight, r.left, r.lucky = 0, 1, false
	var before []float32 // expected by the last search, if only forced moves and chance followed
	drawn := false       // chance did
	for i := ply; i < len(rec.Moves); i++ {
		m := &rec.Moves[i]
		if !r.checked {
			if err := m.check(len(r.luck)); err != nil {
				return fmt.Errorf("ply %d: %w", i, err)
			}
		}
		switch {
		case m.Mover == game.Chance:
			drawn = true
		case len(m.Value) == 0 && rec.Seats[m.Mover].Kind == Guest: // perhaps a decision
			before = nil
		case len(m.Value) == 0 && len(m.Visits) == 0: // forced
		case len(m.Value) == 0 || rec.Seats[m.Mover].Kind != Network:
			before = nil
		default:
			if drawn {
				r.draw(before, m.Value)
			}
			share := (1 - r.lambda) * r.left
			for p, v := range m.Value {
				r.searched[p] += share * (float64(v) - r.luck[p])
			}
			r.weight += share
			r.left *= r.lambda
			before, drawn = m.Expected, false
		}
	}
	if drawn {
		r.draw(before, rec.result())
	}
	return nil
}

// draw measures luck.
func (r *returns) draw(before, after []float32) {
	if !r.noLuck || len(before) == 0 {
		return
	}
	r.lucky = true
	for p, v := range after {
		r.luck[p] += float64(v) - float64(before[p])
	}
}
