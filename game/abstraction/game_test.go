package abstraction

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

// learned returns the abstraction of g by classes learned from a few games.
func learned(t testing.TB, g game.Game, full int, random bool) *Abstraction {
	t.Helper()
	c, err := Learn(g, Learning{Games: 10, Actions: 200, Restarts: 2}, testRNG(1))
	if err != nil {
		t.Fatal(err)
	}
	if random {
		c = c.Random(3)
	}
	x, err := New(g, c, Options{Full: full})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// unnamed is a testing.TB that ignores failures about a game's name, since derived
// games are not registered.
type unnamed struct{ testing.TB }

func (u unnamed) Errorf(format string, args ...any) {
	u.Helper()
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, ": name: ") {
		u.Error(text)
	}
}

func conform(t *testing.T, g game.Game, games int) {
	t.Helper()
	gametest.Conform(unnamed{t}, g, gametest.Games(games))
}

// Derived games pass the conformance suite.
func TestDerivedGamesConform(t *testing.T) {
	for _, g := range markets() {
		for full := range 3 {
			conform(t, learned(t, g, full, false).Game(), 20)
		}
	}
	small := game.Must(
		game.New("tcg:deck=[1/1/1,2/0/3,0/4/4,removal,3/3/0,3/3/0],hand=3,hp=12,max_turns=30"))
	conform(t, learned(t, small, 0, false).Game(), 5)
	conform(t, learned(t, small, 1, true).Game(), 5)
}

// representatives is LegalActions by the definition: of each class, the actions with
// the smallest sum of squared distances to the others, up to rounding.
func representatives(x *Abstraction, s game.State) map[int][]game.Action {
	c := x.classes
	rows, members := map[game.Action][]float32{}, map[int][]game.Action{}
	for _, a := range s.LegalActions(nil) {
		row := make([]float32, len(c.Scale))
		x.features.Describe(row, s, a)
		k := c.Of(row)
		c.scale(row)
		rows[a] = row
		members[k] = append(members[k], a)
	}
	best := map[int][]game.Action{}
	for k, list := range members {
		least := math.Inf(1)
		sums := map[game.Action]float64{}
		for _, a := range list {
			for _, b := range list {
				for j := range rows[a] {
					sums[a] += math.Pow(float64(rows[a][j]-rows[b][j]), 2)
				}
			}
			least = min(least, sums[a])
		}
		for _, a := range list {
			if sums[a] <= least*(1+1e-5)+1e-5 {
				best[k] = append(best[k], a)
			}
		}
	}
	return best
}

// play visits the states of random games of a derived game.
func play(g game.Game, games uint64, visit func(s game.State, rng *rand.Rand)) {
	for i := range games {
		rng := testRNG(100 + i)
		s := g.NewState()
		for s.CurrentPlayer() != game.Nobody {
			visit(s, rng)
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

// Exactly one action of each class that occurs is legal, its medoid. Actions are
// realised as themselves, which are legal in the original.
func TestRepresentativesAreMedoids(t *testing.T) {
	left, all := 0, 0
	for _, g := range []game.Game{
		market{turned: true}, game.Must(game.New("tcg")), game.Must(game.New("tcg:deck=[1/1/1,1/1/1,2/0/3,0/4/4,removal,3/3/0,3/3/0],hand=3,hp=12,order=free,battle=any")),
	} {
		for _, random := range []bool{false, true} {
			x := learned(t, g, 0, random)
			image := x.Game().NewState()
			play(g, 4, func(s game.State, _ *rand.Rand) {
				if s.CurrentPlayer() < 0 {
					return
				}
				x.Abstract(image, s)
				legal, original := image.LegalActions(nil), s.LegalActions(nil)
				left, all = left+len(legal), all+len(original)
				want := representatives(x, s)
				if len(legal) != len(want) || !slices.IsSorted(legal) {
					t.Fatalf("%s: %v of %v are legal, where there are %d classes",
						g.Name(), legal, original, len(want))
				}
				for _, a := range legal {
					if r := x.Realise(s, a); r != a || !slices.Contains(original, r) {
						t.Fatalf("%s: %d is realised as %d, the legal actions are %v",
							g.Name(), a, r, original)
					}
					if !slices.ContainsFunc(slices.Collect(maps.Values(want)),
						func(list []game.Action) bool { return slices.Contains(list, a) }) {
						t.Fatalf("%s: %d is no medoid of %v", g.Name(), a, want)
					}
				}
				if image.CurrentPlayer() != s.CurrentPlayer() || image.Hash() != s.Hash() {
					t.Fatalf("%s: the image is of another position", g.Name())
				}
			})
		}
	}
	if left > all*9/10 {
		t.Errorf("%d of %d actions are left", left, all)
	}
}

// In the given number of turns after the abstracted position all actions are legal,
// afterwards representatives only. Positions that differ in this have different
// hashes.
func TestFullTurns(t *testing.T) {
	for _, g := range markets() {
		for full := range 4 {
			x := learned(t, g, full, false)
			src := g.NewState()
			for range 2 { // in the middle of the first turn, then of the second
				src.Apply(src.LegalActions(nil)[0])
				if src.CurrentPlayer() == game.Chance {
					src.Apply(marketActions)
				}
			}
			image, plain := x.Game().NewState(), learned(t, g, 0, false).Game().NewState()
			x.Abstract(image, src)
			begun := marketOf(src).turn()
			for image.CurrentPlayer() != game.Nobody {
				if image.CurrentPlayer() == game.Chance {
					image.Apply(marketActions + 1)
					src.Apply(marketActions + 1)
					continue
				}
				learned(t, g, 0, false).Abstract(plain, src)
				inFull := marketOf(src).turn()-begun < full
				want := plain.LegalActions(nil)
				if inFull {
					want = src.LegalActions(nil)
				}
				legal := image.LegalActions(nil)
				if !slices.Equal(legal, want) {
					t.Fatalf(
						"%+v, full %d: in turn %d from turn %d the legal actions are %v; want %v",
						g, full, marketOf(src).turn(), begun, legal, want)
				}
				if (image.Hash() == plain.Hash()) == inFull {
					t.Fatalf("%+v, full %d: in turn %d the hash is %x, without full turns %x",
						g, full, marketOf(src).turn(), image.Hash(), plain.Hash())
				}
				src.Apply(legal[0])
				image.Apply(legal[0])
			}
		}
	}
}

// States of the derived game have the same optional abilities as those of the
// original.
func TestAbilities(t *testing.T) {
	for _, g := range markets() {
		x := learned(t, g, 1, false)
		s := x.Game().NewState()
		turned, isTurned := s.(game.Turned)
		hidden, isHidden := s.(game.ImperfectInformation)
		if isTurned != g.turned || isHidden != g.hidden {
			t.Errorf("%+v: turned %v, hidden %v", g, isTurned, isHidden)
		}
		s.Apply(0 + s.LegalActions(nil)[0])
		s.Apply(s.LegalActions(nil)[0])
		if isTurned && turned.Turn() != 1 {
			t.Errorf("%d turns are over, where 1 is", turned.Turn())
		}
		if isHidden {
			m := marketOf(s.(inner).inner().state)
			before, key := m.secret, hidden.InformationStateKey(0)
			hidden.Determinize(testRNG(5), 0)
			if m.secret[0] != before[0] || m.secret[1] == before[1] ||
				hidden.InformationStateKey(0) != key {
				t.Errorf("the secrets %v became %v, seen from seat 0", before, m.secret)
			}
		}
	}
	g := market{turned: true}
	derived := learned(t, g, 0, false).Game()
	if !derived.(game.Stochastic).HasChance() || derived.(game.Scaled).PointsPerUtility() != 1 {
		t.Error("chance or the scale is lost")
	}
	s, original := derived.NewState(), g.NewState()
	for _, a := range []game.Action{1, 3, 2} {
		s.Apply(a)
		original.Apply(a)
	}
	h, of := game.Heuristics(derived)[0], g.Heuristics()[0]
	if h.Name != of.Name || h.Value(s, 1) != of.Value(original, 1) || h.Value(s, 1) == 0 {
		t.Errorf("the heuristic %s is worth %v, the original's %v",
			h.Name, h.Value(s, 1), of.Value(original, 1))
	}
	cards := game.Must(game.New("tcg:deck=benchmark"))
	x := learned(t, cards, 0, false)
	image := x.Game().NewState()
	a := image.LegalActions(nil)[1]
	name := game.ActionName(x.Game(), image, a)
	if back, err := x.Game().(game.Notated).ParseAction(image, name); err != nil || back != a ||
		name != game.ActionName(cards, cards.NewState(), a) {
		t.Errorf("action %d is called %q, which is read as %d, %v", a, name, back, err)
	}
}
