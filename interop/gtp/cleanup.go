package gtp

import (
	"cmp"
	"slices"
	"time"

	"tengen/game"
)

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
