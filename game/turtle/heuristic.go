package turtle

import (
	"math/bits"
	"slices"
	"strings"

	"tengen/game"
)

// winWorth is the value of a win in the heuristics that consider results: more than
// the scores of twenty turns.
const winWorth = 1000

// Heuristics are the strategies as evaluations: the value of a line of play is the sum
// of the player's own move scores less those of all others, each scored for its own
// turtle. As in the paper, winning and losing have no value of their own. Each
// strategy except Dummy has a variant with the suffix "-win", in which a win is worth
// 1000 and a loss -1000.
func (g *Game) Heuristics() []game.Heuristic {
	var list []game.Heuristic
	for q := range Strategy(strategies) {
		list = append(list, g.heuristic(q, 0))
	}
	for _, q := range []Strategy{Fast, EfficientSmart, Hybrid} {
		list = append(list, g.heuristic(q, winWorth))
	}
	return list
}

// heuristic values moves by a strategy, and a win by worth.
func (g *Game) heuristic(q Strategy, worth float64) game.Heuristic {
	least, greatest := float64(q.least()), float64(q.greatest(g.goal))
	h := game.Heuristic{
		Name:    q.String(),
		Summary: "own less others' move scores by " + strategySummaries[q],
		Low:     -1, High: 1,
		TurnLow: min(least, -greatest), TurnHigh: max(greatest, -least),
		Value: func(game.State, game.Player) float64 { return 0 },
		Gain: func(s game.State, a game.Action, p game.Player) float64 {
			t := baseOf(s)
			score := float64(q.score(t, a, t.owner[t.mover]))
			if int(p) == int(t.mover) {
				return score
			}
			return -score
		},
	}
	if worth > 0 {
		h.Name += "-win"
		h.Summary += ", and the result"
		h.Low, h.High = -worth, worth
		h.Value = func(s game.State, p game.Player) float64 {
			return worth * baseOf(s).result(int(p))
		}
	}
	return h
}

// valuation returns the strategy of a heuristic and what a win is worth to it.
func valuation(heuristic string) (q Strategy, worth float64, ok bool) {
	name, win := strings.CutSuffix(heuristic, "-win")
	i := slices.Index(strategyNames[:], name)
	if win {
		worth = winWorth
	}
	return Strategy(i), worth, i >= 0
}

// Flat values a turn in which no action can end the game (minimax.Flat): then only gains count.
// The card drawn before it goes to another player, and changes nothing.
func (g *Game) Flat(
	heuristic string,
) func(s game.State, p game.Player) (value float64, best game.Action, leaves int64, ok bool) {
	q, _, ok := valuation(heuristic)
	if !ok {
		return nil
	}
	return func(
		s game.State, p game.Player,
	) (value float64, best game.Action, leaves int64, ok bool) {
		t := baseOf(s)
		mover, _ := t.nextPlayer()
		if t.phase != play && t.phase != draw || t.endsWithin(1) {
			return 0, game.NoAction, 0, false
		}
		// The player to move has its greatest score; for another, that is the least gain.
		legal := t.legalOf(mover)
		best = game.Action(bits.TrailingZeros64(q.preferred(t, mover, legal)))
		if value = float64(q.score(t, best, t.owner[mover])); int(p) != mover {
			value = -value
		}
		return value, best, int64(bits.OnesCount64(legal)), true
	}
}

// Range bounds the scores of a number of turns, and the result (minimax.Ranged).
func (g *Game) Range(
	heuristic string,
) func(s game.State, p game.Player, turns int) (low, high float64) {
	q, worth, ok := valuation(heuristic)
	if !ok {
		return nil
	}
	return func(s game.State, p game.Player, turns int) (low, high float64) {
		t := baseOf(s)
		if t.phase != over {
			least, greatest := q.bounds(t, int(p), turns)
			low, high = float64(least), float64(greatest)
		}
		if worth > 0 && t.endsWithin(turns) {
			low, high = low-worth, high+worth
		}
		return low, high
	}
}

// result is 1 for a winner, -1 for a loser, less for winners who share, and 0 before
// the end.
func (s *base) result(p int) float64 {
	if s.phase != over {
		return 0
	}
	if s.winners>>p&1 == 0 {
		return -1
	}
	return 2/float64(popcount(s.winners)) - 1
}

// Kinds of moves: whose turtle moves, and how.
const (
	ownTwo   = iota // the player's own turtle, two squares forward
	ownOne          // one forward
	ownBack         // one backward
	otherTwo        // another, two forward
	otherOne
	otherBack
	noMove // a discard
	moveKinds
)

// kindSteps is the number of squares that the turtle moves, by kind.
var kindSteps = [noMove]int{
	ownTwo: 2, ownOne: 1, ownBack: -1, otherTwo: 2, otherOne: 1, otherBack: -1,
}

// columnsOf are the moves of each herd's turtles.
var columnsOf = func() (sets [1 << Turtles]uint64) {
	for h := range sets {
		for row := range cardRows {
			sets[h] |= uint64(h) << (Turtles * row)
		}
	}
	return sets
}()

// movesOf are the actions of each kind, by the player's own turtle.
var movesOf = func() (sets [Turtles][moveKinds]uint64) {
	for own := range Turtle(Turtles) {
		for t := range Turtle(Turtles) {
			for row, n := range steps {
				kind := otherTwo
				if t == own {
					kind = ownTwo
				}
				switch n {
				case 1:
					kind++
				case -1:
					kind += 2
				}
				sets[own][kind] |= 1 << action(row, t)
			}
		}
		sets[own][noMove] = discards
	}
	return sets
}()

// gains are f_d of each kind of move: lowest and highest, which differ only for
// Hybrid, between trailing and leading.
type gains struct{ low, high [moveKinds]int }

var gainsOf = [strategies]gains{
	Fast: {[moveKinds]int{40, 10, -10, -4, -1, 1, 0},
		[moveKinds]int{40, 10, -10, -4, -1, 1, 0}},
	EfficientSmart: {[moveKinds]int{4, 1, -10, -4, -1, 10, 0},
		[moveKinds]int{4, 1, -10, -4, -1, 10, 0}},
	Hybrid: {[moveKinds]int{4, 1, -10, -4, -1, 1, 0}, [moveKinds]int{40, 10, -10, -4, -1, 10, 0}},
}

const (
	// everyMove is what an unknown hand may play.
	everyMove = uint64(1)<<actions - 1
	// discards are the actions that any hand may be forced to.
	discards = uint64(allTurtles)<<(Turtles*rowDiscard) | 1<<DiscardAny
)

// bounds returns the least and greatest possible sum of p's own scores less the
// others' in the given number of turns. A turn before which the game may have ended
// may contribute nothing. In its first of these turns a player has its current hand,
// unless it is about to draw.
func (q Strategy) bounds(s *base, p, turns int) (low, high int) {
	players := s.g.rules.Players
	next, drawing := s.nextPlayer()
	for i := range turns {
		player := next + i
		for player >= players {
			player -= players
		}
		moves := everyMove
		switch {
		case i == 0 && s.phase == play:
			moves = s.legal()
		case i < players && s.phase >= play && player != drawing:
			moves = s.hands[player].held | discards
		}
		least, greatest := q.turnBounds(s, player, moves, i+1)
		if i > 0 && s.endsWithin(i) {
			least, greatest = min(least, 0), max(greatest, 0)
		}
		if player == p {
			low, high = low+least, high+greatest
		} else {
			low, high = low-greatest, high-least
		}
	}
	return low, high
}

// turnBounds returns the least and greatest score of a player in the last of the given
// number of turns, if it can make only the given moves. Each of the turns may carry
// its turtle.
func (q Strategy) turnBounds(s *base, player int, moves uint64, turns int) (least, greatest int) {
	if q == Dummy {
		return 0, 0
	}
	own := s.owner[player]
	if own == NoTurtle {
		return q.least(), q.greatest(s.g.goal)
	}
	g := &gainsOf[q]
	least, greatest = 1<<30, -1<<30
	for kind := range moveKinds {
		if moves&movesOf[own][kind] != 0 {
			least, greatest = min(least, g.low[kind]), max(greatest, g.high[kind])
		}
	}
	square := s.square(own)
	return least + max(0, square-turns), greatest + min(s.g.goal, square+2*turns)
}

// nextPlayer returns who plays the next card, and who is about to draw one: -1 if
// there is none, or before the hands are dealt.
func (s *base) nextPlayer() (next, drawing int) {
	switch s.phase {
	case play:
		return int(s.mover), -1
	case draw:
		return (int(s.mover) + 1) % s.g.rules.Players, int(s.mover)
	}
	return 0, -1
}

// endsWithin reports whether the game is over or may end within the given number of
// turns.
func (s *base) endsWithin(turns int) bool {
	return s.phase == over || int(s.turn)+turns >= s.g.rules.MaxTurns ||
		s.firstSquare()+2*turns >= s.g.goal
}
