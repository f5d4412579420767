package replay

import (
	"cmp"
	"slices"

	"tengen/game"
	"tengen/internal/splitmix"
)

// Restart is a position of a game from which another game can start.
type Restart struct {
	Game   *Game
	Ply    int // the position is the one before this ply
	Regret float64
}

// Restarts returns up to n positions, those with the greatest regret first: at most one of each game
// that is not held out, the one at which the value that a network's search found differs most from
// the result. Positions that a game took from an earlier one are not its own.
//
// The regret is the mean over the players of the squared difference of result and value. If
// several games of the window passed through the position, by the same moves and outcomes of chance, their differences are
// averaged before they are squared: what was luck cancels out, and an error of the value stays. So a position from which
// games have been started has little regret once the value has become right, or if it was right from the start.
// Positions without regret are left out.
func (w *Window) Restarts(n int) []Restart {
	var list []position
	index := map[uint64]int{} // by history
	for _, e := range w.entries {
		ply, ok := e.game.surprise()
		if e.held || !ok {
			continue
		}
		if _, known := index[e.game.history(ply)]; !known {
			index[e.game.history(ply)] = len(list)
			list = append(list, position{Restart: Restart{Game: e.game, Ply: ply}})
		}
	}
	for _, e := range w.entries {
		if e.held {
			continue
		}
		hash := uint64(0)
		for ply := range e.game.Moves {
			if k, ok := index[hash]; ok && e.game.judges(ply) {
				list[k].add(e.game, ply)
			}
			hash = next(hash, e.game.Moves[ply].Action)
		}
	}
	restarts := make([]Restart, 0, len(list))
	for i := range list {
		if r := list[i].judged(); r.Regret > 0 {
			restarts = append(restarts, r)
		}
	}
	slices.SortFunc(restarts, func(a, b Restart) int {
		return cmp.Or(cmp.Compare(b.Regret, a.Regret), cmp.Compare(a.Game.Number, b.Game.Number))
	})
	return restarts[:min(n, len(restarts))]
}

// position is a Restart with what the games that passed through it found.
type position struct {
	Restart
	sums  [game.MaxPlayers]float64 // of the differences of results and values
	games int
}

func (x *position) add(g *Game, ply int) {
	x.games++
	for p, v := range g.Moves[ply].Value {
		x.sums[p] += float64(g.result()[p]) - float64(v)
	}
}

// judged returns the position with its regret.
func (x *position) judged() Restart {
	r := x.Restart
	players := len(r.Game.Seats)
	for p := range players {
		mean := x.sums[p] / float64(x.games)
		r.Regret += mean * mean / float64(players)
	}
	return r
}

// judges reports whether a network's search found a value at a ply.
func (g *Game) judges(ply int) bool {
	m := &g.Moves[ply]
	return m.Mover >= 0 && g.Seats[m.Mover].Kind == Network && len(m.Value) > 0
}

// surprise returns the ply at which the value of a network's search differs most from the result.
func (g *Game) surprise() (ply int, ok bool) {
	most := -1.0
	for i := g.Prefix; i < len(g.Moves); i++ {
		if !g.judges(i) {
			continue
		}
		x := position{Restart: Restart{Game: g}}
		x.add(g, i)
		if r := x.judged().Regret; r > most {
			ply, most, ok = i, r, true
		}
	}
	return ply, ok
}

// history returns a hash of the moves before a ply.
func (g *Game) history(ply int) (hash uint64) {
	for _, m := range g.Moves[:ply] {
		hash = next(hash, m.Action)
	}
	return hash
}

// next returns the hash of a history and one more move.
func next(hash uint64, a game.Action) uint64 { return splitmix.Step(hash ^ uint64(a)) }
