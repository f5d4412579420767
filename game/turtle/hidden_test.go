package turtle

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// visible describes everything that a seat sees.
func visible(s *base, seat int) string {
	parts := strings.Split(s.Position(), "|")
	for p := range s.g.rules.Players {
		if p != seat {
			owner := "?"
			if s.owner[p] == NoTurtle {
				owner = "-"
			}
			parts[2+p] = owner + strings.Repeat("#", int(s.hands[p].n))
		}
	}
	parts[2+s.g.rules.Players] = strings.Repeat("#", int(s.deck.n)) + listed(&s.discards, false)
	return strings.Join(parts, "|")
}

// A determinization keeps what the seat sees and all 52 cards and five tiles, and
// depends on nothing else: for two states that the seat can't tell apart and equal
// random sources, the results are the same state.
func TestDeterminizeIsConsistent(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		if g.open {
			continue
		}
		keys := map[uint64]string{} // what is seen, by key
		texts := map[string]uint64{}
		changed := 0
		for i := range uint64(5) {
			rng := random.New(1, random.Test, 10, i)
			playBoth(g, rng, func(s game.State, _ *naive) {
				if s.CurrentPlayer() == game.Nobody {
					return
				}
				for seat := range g.Players() {
					d := g.NewState().(*State)
					d.CopyFrom(s)
					d.Determinize(rng, game.Player(seat))
					text := visible(baseOf(s), seat)
					if got := visible(&d.base, seat); got != text {
						t.Fatalf("%s: player %d sees\n%s, after Determinize\n%s",
							name, seat+1, text, got)
					}
					all := d.deck
					met := map[Turtle]bool{}
					for p := range g.Players() {
						all.addAll(&d.hands[p])
						if met[d.owner[p]] && d.owner[p] != NoTurtle {
							t.Fatalf("%s: two players have %s", d.Position(), d.owner[p])
						}
						met[d.owner[p]] = true
					}
					all.addAll(&d.discards)
					if all.count != g.full.count {
						t.Fatalf("%s: the cards are %v; want %v",
							d.Position(), all.count, g.full.count)
					}
					again, err := g.ParsePosition(d.Position())
					if err != nil || again.Hash() != d.Hash() {
						t.Fatalf("%s is no position of the game, or has a wrong hash: %v",
							d.Position(), err)
					}
					key := d.InformationStateKey(game.Player(seat))
					if key != s.(*State).InformationStateKey(game.Player(seat)) {
						t.Fatalf("%s: the key of player %d changes", d.Position(), seat+1)
					}
					text = string(rune('1'+seat)) + text
					if old, ok := keys[key]; ok && old != text {
						t.Fatalf("the key %#x stands for\n%s and\n%s", key, old, text)
					}
					if old, ok := texts[text]; ok && old != key {
						t.Fatalf("%s has the keys %#x and %#x", text, old, key)
					}
					keys[key], texts[text] = text, key
					if d.Hash() != s.Hash() {
						changed++
					}

					a, b := g.NewState().(*State), g.NewState().(*State)
					a.CopyFrom(s)
					b.CopyFrom(d)
					seed := rng.Uint64()
					a.Determinize(random.New(seed, random.Test), game.Player(seat))
					b.Determinize(random.New(seed, random.Test), game.Player(seat))
					if a.Position() != b.Position() || a.position != b.position {
						t.Fatalf("two states that player %d can't tell apart are drawn anew as\n%s and\n%s", seat+1, a.Position(), b.Position())
					}
				}
			})
		}
		if changed == 0 {
			t.Errorf("%s: no determinization changed a state", name)
		}
	}
}

// deals lists every way to deal the physical cards and tiles that a seat can't see, by
// the resulting position. Cards of one kind are distinguished here.
func deals(s *State, seat int) map[string]float64 {
	g := s.g
	var cards []Card // cards that the seat does not see
	pool := s.deck
	var takers []int // who receives a card, in order
	for p := range g.rules.Players {
		if p != seat {
			pool.addAll(&s.hands[p])
			for range s.hands[p].n {
				takers = append(takers, p)
			}
		}
	}
	for c, n := range pool.count {
		for range n {
			cards = append(cards, Card(c))
		}
	}
	weights, total := map[string]float64{}, 0.0
	var turtles func(t base, p int, free []Turtle)
	var hands func(t base, taken []bool, next int)
	hands = func(t base, taken []bool, next int) {
		if next == len(takers) {
			for i, c := range cards {
				if !taken[i] {
					t.deck.add(c)
				}
			}
			weights[t.Position()]++
			total++
			return
		}
		for i, c := range cards {
			if !taken[i] {
				taken[i] = true
				u := t
				u.hands[takers[next]].add(c)
				hands(u, taken, next+1)
				taken[i] = false
			}
		}
	}
	turtles = func(t base, p int, free []Turtle) {
		switch {
		case p == g.rules.Players:
			hands(t, make([]bool, len(cards)), 0)
		case p == seat:
			turtles(t, p+1, free)
		default:
			for i, x := range free {
				t.owner[p] = x
				turtles(t, p+1, slices.Delete(slices.Clone(free), i, i+1))
			}
		}
	}
	empty := s.base
	empty.deck = pile{}
	var free []Turtle
	for p := range g.rules.Players {
		if p != seat {
			empty.hands[p] = pile{}
		}
	}
	for x := range Turtle(Turtles) {
		if x != s.owner[seat] {
			free = append(free, x)
		}
	}
	turtles(empty, 0, free)
	for text := range weights {
		weights[text] /= total
	}
	return weights
}

// Every deal is equally likely: chi-squared test over all positions consistent with
// what the seat sees.
func TestDeterminizeIsUniform(t *testing.T) {
	for i, c := range []struct {
		game, position string
		seat           int
	}{
		{"turtle:deck=[0,1,0,0,2,1,0],hand=2", "turn 3 player 1 play | 2:RGBYP | red: red+ any- | green: blue+ any- | deck green+ arrow", 0},
		{"turtle:deck=[0,1,0,0,2,1,0],hand=2", "turn 3 player 1 draw | 2:RGBYP | red: red+ | green: blue+ any- | deck green+ arrow any-", 1},
		{"turtle:players=3,deck=[0,0,0,0,5,3,0],hand=2", "turn 3 player 1 play | 2:RGBYP | red: arrow any- | green: any-*2 | blue: arrow any- | deck any-", 1},
	} {
		g := made(t, c.game)
		s := at(t, g, c.position).(*State)
		want := deals(s, c.seat)
		const draws = 20_000
		counts := map[string]float64{}
		d := g.NewState().(*State)
		rng := random.New(1, random.Test, 11, uint64(i))
		for range draws {
			d.CopyFrom(s)
			d.Determinize(rng, game.Player(c.seat))
			counts[d.Position()]++
		}
		chi := 0.0
		for text := range counts {
			if want[text] == 0 {
				t.Fatalf("%s is drawn for player %d of %s", text, c.seat+1, c.position)
			}
		}
		for text, p := range want {
			chi += (counts[text] - draws*p) * (counts[text] - draws*p) / (draws * p)
		}
		// Mean and variance of chi squared; five standard deviations.
		free := float64(len(want) - 1)
		if chi > free+5*math.Sqrt(2*free) || len(want) < 12 {
			t.Errorf("%s: chi squared is %.1f for %d positions", c.position, chi, len(want))
		}
	}
}

// During the deal, what has been dealt is redrawn, and nothing else.
func TestDeterminizeDuringTheDeal(t *testing.T) {
	g := made(t, "turtle:players=3")
	s := g.NewState().(*State)
	s.Apply(Own(Blue))
	rng := random.New(1, random.Test, 12)
	counts := map[Turtle]int{}
	for range 2000 {
		d := g.NewState().(*State)
		d.CopyFrom(s)
		d.Determinize(rng, 2)
		if d.owner[1] != NoTurtle || d.owner[2] != NoTurtle {
			t.Fatalf("%s: a tile is dealt that was not", d.Position())
		}
		counts[d.owner[0]]++
	}
	for turtle := range Turtle(Turtles) {
		if n := counts[turtle]; math.Abs(float64(n)-400) > 5*math.Sqrt(2000*0.2*0.8) {
			t.Errorf("%s is drawn %d times of 2000", turtle, n)
		}
	}
}

// sampler is a player that samples what it can't see: it plays each action to the end
// from determinizations.
func sampler(s *State, rng *rand.Rand) game.Action {
	seat := s.CurrentPlayer()
	legal := s.LegalActions(nil)
	totals := make([]float32, len(legal))
	world := s.g.NewState().(*State)
	utilities := make([]float32, s.g.Players())
	for range 12 {
		for i, a := range legal {
			world.CopyFrom(s)
			world.Determinize(rng, seat)
			world.Apply(a)
			world.Playout(rng)
			world.Returns(utilities)
			totals[i] += utilities[seat]
		}
	}
	best := 0
	for i, v := range totals {
		if v > totals[best] {
			best = i
		}
	}
	return legal[best]
}

// Two histories that a seat can't tell apart, with other hands and colours dealt, lead
// to equal choices, values and observations.
func TestPlayersCantTellHistoriesApart(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=4,start=stacked"} {
		g := made(t, name)
		compared := 0
		for i := range uint64(12) {
			rng := random.New(1, random.Test, 13, i)
			playBoth(g, rng, func(state game.State, n *naive) {
				if state.CurrentPlayer() < 0 || n.turn%5 != 0 {
					return
				}
				s := state.(*State)
				other := g.NewState().(*State)
				other.CopyFrom(s)
				other.Determinize(rng, s.CurrentPlayer())
				if other.Hash() == s.Hash() {
					return
				}
				compared++
				seed := rng.Uint64()
				if a, b := sampler(s, random.New(seed, random.Test)),
					sampler(other, random.New(seed, random.Test)); a != b {
					t.Fatalf("%s: the player chooses %s, in\n%s %s",
						s.Position(), g.ActionName(s, a), other.Position(), g.ActionName(s, b))
				}
				for q := range Strategy(strategies) {
					if a, b := q.Choose(s, random.New(seed, random.Test)),
						q.Choose(other, random.New(seed, random.Test)); a != b {
						t.Fatalf("%s: %s chooses %d and %d", s.Position(), q, a, b)
					}
				}
				a, b := make([]float32, g.Planes().Size()), make([]float32, g.Planes().Size())
				s.Observation(a)
				other.Observation(b)
				if !slices.Equal(a, b) {
					t.Fatalf("%s and\n%s are observed differently", s.Position(), other.Position())
				}
				if a, b := s.DrawFor(s.CurrentPlayer(), true),
					other.DrawFor(s.CurrentPlayer(), true); a != b {
					t.Fatalf("%sand\n%s are drawn differently", a, b)
				}
			})
		}
		if compared < 50 {
			t.Errorf("%s: only %d pairs are compared", name, compared)
		}
	}
}

// With open hands nothing is hidden.
func TestOpenHands(t *testing.T) {
	s := made(t, "turtle:hands=open").NewState()
	if _, ok := s.(game.ImperfectInformation); ok {
		t.Error("a game of open hands has hidden information")
	}
	if _, ok := made(t, "turtle").NewState().(game.ImperfectInformation); !ok {
		t.Error("a game of hidden hands has none")
	}
}
