package gtp

import (
	"cmp"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/goban"
)

// status is what becomes of the stones on a board, and whose its points are without those that are
// dead.
type status struct {
	stones []game.Player // as they stand: a colour or game.Nobody for each point
	dead   []bool        // [points]
	seki   []bool        // alive, without two eyes
	// a stone's colour, or the only one around an empty point; game.Nobody for neither
	owner []game.Player
}

// statusGames is the number of games that are played out to judge stones.
const statusGames = 400

// A chain is dead if its colour ends with its points in less than a fraction of the games. It is in
// a seki if it is not dead and one of its liberties stays empty, and nobody's, in more than a
// fraction. Against GNU Go's judgement of the ends of 54 games the first lies between stones that
// are dead (up to 0.45, with one exception) and those that live (from 0.55).
const (
	deadBelow = 0.5
	sekiAbove = 0.5
)

// status returns the status of the stones in a state. Equal stones have the same.
func (e *Engine) status(s game.State) *status { return e.statusBy(s, time.Time{}) }

// statusBy is status, or nil if it is not known by a time that is not zero.
func (e *Engine) statusBy(s game.State, until time.Time) *status {
	if size := e.rules.Rows; e.rollouts == nil || e.rollouts.board.size != size {
		e.rollouts = newRollouts(size)
	}
	e.rollouts.begin(goban.Stones(s, nil))
	for e.rollouts.number < statusGames {
		if !until.IsZero() && !e.config.Now().Before(until) {
			return nil
		}
		e.rollouts.play(20)
	}
	return e.rollouts.status()
}

// margin is the score of Black less that of White, komi counted, without the stones that are dead.
func (e *Engine) margin() float64 {
	return float64(e.status(e.State()).lead(0)) + e.rules.Komi[0] - e.rules.Komi[1]
}

// lead is by how many points a colour leads, komi apart.
func (t *status) lead(color game.Player) (points int) {
	for _, c := range t.owner {
		switch c {
		case color:
			points++
		case 1 - color:
			points--
		}
	}
	return points
}

// status judges by the games that were played.
func (x *rollouts) status() *status {
	n := len(x.start)
	t := &status{stones: slices.Clone(x.start), dead: make([]bool, n), seki: make([]bool, n)}
	left := slices.Clone(x.start)
	for _, points := range x.chains(x.start) {
		c := x.start[points[0]]
		if c == game.Nobody {
			continue
		}
		kept, open := 0, 0
		for _, p := range points {
			kept += x.owned[p][c]
			for _, q := range x.board.near(x.board.point(p)) {
				if x.board.at[q] == empty {
					open = max(open, x.open[x.pointOf(q)])
				}
			}
		}
		dead := float64(kept) < deadBelow*float64(x.number*len(points))
		for _, p := range points {
			t.dead[p], t.seki[p] = dead, !dead && float64(open) > sekiAbove*float64(x.number)
			if dead {
				left[p] = game.Nobody
			}
		}
	}
	t.owner = left
	x.board.set(left)
	eachRegion(x.board, func(points []int16, owner int8) {
		for _, q := range points {
			t.owner[x.pointOf(q)] = game.Player(owner)
		}
	})
	return t
}

// chains lists the chains of a position, and its empty points one by one, by their first point. The
// board is then that position.
func (x *rollouts) chains(stones []game.Player) (list [][]int) {
	r := x.board
	r.set(stones)
	listed := make([]bool, len(stones))
	for p, c := range stones {
		if listed[p] {
			continue
		}
		points := []int{p}
		if c != game.Nobody {
			r.chain(r.point(p), len(r.at))
			points = points[:0]
			for _, q := range r.group {
				points = append(points, x.pointOf(q))
				listed[x.pointOf(q)] = true
			}
		}
		list = append(list, points)
	}
	return list
}

// Dead stones count for their colour until they are taken. A search that is sure to win does not
// mind, and another program counts otherwise; so they are taken before a pass ends the game.

// capture returns a move of color that takes dead stones of the other, or a liberty of theirs, and
// costs nothing; ok is false if there is none. It gives up at a time, if that is not zero. The game
// is as before, but the agent may have to begin anew.
func (e *Engine) capture(color game.Player, until time.Time) (a game.Action, ok bool) {
	t := e.statusBy(e.State(), until)
	if t == nil || !t.holds(1-color) {
		return game.NoAction, false
	}
	e.replay()
	defer e.replay()
	if e.hand(color) != nil {
		return game.NoAction, false
	}
	legal, s := e.play.LegalActions(), e.game.NewState()
	for _, p := range e.rollouts.attacks(t, color) {
		if !slices.Contains(legal, p) {
			continue
		}
		s.CopyFrom(e.State())
		s.Apply(p)
		switch after := e.statusBy(s, until); {
		case after == nil:
			return game.NoAction, false
		case after.lead(color) >= t.lead(color):
			return p, true
		}
	}
	return game.NoAction, false
}

// GenCleanup is GenMove after a dispute about dead stones: if the other has passed, those of the
// other are taken first, and the player is asked where there are none.
func (e *Engine) GenCleanup(color game.Player) (game.Action, error) {
	if n := len(e.moves); n > 0 && e.moves[n-1].color != color && e.moves[n-1].action == e.pass() {
		began := e.config.Now()
		if a, ok := e.capture(color, time.Time{}); ok {
			e.spend(color, began)
			return a, e.Play(color, a)
		}
	}
	return e.GenMove(color)
}

// holds reports whether dead stones of a colour are on the board.
func (t *status) holds(color game.Player) bool {
	for p, dead := range t.dead {
		if dead && t.stones[p] == color {
			return true
		}
	}
	return false
}

// attacks lists the liberties of the other colour's dead chains at which color may play: sacrifices
// last, and first those of the chains with the fewest liberties.
func (x *rollouts) attacks(t *status, color game.Player) (points []game.Action) {
	type attack struct {
		point      game.Action
		liberties  int // of the chain
		sacrifices int // 1: the stone can be taken, and takes nothing
	}
	var list []attack
	c, r := int8(color), x.board
	for _, chain := range x.chains(t.stones) {
		if !t.dead[chain[0]] || t.stones[chain[0]] == color {
			continue
		}
		r.chain(r.point(chain[0]), len(r.at))
		var around []int16
		for _, p := range r.group {
			for _, q := range r.near(p) {
				if r.at[q] == empty && !slices.Contains(around, q) {
					around = append(around, q)
				}
			}
		}
		for _, q := range around {
			if !r.legal(q, c) || r.eye(q, c) || r.wasteful(q, c) {
				continue
			}
			a := attack{game.Action(x.pointOf(q)), len(around), 0}
			r.at[q] = c // for now
			if len(around) > 1 && r.chain(q, 2) < 2 {
				a.sacrifices = 1
			}
			r.at[q] = empty
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b attack) int {
		return cmp.Or(cmp.Compare(a.sacrifices, b.sacrifices),
			cmp.Compare(a.liberties, b.liberties))
	})
	for _, a := range list {
		if !slices.Contains(points, a.point) {
			points = append(points, a.point)
		}
	}
	return points
}
