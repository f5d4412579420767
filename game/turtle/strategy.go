package turtle

import (
	"math/rand/v2"

	"tengen/game"
)

// Strategy is one of the paper's four (section III): it scores the moves of a player,
// and plays one with the greatest score.
type Strategy uint8

const (
	// Fast prefers to move its own turtle forward (formulas 4 to 7).
	Fast Strategy = iota
	// EfficientSmart prefers to move the others back (formulas 7 and 8).
	EfficientSmart
	// Hybrid is Fast while its turtle leads and EfficientSmart while it trails (formulas
	// 7, 9 and 10).
	Hybrid
	// Dummy plays at random: every move has the score 0.
	Dummy
	strategies = 4
)

var strategyNames = [strategies]string{"fast", "efficient", "hybrid", "dummy"}

var strategySummaries = [strategies]string{
	"the paper's Fast: the own turtle forward",
	"the paper's Efficient-smart: the others back",
	"the paper's Hybrid: Fast while leading, Efficient-smart while trailing",
	"the paper's Dummy: at random",
}

// String is the strategy's name: fast, efficient, hybrid or dummy.
func (q Strategy) String() string { return strategyNames[q] }

// greatest and least bound the scores of a move on a track that ends at goal.
func (q Strategy) greatest(goal int) int {
	return [strategies]int{goal + 40, goal + 10, goal + 40, 0}[q]
}
func (q Strategy) least() int { return [strategies]int{-10, -10, -10, 0}[q] }

// score returns F_q = f_p + f_d (formula 7) for the player who owns own if action a of
// s, a card played or discarded, is its own: f_p is the square of own after the move
// (formula 4), f_d = k·c (formulas 5 and 9), c the squares that the card moves and k
// the rate of the strategy (formulas 6, 8 and 10), which again contains c. A discard
// moves nothing: its f_d is 0. The leading player of formula 10 is taken over all
// turtles, since owners are hidden, before the move.
func (q Strategy) score(s *base, a game.Action, own Turtle) int {
	if q == Dummy {
		return 0
	}
	if !isPlay(a) {
		return s.square(own)
	}
	t, n := turtleOf(a), steps[rowOf(a)]
	after := s.square(own)
	if s.herdOf(t)>>own&1 != 0 {
		after = target(after, n, s.g.goal)
	}
	c := max(n, -n)
	fast := q == Fast || q == Hybrid && s.points(own) >= s.mostPoints()
	k := 0
	switch {
	case t == own && n > 0 && fast:
		k = 10 * c
	case t == own && n > 0:
		k = c
	case t == own:
		k = -10 * c
	case n > 0:
		k = -c
	case fast:
		k = c
	default:
		k = 10 * c
	}
	return after + k*c
}

// best returns the current player's legal actions with the greatest score.
func (q Strategy) best(s *base) uint64 {
	legal := s.legal()
	if q == Dummy {
		return legal
	}
	_, best := q.greedy(s, int(s.mover), legal)
	return best
}

// greedy returns the greatest score among legal actions of a player, and those that
// have it, for any strategy except Dummy. The score depends only on whose
// turtle moves (the own one, one that carries it, or another) and how far, so it
// scores these combinations instead of the actions.
func (q Strategy) greedy(s *base, player int, legal uint64) (top int, best uint64) {
	own := s.owner[player]
	if legal&discards != 0 {
		return s.square(own), legal
	}
	if q == Hybrid {
		q = Fast
		if s.points(own) < s.mostPoints() {
			q = EfficientSmart
		}
	}
	gain := &gainsOf[q].high // equal to low: only Hybrid's gains are uncertain
	moves, square, goal := &movesOf[own], s.square(own), s.g.goal
	carried := columnsOf[s.carriers(own)]
	top = -1 << 30
	for _, kind := range byGain[q] {
		if gain[kind]+square+2 < top {
			break // no longer move takes the turtle further
		}
		set := legal & moves[kind]
		if set == 0 {
			continue
		}
		if part := set & carried; part != 0 {
			if v := target(square, kindSteps[kind], goal) + gain[kind]; v > top {
				top, best = v, part
			} else if v == top {
				best |= part
			}
		}
		if part := set &^ carried; part != 0 {
			if v := square + gain[kind]; v > top {
				top, best = v, part
			} else if v == top {
				best |= part
			}
		}
	}
	return top, best
}

// Choose returns what the current player of s plays: an action with the greatest
// score, drawn uniformly if there are several.
func (q Strategy) Choose(s game.State, rng *rand.Rand) game.Action {
	return one(q.best(baseOf(s)), rng)
}

// Rollout plays s to its end. Each action of each player is drawn among all legal ones
// with probability epsilon, and chosen by the strategy otherwise.
func (q Strategy) Rollout(s game.State, epsilon float64, rng *rand.Rand) {
	t := baseOf(s)
	for t.phase != over {
		switch {
		case t.phase == draw:
			t.take(t.deck.nth(rng.IntN(int(t.deck.n))))
			t.pass()
		case t.phase != play:
			t.Apply(t.Sample(rng))
		case q == Dummy || epsilon > 0 && rng.Float64() < epsilon:
			t.plays(one(t.legal(), rng))
		default:
			t.plays(one(q.best(t), rng))
		}
	}
}

// Strategies are the paper's four.
func (g *Game) Strategies() []game.Strategy {
	list := make([]game.Strategy, strategies)
	for i := range list {
		q := Strategy(i)
		list[i] = game.Strategy{Name: q.String(), Summary: strategySummaries[q], Choose: q.Choose, Rollout: q.Rollout}
	}
	return list
}
