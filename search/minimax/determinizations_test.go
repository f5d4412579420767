package minimax

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// TestDeterminizations compares with the reference averaged over the same determinizations. For
// alpha-beta, values of worse actions may be bounds.
func TestDeterminizations(t *testing.T) {
	rng := random.New(1, random.Test, 10)
	bounded, tied := 0, 0
	for i := range 600 {
		g := groves(rng)
		g.secrets, g.picks, g.lastTurn = 5, 1, false
		h := g.Heuristics()[0]
		s := wander(g, rng, 3)
		depth := 1 + rng.IntN(3)
		determinizations, samples := 1+rng.IntN(5), rng.IntN(4)
		draws := func() *rand.Rand { return random.New(1, random.Test, 11, uint64(i)) }

		var sum choice
		again := draws()
		for range determinizations {
			determinization := g.NewState()
			determinization.CopyFrom(s)
			determinization.(game.ImperfectInformation).Determinize(again, s.CurrentPlayer())
			seed := uint64(0)
			if samples > 0 {
				seed = again.Uint64()
			}
			c := refer(g, h, determinization, depth, Paranoid, samples, seed)
			sum.nodes += c.nodes
			if sum.actions == nil {
				sum.actions, sum.values = c.actions, make([]float64, len(c.actions))
			}
			for k, v := range c.values {
				sum.values[k] += v
			}
		}
		if sum.nodes > mostNodes {
			continue
		}
		for k := range sum.values {
			if sum.values[k] > sum.values[sum.best] {
				sum.best = k
			}
		}
		for k := range sum.values {
			sum.values[k] /= float64(determinizations)
		}
		for _, o := range []Options{
			{}, {Prune: true, Star: rng.IntN(3), Table: rng.IntN(1 << 14)},
		} {
			o.Heuristic, o.Depth, o.Determinizations, o.Samples = h, depth,
				determinizations, samples
			w := searcher(t, g, o)
			w.SetRand(draws())
			r := w.Search(s)
			if err := same(sum, r); err != nil {
				t.Fatalf("%s, %+v: %v", g.Name(), o, err)
			}
			for _, m := range r.Moves {
				switch {
				case m.Bound == Upper && (!o.Prune || determinizations > 1 && m.Value >= r.Value):
					t.Fatalf("%s, %+v: move %+v, where the best is worth %v",
						g.Name(), o, m, r.Value)
				case m.Bound == Upper && determinizations > 1:
					bounded++
				case determinizations > 1 && m.Value == r.Value && m.Action != r.Action:
					tied++
				}
			}
			if o.Prune {
				continue
			}
			// Ties are drawn among the same actions.
			drawn := map[game.Action]bool{}
			for _, prune := range []bool{false, true} {
				o.Prune, o.RandomTies = prune, true
				w := searcher(t, g, o)
				w.SetRand(draws())
				drawn[w.Search(s).Action] = true
			}
			if len(drawn) > 1 {
				t.Fatalf("%s, %+v: of equal actions minimax and alpha-beta draw %v",
					g.Name(), o, drawn)
			}
		}
	}
	if bounded < 100 || tied < 20 {
		t.Errorf("%d moves are known to be worse, %d are equal: hardly anything is tested",
			bounded, tied)
	}
}

// TestSamples: many samples come close to the enumeration.
func TestSamples(t *testing.T) {
	g := &grove{
		seed: 5, players: 2, actions: 2, picks: 1, turns: 3, grounds: 30, chance: true,
		turned: true,
	}
	s := g.NewState()
	want := searcher(t, g, Options{Depth: 2}).Search(s)
	got := searcher(t, g, Options{
		Depth: 2, Samples: 60, Determinizations: 10, Prune: true, Star: 1,
	}).Search(s)
	if want.Leaves == got.Leaves {
		t.Error("there is no chance")
	}
	for i, m := range got.Moves {
		if d := m.Value - want.Moves[i].Value; d > 0.4 && m.Bound == Exact || d < -0.4 {
			t.Errorf("action %d has the mean %v, where about %v is wanted",
				m.Action, m.Value, want.Moves[i].Value)
		}
	}
}

// TestOpenAndHidden: with determinizations, two states that the player can't tell apart give
// the same choice; searched as they are, they may not.
func TestOpenAndHidden(t *testing.T) {
	rng := random.New(1, random.Test, 12)
	differ := 0
	for i := range 60 {
		g := &grove{
			seed: rng.Uint64(), players: 3, actions: 3, picks: 1, turns: 5, grounds: 30, secrets: 5,
		}
		a := wander(g, rng, 2)
		b := g.NewState()
		b.CopyFrom(a)
		b.(*hiddenTree).secret = 1 + a.(*hiddenTree).secret
		var open, hidden [2]game.Action
		for k, s := range []game.State{a, b} {
			open[k] = searcher(t, g, Options{Depth: 2}).Search(s).Action
			w := searcher(t, g, Options{Depth: 2, Determinizations: 3, Prune: true})
			w.SetRand(random.New(1, random.Test, 13, uint64(i)))
			hidden[k] = w.Search(s).Action
		}
		if hidden[0] != hidden[1] {
			t.Fatalf("%s: %v for states that the seat can't tell apart", g.Name(), hidden)
		}
		if open[0] != open[1] {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the secret never matters")
	}
}
