package turtle

import (
	"maps"
	"math/rand/v2"
	"slices"

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
func (q Strategy) best(s *base) uint64 { return q.preferred(s, int(s.mover), s.legal()) }

// preference is a class of moves with the same score, wherever the turtles are: those of turtles
// that carry the player's own, which is one of them, and those of the others.
type preference struct{ carrying, free uint64 }

// preferences are the classes by strategy and own turtle, the best last; empty ones fill the list.
// A move carries the own turtle as far as it goes, but no further than to the goal, which changes
// no class's place.
var preferences = func() (list [strategies][Turtles][2*noMove - 3]preference) {
	for _, q := range []Strategy{Fast, EfficientSmart} {
		for own := range Turtle(Turtles) {
			classes := map[int]preference{}
			for kind, gain := range gainsOf[q].high[:noMove] {
				moves := movesOf[own][kind]
				c := classes[gain+kindSteps[kind]]
				c.carrying |= moves
				classes[gain+kindSteps[kind]] = c
				if kind >= otherTwo {
					c := classes[gain]
					c.free |= moves
					classes[gain] = c
				}
			}
			into := list[q][own][len(list[q][own])-len(classes):]
			for i, score := range slices.Sorted(maps.Keys(classes)) {
				into[i] = classes[score]
			}
		}
	}
	return list
}()

// preferred returns those of a player's legal actions that have the greatest score, without
// branches that nobody could predict.
func (q Strategy) preferred(s *base, player int, legal uint64) (set uint64) {
	if q == Dummy || legal&discards != 0 {
		return legal
	}
	own := s.owner[player]
	if q == Hybrid {
		q = Fast
		if s.points(own) < s.mostPoints() {
			q = EfficientSmart
		}
	}
	carrying := columnsOf[s.carriers(own)]
	list := &preferences[q][own]
	for i := range list {
		if of := legal & (list[i].carrying&carrying | list[i].free&^carrying); of != 0 {
			set = of
		}
	}
	return set
}

// Choose returns what the current player of s plays: an action with the greatest
// score, drawn uniformly if there are several.
func (q Strategy) Choose(s game.State, rng *rand.Rand) game.Action {
	return one(q.best(baseOf(s)), rng)
}

// Strategies are the paper's four.
func (g *Game) Strategies() []game.Strategy {
	list := make([]game.Strategy, strategies)
	for i := range list {
		q := Strategy(i)
		list[i] = game.Strategy{
			Name: q.String(), Summary: strategySummaries[q], Choose: q.Choose, Rollout: q.Rollout,
		}
	}
	return list
}
