package tcg

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// The benchmark's averages: 2·15 + 59, 2·14 + 35 and 2·13 + 41 over 25 cards, the two
// Removals of the deck counting as 5/0/0.
func TestRepresentatives(t *testing.T) {
	g := made(t, "tcg:deck=benchmark")
	image := g.Abstraction().Game().NewState().(*State)
	g.Abstraction().Abstract(image, g.NewState())
	for k, want := range []float64{89. / 25, 63. / 25, 67. / 25} {
		for p := range 2 {
			if got := float64(image.average[p][k]) / representativeUnit; math.Abs(got-want) >
				0.5/representativeUnit {
				t.Errorf("player %d: the representative of %s is worth %v; want %v",
					p, representativeNames[k], got, want)
			}
		}
	}
	// (F, 0, 0) and so on: the second heals, the third attacks.
	for _, c := range []struct {
		place, act game.Action
		hp         [2]float64
	}{
		{0, Heal, [2]float64{50, 50}}, {1, Heal, [2]float64{52.52, 50}},
		{2, Heal, [2]float64{50, 50}},
		{0, Attack, [2]float64{50, 50}}, {1, Attack, [2]float64{50, 50}},
		{2, Attack, [2]float64{50, 47.32}},
	} {
		var s State = *image
		s.Apply(firstCell + game.Action(g.n) + c.place)
		s.Apply(c.act)
		var scores [2]float32
		s.Scores(scores[:])
		if math.Abs(float64(scores[0])-c.hp[0]) > 0.001 ||
			math.Abs(float64(scores[1])-c.hp[1]) > 0.001 {
			t.Errorf("representative %d, action %d: health %v; want %v",
				c.place, c.act, scores, c.hp)
		}
	}
}

func TestRealise(t *testing.T) {
	g := made(t, "tcg")
	for _, c := range []struct{ hand, fight, heal, attack string }{
		{"6/6/6 2/2/2 0/0/7", "6/6/6", "6/6/6", "0/0/7"},
		{"4/1/0 4/4/0 4/0/3", "4/4/0", "4/4/0", "4/0/3"}, // ties: the greatest total
		{"removal 4/4/4 1/1/5", "removal", "4/4/4", "1/1/5"},
		{"removal 5/1/0 0/4/4", "5/1/0", "0/4/4", "0/4/4"}, // a Removal is 5/0/0
	} {
		s := parsed(t, g,
			"turn 2 First place | 50 hand "+c.hand+" field - deck - | 50 hand - field 1/1/1 deck -")
		for k, want := range []string{c.fight, c.heal, c.attack} {
			a := g.Abstraction().Realise(s, firstCell+game.Action(g.n+k))
			if got := g.ActionName(s, a); got != "place "+want {
				t.Errorf("of %s the representative of %s is realised as %q; want %s",
					c.hand, representativeNames[k], got, want)
			}
		}
		if a := g.Abstraction().Realise(s, Pass); a != Pass {
			t.Errorf("placing none is realised as %d", a)
		}
	}
}

// The image of a position equals that of the naive rules, and play from it follows
// them. Every action of it is realised as a legal one, and those without
// representatives as themselves.
func TestAbstraction(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		if g.rules.Representative {
			if g.Abstraction() != nil || g.RootAbstraction() != nil {
				t.Errorf("%s has an abstraction itself", name)
			}
			continue
		}
		for cards, x := range map[string]game.Abstraction{
			"representative": g.Abstraction(), "real-root": g.RootAbstraction(),
		} {
			checkAbstraction(t, g, x, cards)
		}
	}
}

func checkAbstraction(t *testing.T, g *Game, x game.Abstraction, cards string) {
	t.Helper()
	name := g.Name()
	derived := x.Game().(*Game)
	if derived.Name() != name+",cards="+cards || derived.HasChance() {
		t.Errorf("%s: the derived game is %s, with chance: %v",
			name, derived.Name(), derived.HasChance())
	}
	image := derived.NewState().(*State)
	for i := range uint64(4) {
		rng := random.New(4, random.Test, i)
		playBoth(t, g, rng, func(s *State, n *naive) {
			if s.CurrentPlayer() < 0 {
				return
			}
			x.Abstract(image, s)
			m := n.clone()
			m.r.Representative, m.hands = true, cards == "real-root"
			m.represent()
			legal := s.LegalActions(nil)
			sameAsNaive(t, derived, image, m, rng.IntN(16) == 0)
			for _, a := range image.LegalActions(nil) {
				real := x.Realise(s, a)
				if !slices.Contains(legal, real) {
					t.Fatalf("%s: %s: %s is realised as %d, which is not legal",
						name, s.Position(), derived.ActionName(image, a), real)
				}
				if (m.hands || s.phase != place) &&
					g.ActionName(s, real) != derived.ActionName(image, a) {
					t.Fatalf("%s: %s: %s is realised as %s",
						name, s.Position(), derived.ActionName(image, a), g.ActionName(s, real))
				}
			}
			if rng.IntN(20) > 0 {
				return
			}
			for image.CurrentPlayer() != game.Nobody {
				actions := image.LegalActions(nil)
				a := actions[rng.IntN(len(actions))]
				image.Apply(a)
				m.Apply(a)
				sameAsNaive(t, derived, image, m, false)
			}
		})
	}
}

// Different averages stay different after rounding, and equal ones equal, whatever the
// numbers of cards.
func TestRoundingKeepsOrder(t *testing.T) {
	type ratio struct{ sum, n int }
	var all []ratio
	for n := 1; n <= MostCards; n++ {
		for sum := range 8 * n {
			all = append(all, ratio{sum, n})
		}
	}
	slices.SortFunc(all, func(a, b ratio) int { return a.sum*b.n - b.sum*a.n })
	of := func(r ratio) int32 { return rounded(int32(r.sum)*representativeUnit, int32(r.n)) }
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if equal := a.sum*b.n == b.sum*a.n; equal != (of(a) == of(b)) || of(a) > of(b) {
			t.Fatalf("%d/%d and %d/%d are rounded to %d and %d",
				a.sum, a.n, b.sum, b.n, of(a), of(b))
		}
	}
}

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
