package window

import (
	"fmt"
	"tengen/replay/record"
)

// returns computes λ-returns: what a game from a ply on says about its value, as a weighted sum of
// the root values that the network's searches found at and after the ply and of the result
// (Sutton 1988; for tree search: Willemsen, Baier, Kaisers 2021). With λ and the recorded values
// v_0 (at the ply itself or the first after it), v_1, …, v_{n-1}, and the result z, it is
//
//	(1-λ)·Σ λ^k·v_k + λ^n·z
type returns struct {
	lambda   float64
	checked  bool      // the records are (EncoderConfig.Checked)
	searched []float64 // by player: Σ (1-λ)·λ^k·v_k
	left     float64   // λ^n
}

func newReturns(players int, bootstrap float64) *returns {
	return &returns{lambda: 1 - bootstrap, searched: make([]float64, players)}
}

// compute computes the return from a ply on.
func (r *returns) compute(rec *record.Game, ply int) error {
	clear(r.searched)
	r.left = 1
	for i := ply; i < len(rec.Moves); i++ {
		m := &rec.Moves[i]
		if !r.checked {
			if err := m.Check(len(r.searched)); err != nil {
				return fmt.Errorf("ply %d: %w", i, err)
			}
		}
		if len(m.Value) == 0 || rec.Seats[m.Mover].Kind != record.Network {
			continue
		}
		share := (1 - r.lambda) * r.left
		for p, v := range m.Value {
			r.searched[p] += share * float64(v)
		}
		r.left *= r.lambda
	}
	return nil
}
