package turtle

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// TestHistoryAgrees holds the planes of the public history to their definition, from a list of all
// plays.
func TestHistoryAgrees(t *testing.T) {
	for _, name := range []string{
		"turtle:history=1", "turtle:players=3,history=8,start=stacked",
		"turtle:players=2,hand=2,deck=[0,0,1,0,2,1,1],history=2,max_turns=60",
	} {
		g := made(t, name)
		players, history := g.Players(), g.rules.History
		from, to := g.HistoryPlanes()
		if to != g.Planes().C || to-from != players*(history+4) {
			t.Fatalf("%s: the planes are %d to %d", name, from, to)
		}
		const cells = rows * Turtles
		for i := range uint64(20) {
			rng := random.New(1, random.Test, 31, i)
			s := g.NewState()
			played, passed := make([][]game.Action, players), make([][]game.Action, players)
			seen := make([]float32, g.Planes().Size())
			for s.CurrentPlayer() != game.Nobody {
				if s.CurrentPlayer() == game.Chance {
					s.Apply(s.(game.Chancer).Sample(rng))
					continue
				}
				want := make([]float32, (to-from)*cells)
				mark := func(plane int, a game.Action, add float32) {
					if a == DiscardAny {
						for turtle := range Turtles {
							want[plane*cells+8*Turtles+turtle] += add
						}
						return
					}
					want[plane*cells+int(a)] += add
				}
				for p := range players {
					for k, n := 0, len(played[p]); k < history && k < n; k++ {
						mark(k*players+p, played[p][n-1-k], 1)
					}
					for _, a := range played[p] {
						mark(history*players+p, a, 1./8)
					}
					for _, a := range passed[p] {
						mark((history+1)*players+p, a, 1./8)
					}
					for _, a := range played[p] {
						card, colour, chosen := strings.Cut(g.ActionName(nil, a), ":")
						far := map[string]int{
							"+": 1, "-": -1, "++": 2, "any+": 1, "any-": -1, "arrow": 1,
							"arrow2": 2,
						}
						kind := (history+2)*players + p
						if chosen {
							kind += players
						} else {
							i := strings.IndexAny(card, "+-")
							card, colour = card[i:], card[:i]
						}
						if card == "discard" {
							continue
						}
						for turtle := range Turtles {
							for row := 0; row < rows && Turtle(turtle).String() == colour; row++ {
								want[kind*cells+row*Turtles+turtle] += float32(far[card]) / 8
							}
						}
					}
				}
				s.Observation(seen)
				for j, v := range want {
					if got := seen[from*cells+j]; got != min(v, 1) &&
						(j < (history+2)*players*cells || got != v) {
						t.Fatalf("%s: after %v and %v element %d of the history is %g; want %g",
							name, played, passed, j, got, v)
					}
				}
				legal, p := s.LegalActions(nil), s.CurrentPlayer()
				a := legal[rng.IntN(len(legal))]
				card, _, choice := strings.Cut(g.ActionName(s, a), ":")
				for _, b := range legal {
					if choice && card != "discard" && b != a &&
						strings.HasPrefix(g.ActionName(s, b), card+":") {
						passed[p] = append(passed[p], b)
					}
				}
				played[p] = append(played[p], a)
				s.Apply(a)
			}
		}
	}
}

// TestHistoryChangesNothing: the games are the same with and without it.
func TestHistoryChangesNothing(t *testing.T) {
	plain, historic := made(t, "turtle:players=3"), made(t, "turtle:players=3,history=5")
	rng := random.New(1, random.Test, 32)
	s, h := plain.NewState(), historic.NewState()
	from, _ := historic.HistoryPlanes()
	for s.CurrentPlayer() != game.Nobody {
		if s.CurrentPlayer() == game.Chance {
			a := s.(game.Chancer).Sample(rng)
			s.Apply(a)
			h.Apply(a)
			continue
		}
		before, after := make([]float32, plain.Planes().Size()),
			make([]float32, historic.Planes().Size())
		s.Observation(before)
		h.Observation(after)
		for i, v := range before {
			if after[i] != v {
				t.Fatalf("element %d of the observation is %g, with the history %g", i, v, after[i])
			}
		}
		if len(before) != from*rows*Turtles || s.Hash() != h.Hash() {
			t.Fatalf("%d planes come before the history, whose hash is %#x; want %#x",
				from, h.Hash(), s.Hash())
		}
		legal := s.LegalActions(nil)
		a := legal[rng.IntN(len(legal))]
		s.Apply(a)
		h.Apply(a)
	}
	if h.CurrentPlayer() != game.Nobody {
		t.Error("the game with a history goes on")
	}
}

func TestHistoryOfPositions(t *testing.T) {
	g := made(t, "turtle:hand=2,deck=[0,1,1,1,1,1,1],history=2")
	text := "turn 3 player 2 play | 0:RGBY 2:P | red: red+ any- | green: blue+ any+ | deck green+ red- green- blue- yellow- purple- arrow arrow2 | last purple+ played purple+*1 passed | last yellow+ played yellow+*1 passed any+:red*4"
	s := at(t, g, text)
	if got := baseOf(s).Position(); got != text {
		t.Errorf("%s is written as %s", text, got)
	}
	seen := strings.Replace(strings.Replace(text, "red: red+ any-", "?", 1),
		"deck green+ red- green- blue- yellow- purple- arrow arrow2", "discards yellow+ purple+", 1)
	u, err := g.ParsePosition(seen)
	if err != nil {
		t.Fatal(err)
	}
	if k, l := u.(*State).InformationStateKey(1), s.(*State).InformationStateKey(1); k != l {
		t.Errorf("%s has the key %#x; want %#x", seen, k, l)
	}
	other := at(t, g, strings.Replace(text, "passed any+:red*4", "passed any+:red*3", 1))
	if other.(*State).InformationStateKey(0) == s.(*State).InformationStateKey(0) {
		t.Error("another history has the same key")
	}
	for bad, says := range map[string]string{
		"last purple+ purple+ purple+": "more than 2 last plays",
		"last own:red":                 "nobody plays that",
		"last red":                     "no card",
		"played red+":                  "a number from 1 to 255",
		"passed red+*256":              "a number from 1 to 255",
		"red+*2":                       "come before actions",
	} {
		_, err := g.ParsePosition(strings.Replace(text,
			"last purple+ played purple+*1 passed", bad, 1))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v; want %q", bad, err, says)
		}
	}
}

// TestHistoryEnds: counts stay at 255.
func TestHistoryEnds(t *testing.T) {
	g := made(t, "turtle:history=1,hand=1,deck=[0,1,1,0,0,0,0],squares=10,max_turns=10000")
	s := g.NewState().(*State)
	rng := rand.New(rand.NewPCG(1, 2))
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.Sample(rng))
	}
	for range 300 {
		s.past.record(&s.base, Discard(AnyMinus))
	}
	if n := s.past.played[s.mover][DiscardAny]; n != 255 {
		t.Errorf("a count is %d; want 255", n)
	}
	sum := s.past.sum
	if s.past.record(&s.base, Discard(AnyMinus)); s.past.sum != sum {
		t.Error("the key changes with a count that does not")
	}
}
