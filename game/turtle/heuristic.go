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
