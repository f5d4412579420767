package nash

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/game/kuhn"
	"tengen/internal/random"
)

func enumerated(t testing.TB, name string) *Tree {
	t.Helper()
	tree, err := Enumerate(context.Background(), game.Must(game.New(name)), DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// chips converts a utility, or with difference a difference of utilities, to chips.
func chips(g game.Game, u float64, difference bool) float64 {
	perUtility, atZero := g.(game.Staked).Chips()
	if difference {
		atZero = 0
	}
	return u*perUtility + atZero
}

// The published numbers of information sets: 12 and 48 of Kuhn poker, 288 of Leduc, in which cards
// of one rank are the same.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		game       string
		sets, ends int
	}{
		{"kuhn", 12, 30}, {"kuhn:players=3", 48, 312}, {"leduc", 288, 0},
		{"phantom:rows=2,columns=2,in_row=2", 0, 0},
	} {
		tree := enumerated(t, c.game)
		t.Logf("%s: %d histories, %d ends, %d sets",
			c.game, tree.Histories(), tree.Ends(), len(tree.Sets()))
		if c.sets > 0 && len(tree.Sets()) != c.sets || c.ends > 0 && tree.Ends() != c.ends {
			t.Errorf("%s has %d information sets and %d ends; want %d and %d",
				c.game, len(tree.Sets()), tree.Ends(), c.sets, c.ends)
		}
		if !tree.Remembers() {
			t.Errorf("%s: the keys do not contain what seats have seen", c.game)
		}
		for _, x := range tree.Sets() {
			s := tree.Game().NewState()
			for _, a := range x.Path {
				s.Apply(a)
			}
			if s.CurrentPlayer() != x.Player ||
				s.(game.ImperfectInformation).InformationStateKey(x.Player) != x.Key {
				t.Fatalf("%s: the path %v does not lead to its set", c.game, x.Path)
			}
		}
	}
}

// Values and best responses agree with those computed from the rules.
func TestAgreesWithSlowReference(t *testing.T) {
	for _, c := range []struct {
		game     string
		policies int
	}{
		{"kuhn", 20}, {"kuhn:players=3", 8}, {"leduc", 2}, {"phantom:rows=2,columns=2,in_row=2", 3},
		{"phantom:rows=1,columns=3,in_row=2", 3},
	} {
		tree := enumerated(t, c.game)
		for i := range c.policies {
			policy := tree.Uniform()
			if i > 0 {
				policy = randomPolicy(tree, random.New(1, random.Test, 80, uint64(i)))
			}
			r, reference := tree.NashConv(policy), newSlow(tree, policy)
			for p, want := range reference.values() {
				if math.Abs(r.Values[p]-want) > 1e-9 {
					t.Errorf("%s, policy %d: seat %d has %v, by the reference %v",
						c.game, i, p, r.Values[p], want)
				}
				want := reference.best([]likely{{tree.Game().NewState(), 1}}, game.Player(p))
				if math.Abs(r.Responses[p]-want) > 1e-9 {
					t.Errorf(
						"%s, policy %d: the best response of seat %d has %v, by the reference %v",
						c.game, i, p, r.Responses[p], want)
				}
				// The choices that are told have that value.
				_, choices := tree.BestResponse(policy, game.Player(p))
				played := make(Policy, len(policy))
				copy(played, policy)
				for set, k := range choices {
					if k >= 0 {
						played[set] = make([]float64, len(policy[set]))
						played[set][k] = 1
					}
				}
				if v := tree.Values(played)[p]; math.Abs(v-want) > 1e-9 {
					t.Errorf(
						"%s, policy %d: the best response of seat %d that is told has %v, not %v",
						c.game, i, p, v, want)
				}
			}
		}
	}
}

// No strategy without chance is better than the best response, and one is as good.
func TestAgreesWithAllStrategies(t *testing.T) {
	tree := enumerated(t, "kuhn")
	for i := range uint64(10) {
		policy := randomPolicy(tree, random.New(1, random.Test, 81, i))
		r := tree.NashConv(policy)
		for p, v := range r.Responses {
			if want := pure(tree, policy, game.Player(p)); math.Abs(v-want) > 1e-9 {
				t.Errorf(
					"policy %d: the best response of seat %d has %v; the best of all strategies %v",
					i, p, v, want)
			}
		}
	}
}

// policyOf makes a policy of Kuhn poker from the probability of a bet, given the card and the acts
// so far, such as "pb".
func policyOf(
	t *testing.T, tree *Tree, bet func(seat game.Player, card int, acts string) float64,
) Policy {
	t.Helper()
	policy, players := tree.Uniform(), tree.Game().Players()
	for i, x := range tree.Sets() {
		acts := ""
		for _, a := range x.Path[players:] {
			acts += map[game.Action]string{kuhn.Pass: "p", kuhn.Bet: "b"}[a]
		}
		p := bet(x.Player, int(x.Path[x.Player]-kuhn.Deal(0)), acts)
		policy[i][0], policy[i][1] = 1-p, p
	}
	return policy
}

// Kuhn's equilibria, with the probability α of a bluff of the first player: its value is -1/18.
func TestKuhnEquilibria(t *testing.T) {
	tree := enumerated(t, "kuhn")
	for _, alpha := range []float64{0, 0.1, 1. / 3} {
		policy := policyOf(t, tree, func(_ game.Player, card int, acts string) float64 {
			return map[string][3]float64{
				"": {alpha, 0, 3 * alpha}, "pb": {0, alpha + 1./3, 1},
				"p": {1. / 3, 0, 1}, "b": {0, 1. / 3, 1},
			}[acts][card]
		})
		r := tree.NashConv(policy)
		if v := chips(tree.Game(), r.Values[0], false); math.Abs(v+1./18) > 1e-7 ||
			math.Abs(r.NashConv()) > 1e-7 {
			t.Errorf("α = %v: the first player wins %v chips, NashConv is %v; want -1/18 and 0",
				alpha, v, r.NashConv())
		}
	}
}

// The equilibria of three-player Kuhn poker of Szafron, Gibson and Sturtevant 2013, "A
// Parameterized Family of Equilibrium Profiles for Three-Player Kuhn Poker". Players are a, b and
// c; the first index is the card, the second the situation.
func TestThreePlayerKuhnEquilibria(t *testing.T) {
	tree := enumerated(t, "kuhn:players=3")
	type parameters struct{ c11, b11, b21, b32, c33, c34 float64 }
	measure := func(x parameters, change func(acts string, card int, bet float64) float64) *Result {
		b33, b41, c21 := (1+x.b11+2*x.b21)/2, 2*x.b11+2*x.b21, 0.5-x.c11
		situations := map[string][4]float64{
			"": {}, "ppb": {0, 0, 0, 1}, "pbp": {0, 0, 0.5, 1}, "pbb": {0, 0, 0, 1},
			"p": {x.b11, x.b21, 0, b41}, "b": {0, 0, x.b32, 1}, "ppbp": {0, 0, b33, 1},
			"ppbb": {0, 0, 0, 1},
			"pp":   {x.c11, c21, 0, 1}, "pb": {0, 0, 0, 1}, "bp": {0, 0, x.c33, 1},
			"bb": {0, 0, x.c34, 1},
		}
		return tree.NashConv(policyOf(t, tree, func(_ game.Player, card int, acts string) float64 {
			return change(acts, card, situations[acts][card])
		}))
	}
	same := func(_ string, _ int, bet float64) float64 { return bet }
	for _, x := range []parameters{
		{b32: 0.5}, // nobody bluffs but the last player
		{b11: 0.25, b21: 0.25, b32: 0.9375, c34: 1},                           // sub-family 1
		{b11: 0.1, b21: 0.2, b32: 0.5, c33: 0.2, c34: .3},                     // likewise
		{c11: 0.33, b11: 1. / 6, b21: 1. / 6, b32: (2 + 7./6) / 4, c34: 0.75}, // sub-family 3
	} {
		r := measure(x, same)
		t.Logf("%+v: values %v", x, r.Values)
		if math.Abs(r.NashConv()) > 1e-7 {
			t.Errorf("%+v: NashConv is %v; want 0", x, r.NashConv())
		}
		// A last player who never bluffs with Q is no longer in equilibrium.
		r = measure(x, func(acts string, card int, bet float64) float64 {
			if acts == "pp" && card < 2 {
				return 0
			}
			return bet
		})
		if r.NashConv() < 1e-3 {
			t.Errorf("%+v: without bluffs of the last player NashConv is %v", x, r.NashConv())
		}
	}
}

// CFR+ comes to the known values.
func TestCFR(t *testing.T) {
	for _, c := range []struct {
		game       string
		iterations int
		value      float64 // of the first seat, in chips
		nashConv   float64 // in chips, at most
	}{
		{"kuhn", 1000, -1. / 18, 1e-3},
		{"leduc", 1000, -0.0856, 2e-3},
		{"kuhn:players=3", 1000, math.NaN(), 1e-2},
	} {
		tree := enumerated(t, c.game)
		s := NewCFR(tree)
		s.Run(c.iterations)
		r := tree.NashConv(s.Average())
		value, conv := chips(tree.Game(), r.Values[0], false),
			chips(tree.Game(), r.NashConv(), true)
		t.Logf("%s: value %.6f, NashConv %.6f", c.game, value, conv)
		if !(conv <= c.nashConv) || conv < -1e-6 || math.Abs(value-c.value) > 5e-4 {
			t.Errorf("%s: after %d iterations the first player wins %v chips, and NashConv is %v; want %v and at most %v", c.game, c.iterations, value, conv, c.value, c.nashConv)
		}
	}
}

// Iterations add up, and an average of one iteration is the uniform policy.
func TestCFRGoesOn(t *testing.T) {
	tree := enumerated(t, "kuhn")
	a, b := NewCFR(tree), NewCFR(tree)
	a.Run(30)
	b.Run(10)
	b.Run(20)
	if x, y := fmt.Sprint(a.Average()), fmt.Sprint(b.Average()); x != y ||
		a.Iterations() != b.Iterations() {
		t.Errorf("30 iterations give %s, 10 and 20 %s", x, y)
	}
	c := NewCFR(tree)
	c.Run(1)
	for i, row := range c.Average() {
		if tree.Sets()[i].Player == 0 && row[0] != 0.5 {
			t.Errorf("the first policy of set %d is %v", i, row)
		}
	}
}

// Other games: nothing hidden, and keys without memory.
func TestOtherGames(t *testing.T) {
	tree := enumerated(t, "mnk:rows=2,columns=3,in_row=2")
	s := NewCFR(tree)
	s.Run(50)
	if r := tree.NashConv(s.Average()); math.Abs(r.Responses[0]-1) > 1e-9 {
		t.Errorf("two in a row on 2×3 are worth %v to the first player; want 1", r.Responses[0])
	}
	tree = enumerated(t, "turtle:squares=3,hand=1,deck=[0,1,0,0,1,0,0],max_turns=2")
	if r := tree.NashConv(tree.Uniform()); r.NashConv() < 0 ||
		math.Abs(r.Values[0]+r.Values[1]-1) > 1e-6 {
		t.Errorf("a small turtle race: %+v", r)
	}
}

func TestTooLarge(t *testing.T) {
	_, err := Enumerate(context.Background(), game.Must(game.New("phantom")), 10_000)
	if err == nil ||
		!strings.Contains(err.Error(),
			"phantom:rows=3,columns=3,in_row=3: more than 10000 histories") {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Enumerate(ctx, game.Must(game.New("phantom")), DefaultLimit); err == nil ||
		!strings.Contains(err.Error(), "canceled") {
		t.Errorf("the error is %v", err)
	}
}

// NashConv of uniform policies in chips, as OpenSpiel publishes it in its tests.
func TestUniformPolicies(t *testing.T) {
	for name, want := range map[string]float64{
		"kuhn": 11. / 12, "kuhn:players=3": 2.0625, "leduc": 4.747222,
	} {
		tree := enumerated(t, name)
		if v := chips(tree.Game(), tree.NashConv(tree.Uniform()).NashConv(),
			true); math.Abs(v-want) > 1e-5 {
			t.Errorf("%s: NashConv of the uniform policy is %v; want %v", name, v, want)
		}
	}
}
