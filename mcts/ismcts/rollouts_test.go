package ismcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// seen evaluates by what the player to move sees, as networks do: its logits depend on that alone,
// and its values are far from all that can happen.
type seen struct {
	actions, players int
	rows             search.Evaluations
}

func (e *seen) logit(s game.State, a int) float32 {
	p := s.CurrentPlayer()
	h := s.(game.ImperfectInformation).InformationStateKey(p)*2654435761 +
		uint64(a)*40503 + uint64(p)
	return float32(h>>7%64)/16 - 2
}

func (e *seen) Add(s game.State) {
	for a := range e.actions {
		e.rows.Policy = append(e.rows.Policy, e.logit(s, a))
	}
	for range e.players {
		e.rows.Values = append(e.rows.Values, 7)
	}
}

func (e *seen) Evaluate() (search.Evaluations, error) {
	rows := e.rows
	rows.Actions, rows.Players = e.actions, e.players
	e.rows = search.Evaluations{}
	return rows, nil
}

// follow returns a player's expected utility if all follow the policy of the evaluator from s on.
func (e *seen) follow(s game.State, p game.Player) float64 {
	if s.CurrentPlayer() == game.Nobody {
		returns := make([]float32, e.players)
		s.Returns(returns)
		return float64(returns[p])
	}
	total, sum := 0.0, 0.0
	for a := range e.actions {
		next := *s.(*parlourState)
		weight := math.Exp(float64(e.logit(s, a)))
		next.Apply(game.Action(a))
		total += weight
		sum += weight * e.follow(&next, p)
	}
	return sum / total
}

// With rollouts and mcts.ByPolicy the values of a search are those of the policies, whatever the
// evaluator says of values, in the mean over the cards that others may hold.
func TestRolloutsFollowPolicies(t *testing.T) {
	for trial := range uint64(4) {
		pay := lottery(trial)
		g := &parlour{players: 2, cards: 3, actions: 2, order: []game.Player{
			0, 1, 0, 1,
		}, pay: func(cards, acts []int, p int) float32 {
			x := pay(append(append([]int{}, cards...), acts...)...)
			if p == 1 {
				return 1 - x
			}
			return x
		}}
		for _, batchSize := range []int{1, 5} {
			t.Run(fmt.Sprint(trial, batchSize), func(t *testing.T) {
				e := &seen{actions: g.actions, players: g.players}
				const simulations = 20_000
				o := mcts.PUCT{
					Simulations: simulations, BatchSize: batchSize, Rollouts: true, MaxNodes: 1000,
					Gumbel: mcts.Gumbel{
						Considered: 2, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPolicy,
						Unscaled: true,
					},
				}
				tree := ismcts.NewPUCT(g, o, ismcts.MultipleObservers,
					random.New(1, random.Test, 70, trial))
				s := g.dealtTo(int(trial)%3, 0)
				s.Apply(1) // by the first player; the second is to move
				tree.Start(s)
				for !tree.Advance(e) {
					rows, err := e.Evaluate()
					if err != nil {
						t.Fatal(err)
					}
					tree.Deliver(rows)
				}
				stats := tree.Stats()
				if stats.Full || stats.Simulations != simulations || stats.MaxDepth != 3 {
					t.Fatalf("%+v", stats)
				}
				visits := 0
				for _, c := range tree.Children(nil) {
					visits += c.Visits
					want := 0.0
					for card := range g.cards {
						next := *g.dealtTo(card, 0)
						next.Apply(1)
						next.Apply(c.Action)
						want += e.follow(&next, 1) / float64(g.cards)
					}
					if got := float64(c.Value[1]); math.Abs(got-want) > 0.02 {
						t.Errorf("action %d has %.4f; the policies give %.4f", c.Action, got, want)
					}
				}
				if visits != simulations {
					t.Errorf("%d visits of %d simulations", visits, simulations)
				}
			})
		}
	}
}

// Without room for nodes a simulation ends with the evaluator's utilities, as others do.
func TestRolloutsWithoutRoom(t *testing.T) {
	g := &parlour{
		players: 2, cards: 3, actions: 2, order: []game.Player{0, 1, 0, 1},
		pay: func(_, _ []int, p int) float32 { return float32(p) },
	}
	e := &seen{actions: g.actions, players: g.players}
	o := mcts.PUCT{
		Simulations: 100, Rollouts: true, MaxNodes: 3,
		Gumbel: mcts.Gumbel{
			Considered: 2, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPolicy,
		},
	}
	for _, observers := range []ismcts.Observers{ismcts.SingleObserver, ismcts.MultipleObservers} {
		tree := ismcts.NewPUCT(g, o, observers, random.New(1, random.Test, 71))
		for range 2 { // a search leaves nothing behind
			tree.Start(g.dealtTo(0, 1))
			for !tree.Advance(e) {
				rows, _ := e.Evaluate()
				tree.Deliver(rows)
			}
			if s := tree.Stats(); !s.Full || s.Simulations != 100 {
				t.Errorf("%v: %+v", observers, s)
			}
		}
	}
}

func TestRolloutsAllocateNothing(t *testing.T) {
	g := &parlour{
		players: 2, cards: 3, actions: 2, order: []game.Player{0, 1, 0, 1},
		pay: func(_, _ []int, p int) float32 { return float32(p) },
	}
	e := &fixed{
		search.Evaluations{
			Policy: make([]float32, 5*2), Values: make([]float32, 5*2), Actions: 2, Players: 2,
		},
	}
	o := mcts.PUCT{
		Simulations: 50, BatchSize: 5, Rollouts: true,
		Gumbel: mcts.Gumbel{
			Considered: 2, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPolicy,
		},
	}
	tree := ismcts.NewPUCT(g, o, ismcts.MultipleObservers, random.New(1, random.Test, 72))
	s := g.dealtTo(0, 1)
	run := func() {
		tree.Start(s)
		for !tree.Advance(e) {
			tree.Deliver(e.rows)
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("%v allocations a search", n)
	}
}

// fixed has the same rows for all states.
type fixed struct{ rows search.Evaluations }

func (*fixed) Add(game.State) {}
