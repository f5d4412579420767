package nash

import (
	"math/rand/v2"

	"tengen/game"
)

// slow computes values and best responses from the rules, without a tree.
type slow struct {
	g      game.Game
	policy map[seatKey][]float64 // by information state key
}

// newSlow takes the policy of a tree that Remembers.
func newSlow(t *Tree, policy Policy) *slow {
	s := &slow{t.game, map[seatKey][]float64{}}
	for i, x := range t.Sets() {
		s.policy[seatKey{x.Player, x.Key}] = policy[i]
	}
	return s
}

// likely is a state and how likely it is.
type likely struct {
	state  game.State
	weight float64
}

func (l likely) after(g game.Game, a game.Action, p float64) likely {
	next := g.NewState()
	next.CopyFrom(l.state)
	next.Apply(a)
	return likely{next, l.weight * p}
}

// expand plays on by chance and the policy of everybody but seat, until seat is to move or the game
// is over.
func (s *slow) expand(l likely, seat game.Player, visit func(likely)) {
	switch mover := l.state.CurrentPlayer(); mover {
	case game.Nobody, seat:
		visit(l)
	case game.Chance:
		for _, o := range l.state.(game.Chancer).Outcomes(nil) {
			s.expand(l.after(s.g, o.Action, o.Probability), seat, visit)
		}
	default:
		key := l.state.(game.ImperfectInformation).InformationStateKey(mover)
		for k, a := range l.state.LegalActions(nil) {
			s.expand(l.after(s.g, a, s.policy[seatKey{mover, key}][k]), seat, visit)
		}
	}
}

// values returns the expected utilities.
func (s *slow) values() []float64 {
	sums := make([]float64, s.g.Players())
	s.expand(likely{s.g.NewState(), 1}, game.Nobody, func(l likely) {
		u := make([]float32, len(sums))
		l.state.Returns(u)
		for p := range sums {
			sums[p] += l.weight * float64(u[p])
		}
	})
	return sums
}

// best returns what a seat has by a best response from states among which it is: it plays on to its
// next decisions, and decides in each information set for the action that is best for all states in
// it.
func (s *slow) best(states []likely, seat game.Player) (sum float64) {
	groups := map[uint64][]likely{}
	for _, l := range states {
		s.expand(l, seat, func(l likely) {
			if l.state.CurrentPlayer() == game.Nobody {
				u := make([]float32, s.g.Players())
				l.state.Returns(u)
				sum += l.weight * float64(u[seat])
				return
			}
			key := l.state.(game.ImperfectInformation).InformationStateKey(seat)
			groups[key] = append(groups[key], l)
		})
	}
	for _, group := range groups {
		most := -1.0
		for _, a := range group[0].state.LegalActions(nil) {
			var next []likely
			for _, l := range group {
				next = append(next, l.after(s.g, a, 1))
			}
			most = max(most, s.best(next, seat))
		}
		sum += most
	}
	return sum
}

// pure returns the greatest utility of a seat over all its strategies without chance, each of which
// is evaluated.
func pure(t *Tree, policy Policy, seat game.Player) float64 {
	var own []int
	for i, x := range t.Sets() {
		if x.Player == seat {
			own = append(own, i)
		}
	}
	p := make(Policy, len(policy))
	copy(p, policy)
	best := 0.0
	var choose func(n int)
	choose = func(n int) {
		if n == len(own) {
			best = max(best, t.Values(p)[seat])
			return
		}
		i := own[n]
		for k := range t.Sets()[i].Actions {
			p[i] = make([]float64, len(policy[i]))
			p[i][k] = 1
			choose(n + 1)
		}
	}
	choose(0)
	return best
}

// randomPolicy draws a policy in which some actions have no probability.
func randomPolicy(t *Tree, rng *rand.Rand) Policy {
	p := t.Uniform()
	for _, row := range p {
		sum := 0.0
		for k := range row {
			row[k] = max(0, rng.Float64()-0.2)
			sum += row[k]
		}
		if sum == 0 {
			row[0], sum = 1, 1
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return p
}
