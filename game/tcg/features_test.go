package tcg

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// The effect of an action is the difference of the naive rules' fields and health
// before and after it.
func TestFeatures(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		sums := func(n *naive, p int) (v [4]float64) {
			for _, c := range n.players[p].field {
				v[0] += c.fight
				v[1] += c.heal
				v[2] += c.attack
			}
			v[3] = n.players[p].hp
			return v
		}
		for i := range uint64(3) {
			rng := random.New(7, random.Test, i)
			playBoth(t, g, rng, func(s *State, n *naive) {
				if s.CurrentPlayer() < 0 || rng.IntN(4) > 0 {
					return
				}
				for _, a := range s.LegalActions(nil) {
					m := n.clone()
					m.Apply(a)
					want := make([]float64, len(g.FeatureNames()))
					for k, p := range [2]int{n.mover, 1 - n.mover} {
						before, after := sums(n, p), sums(m, p)
						for j := range before {
							want[4*k+j] = after[j] - before[j]
						}
					}
					if was, is := n.removals(), m.removals(); was != is && s.phase == place {
						want[8] = 1
					}
					got := make([]float32, len(want))
					g.Describe(got, s, a)
					for j := range want {
						if math.Abs(float64(got[j])-want[j]) > 1e-4 {
							t.Fatalf("%s: %s: %s changes %s by %v, by the naive rules by %v", name,
								s.Position(), g.ActionName(s, a), g.FeatureNames()[j],
								got[j], want[j])
						}
					}
				}
			})
		}
	}
}

// removals returns the number of Removals in the players' hands and decks.
func (n *naive) removals() int {
	k := 0
	for _, q := range n.players {
		for _, cards := range [][]Card{q.hand, q.deck} {
			for _, c := range cards {
				if c.Removal {
					k++
				}
			}
		}
	}
	return k
}

// With the players exchanged, the observation is transformed by the symmetry, the
// actions are the same, and the values are the other player's.
func TestExchange(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		exchange := g.Symmetries()[1]
		size := g.Planes().Size()
		original, image, moved := make([]float32, size), make([]float32, size),
			make([]float32, size)
		for i := range uint64(3) {
			rng := random.New(8, random.Test, i)
			playBoth(t, g, rng, func(s *State, _ *naive) {
				if s.CurrentPlayer() == game.Chance || rng.IntN(8) > 0 {
					return
				}
				u := exchanged(g, s)
				s.Observation(original)
				u.Observation(image)
				exchange.Transform(moved, original)
				for k := range image {
					if image[k] != moved[k] {
						t.Fatalf("%s: %s: element %d of the observation is %v, with the players exchanged %v", name, s.Position(), k, moved[k], image[k])
					}
				}
				h := g.Heuristics()[0]
				if a, b := h.Value(s, 0), h.Value(u, 1); a != b {
					t.Fatalf("%s: %s is worth %v to First, with the players exchanged %v to Second",
						name, s.Position(), a, b)
				}
				if s.CurrentPlayer() == game.Nobody {
					return
				}
				for _, a := range s.LegalActions(nil) {
					v, w := *s, *u
					v.Apply(a)
					w.Apply(a)
					if exchanged(g, &v).Hash() != w.Hash() {
						t.Fatalf("%s: %s and %s with the players exchanged are otherwise after %s",
							name, s.Position(), u.Position(), g.ActionName(s, a))
					}
				}
			})
		}
	}
}

// exchanged returns s with the players exchanged.
func exchanged(g *Game, s *State) *State {
	u := &State{g: g}
	for p := range u.sides {
		t, o := &u.sides[p], &s.sides[1-p]
		for c := range g.n {
			if o.hand>>c&1 != 0 {
				u.toggleHand(p, 1<<c)
			}
			if o.deck>>c&1 != 0 {
				u.toggleDeck(p, 1<<c)
			}
		}
		t.hp, t.left = o.hp, o.left
		u.average[p] = s.average[1-p]
		if g.rules.Representative {
			u.averageKeys(p)
		}
		for _, cell := range o.field[:o.count] {
			u.push(p, cell)
		}
	}
	u.turn, u.phase, u.next, u.acted, u.mover, u.winner = s.turn, s.phase, s.next, s.acted,
		1-s.mover, s.winner
	if u.phase == over && u.winner >= 0 {
		u.winner = 1 - u.winner
	}
	return u
}
