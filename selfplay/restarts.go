package selfplay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"tengen/game"
	"tengen/replay"
)

// Restarts lets some games start from positions of earlier ones.
type Restarts struct {
	share     float64
	positions []position
}

// position is a position from which games may start.
type position struct {
	actions []game.Action // that lead to it, outcomes of chance included
	bound   float64       // sum of the weights of the positions up to it; positive, and not less than the one before
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
			actions := make([]game.Action, p.Ply)
			for i, m := range p.Game.Moves[:p.Ply] {
				actions[i] = m.Action
			}
			r.positions = append(r.positions, position{actions, sum})
		}
	}
	if len(r.positions) == 0 {
		return nil
	}
	return r
}

// draw returns the actions after which a game starts; ok is false if it starts from the beginning.
func (r *Restarts) draw(rng *rand.Rand) (actions []game.Action, ok bool) {
	if r == nil || rng.Float64() >= r.share {
		return nil, false
	}
	last := len(r.positions) - 1
	x := rng.Float64() * r.positions[last].bound
	i := sort.Search(last, func(i int) bool { return r.positions[i].bound > x })
	return r.positions[i].actions, true
}

// takeOver plays the moves before the position in the game that has just begun. Agents are told of
// them as of any move.
func (x *slot) takeOver(actions []game.Action) {
	for _, a := range actions {
		if err := x.game.Play(a); err != nil {
			panic(fmt.Sprintf("selfplay: game %d starts from a position that was checked: %v", x.record.Number, err))
		}
	}
	x.record.Prefix = len(actions)
	if x.network != nil {
		x.network.restarted()
	}
}
