package selfplay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"tengen/replay"
)

// Restarts lets some games start from positions of earlier ones.
type Restarts struct {
	share     float64
	positions []replay.Restart
	bounds    []float64 // sums of the positions' weights up to each one
}

// NewRestarts returns Restarts in which a game starts from one of the positions with probability
// share, drawn in proportion to regret^(1/temperature); nil if there is no position. The temperature
// is above 0.
func NewRestarts(share, temperature float64, positions []replay.Restart) *Restarts {
	most := 0.0
	for _, p := range positions {
		most = max(most, p.Regret)
	}
	r := &Restarts{share: share}
	sum := 0.0
	for _, p := range positions {
		if w := math.Pow(p.Regret/most, 1/temperature); w > 0 {
			sum += w
			r.positions, r.bounds = append(r.positions, p), append(r.bounds, sum)
		}
	}
	if len(r.positions) == 0 {
		return nil
	}
	return r
}

// draw returns the position that a game starts from; ok is false if it is the initial one.
func (r *Restarts) draw(rng *rand.Rand) (p replay.Restart, ok bool) {
	if r == nil || rng.Float64() >= r.share {
		return p, false
	}
	x := rng.Float64() * r.bounds[len(r.bounds)-1]
	i := sort.Search(len(r.bounds)-1, func(i int) bool { return r.bounds[i] > x })
	return r.positions[i], true
}

// takeOver plays the moves before the position in the game that has just begun. Agents are told of
// them as of any move.
func (x *slot) takeOver(p replay.Restart) {
	for _, m := range p.Game.Moves[:p.Ply] {
		if err := x.game.Play(m.Action); err != nil {
			panic(fmt.Sprintf("selfplay: game %d, which the window has checked: %v", p.Game.Number, err))
		}
	}
	x.record.Prefix = p.Ply
	if x.network != nil {
		x.network.restarted()
	}
}
