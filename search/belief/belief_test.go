package belief_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/search/belief"
)

// late returns a position of g in which a player is to move, after a number of its decisions.
func late(t *testing.T, g game.Game, decisions int, rng *rand.Rand) game.State {
	t.Helper()
	for {
		s := g.NewState()
		for n := 0; s.CurrentPlayer() != game.Nobody; {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			if n++; n > decisions {
				return s
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

// world is what a player can't see of the turtle race for two: the other's turtle and its hand.
type world struct {
	turtle turtle.Turtle
	hand   [turtle.Cards]int
}

func worldOf(s game.State, seat game.Player) (w world) {
	x := s.(*turtle.State)
	w.turtle = x.Owner(1 - seat)
	for c := range turtle.Card(turtle.Cards) {
		w.hand[c] = x.Hand(1-seat, c)
	}
	return w
}

// worlds lists what is consistent with what seat sees, with the prior probabilities: every hand is
// weighted by the number of ways to choose its cards.
func worlds(s game.State, seat game.Player, deck turtle.Deck) map[world]float64 {
	x := s.(*turtle.State)
	var left [turtle.Cards]int
	for c := range left {
		row := c / turtle.Turtles
		if c >= 3*turtle.Turtles {
			row = 3 + c - 3*turtle.Turtles
		}
		left[c] = deck[row] - x.Hand(seat, turtle.Card(c)) - x.Discarded(turtle.Card(c))
	}
	list, total := map[world]float64{}, 0.0
	var deal func(w world, c, cards int, ways float64)
	deal = func(w world, c, cards int, ways float64) {
		if c == turtle.Cards {
			if cards == 0 {
				for u := range turtle.Turtle(turtle.Turtles) {
					if u != x.Owner(seat) {
						w.turtle = u
						list[w] = ways
						total += ways
					}
				}
			}
			return
		}
		for n, choices := 0, 1.0; n <= min(cards, left[c]); n++ {
			w.hand[c] = n
			deal(w, c+1, cards-n, ways*choices)
			choices = choices * float64(left[c]-n) / float64(n+1)
		}
	}
	deal(world{}, 0, x.Held(1-seat), 1)
	for w := range list {
		list[w] /= total
	}
	return list
}

// The frequencies of the draws match the exact posterior, by Bayes' rule over all consistent
// worlds, of a player whose moves show its turtle and what it likes to keep in its hand.
func TestDrawsFollowThePosterior(t *testing.T) {
	for i, name := range []string{
		"turtle:hand=1,deck=[0,1,0,1,0,1,1]",
		"turtle:hand=2,deck=[0,1,0,2,1,1,0],squares=6",
		"turtle:hand=2,deck=[1,1,0,0,0,2,2],squares=5",
	} {
		g := game.Must(game.New(name)).(*turtle.Game)
		rng := random.New(1, random.Test, 1, uint64(i))
		s := late(t, g, 5, rng)
		seat := s.CurrentPlayer()
		// The likelihood of what was seen is a product of a number for the turtle and one for each
		// card held.
		var likes [turtle.Turtles]float64
		var keeps [turtle.Cards]float64
		for u := range likes {
			likes[u] = []float64{0.1, 1, 0.4, 0, 3}[u]
		}
		for c := range keeps {
			keeps[c] = math.Exp(rng.NormFloat64())
		}
		exact, total := worlds(s, seat, g.Rules().Deck), 0.0
		for w, prior := range exact {
			p := prior * likes[w.turtle]
			for c, n := range w.hand {
				p *= math.Pow(keeps[c], float64(n))
			}
			exact[w] = p
			total += p
		}
		var logits []float32
		for k, fact := range g.HiddenFacts() {
			for class := range fact.Classes {
				z := math.Log(likes[min(class, turtle.Turtles-1)])
				if fact.Kind == "cards" {
					card, err := turtle.ParseCard(strings.Fields(fact.Name)[2])
					if err != nil {
						t.Fatal(k, err)
					}
					z = float64(class) * math.Log(keeps[card])
				}
				logits = append(logits, float32(z))
			}
		}
		sampler, err := belief.New(g, 300)
		if err != nil {
			t.Fatal(err)
		}
		sampler.Set(s, seat, logits)
		const draws = 6000
		counts := map[world]int{}
		d := g.NewState()
		for i := range draws {
			if i%3 == 0 { // draws from the same worlds are not independent
				sampler.Set(s, seat, logits)
			}
			d.CopyFrom(s)
			sampler.Deal(d, seat, rng)
			counts[worldOf(d, seat)]++
		}
		t.Logf("%s: %d worlds, %d of them drawn", name, len(exact), len(counts))
		for w, n := range counts {
			if exact[w] == 0 {
				t.Errorf("%s: %v is drawn %d times, which is impossible", name, w, n)
			}
		}
		for w, p := range exact {
			p /= total
			// 5 standard deviations, and the bias of a finite number of worlds.
			if got := float64(counts[w]) / draws; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/draws)+
				0.02*p+1e-3 {
				t.Errorf("%s: %v is drawn with frequency %.4f; its posterior is %.4f",
					name, w, got, p)
			}
		}
	}
}

// Whatever the belief, draws are consistent with what the seat sees, and depend on nothing else:
// two states that it can't tell apart give the same draws.
func TestDrawsAreConsistent(t *testing.T) {
	for i, name := range []string{
		"turtle", "turtle:players=4,history=2", "turtle:players=5,hand=3",
	} {
		g := game.Must(game.New(name))
		sampler, err := belief.New(g, 8)
		if err != nil {
			t.Fatal(err)
		}
		for k := range uint64(40) {
			rng := random.New(1, random.Test, 2, uint64(i), k)
			s := late(t, g, int(k), rng)
			seat := s.CurrentPlayer()
			other := g.NewState()
			other.CopyFrom(s)
			other.(game.ImperfectInformation).Determinize(rng, seat)
			logits := make([]float32, sampler.Classes())
			for j := range logits {
				logits[j] = float32(2 * rng.NormFloat64())
			}
			seed := rng.Uint64()
			var hashes [2]uint64
			for j, from := range []game.State{s, other} {
				d := g.NewState()
				d.CopyFrom(from)
				sampler.Set(from, seat, logits)
				if sampler.Flat() {
					t.Fatal("a random belief is flat")
				}
				sampler.Deal(d, seat, random.New(seed, random.Test))
				hashes[j] = d.Hash()
				seen, want := make([]float32, g.Planes().Size()), make([]float32, g.Planes().Size())
				d.Observation(seen)
				s.Observation(want)
				for e := range want {
					if seen[e] != want[e] {
						t.Fatalf("%s: element %d of the observation is %g after a draw; want %g",
							name, e, seen[e], want[e])
					}
				}
				x, y := s.(game.ImperfectInformation), d.(game.ImperfectInformation)
				if y.InformationStateKey(seat) != x.InformationStateKey(seat) {
					t.Fatalf("%s: a draw changes the key", name)
				}
				if _, err := g.(game.Positioned).ParsePosition(d.(game.Written).Position()); err !=
					nil {
					t.Fatalf("%s: a draw is no position: %v", name, err)
				}
			}
			if hashes[0] != hashes[1] {
				t.Fatalf("%s: two states that seat %d can't tell apart give different draws",
					name, seat)
			}
		}
	}
}

// The belief of one information set is not used in another.
func TestBeliefOfAnotherInformationSet(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rng := random.New(1, random.Test, 7)
	sampler, err := belief.New(g, 16)
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, sampler.Classes())
	for i := range logits {
		logits[i] = rng.Float32()
	}
	s, u := late(t, g, 4, rng), late(t, g, 5, rng)
	sampler.Set(s, s.CurrentPlayer(), logits)
	d, e := g.NewState(), g.NewState()
	d.CopyFrom(s)
	sampler.Deal(d, s.CurrentPlayer(), rng)
	d.CopyFrom(u)
	e.CopyFrom(u)
	sampler.Deal(d, u.CurrentPlayer(), random.New(8, random.Test))
	e.(game.ImperfectInformation).Determinize(random.New(8, random.Test), u.CurrentPlayer())
	if d.Hash() != e.Hash() {
		t.Error("the worlds of another position were drawn")
	}
}

// A flat belief, and a choice of one world, draw what the game draws, from the same random numbers.
func TestFlatBeliefChangesNothing(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	rng := random.New(1, random.Test, 3)
	s := late(t, g, 9, rng)
	seat := s.CurrentPlayer()
	facts := game.HiddenFactsOf(g)
	var flat, rough []float32
	for i, f := range facts {
		for class := range f.Classes {
			z := float32(i)
			if f.Seat == seat {
				z = float32(class) // known: it does not count
			}
			flat, rough = append(flat, z), append(rough, float32(class))
		}
	}
	for _, c := range []struct {
		worlds int
		logits []float32
		forget bool
	}{{16, flat, false}, {1, rough, false}, {16, rough, true}} {
		sampler, err := belief.New(g, c.worlds)
		if err != nil {
			t.Fatal(err)
		}
		if sampler.Set(s, seat, c.logits); c.forget {
			sampler.Forget()
		}
		a, b := random.New(5, random.Test), random.New(5, random.Test)
		for range 20 {
			d, e := g.NewState(), g.NewState()
			d.CopyFrom(s)
			e.CopyFrom(s)
			sampler.Deal(d, seat, a)
			e.(game.ImperfectInformation).Determinize(b, seat)
			if d.Hash() != e.Hash() {
				t.Fatalf("%d worlds: another state is drawn than by Determinize", c.worlds)
			}
		}
		if a.Uint64() != b.Uint64() {
			t.Errorf("%d worlds: the random sources differ after equal draws", c.worlds)
		}
	}
}

// Beliefs of no use leave the prior: all worlds ruled out, and weights that are no numbers.
func TestUselessBelief(t *testing.T) {
	g := game.Must(game.New("turtle:hand=1,deck=[0,1,0,1,0,0,0]")).(*turtle.Game)
	rng := random.New(1, random.Test, 4)
	s := late(t, g, 0, rng)
	seat := s.CurrentPlayer()
	for _, z := range []float64{math.Inf(-1), math.NaN()} {
		sampler, err := belief.New(g, 5)
		if err != nil {
			t.Fatal(err)
		}
		logits := make([]float32, sampler.Classes())
		for i := range logits {
			logits[i] = float32(z)
		}
		logits[0], logits[turtle.Turtles] = 1, 1
		sampler.Set(s, seat, logits)
		counts, prior := map[world]int{}, worlds(s, seat, g.Rules().Deck)
		const draws = 20_000
		for range draws {
			d := g.NewState()
			d.CopyFrom(s)
			sampler.Deal(d, seat, rng)
			counts[worldOf(d, seat)]++
		}
		for w, p := range prior {
			if z == z && w.turtle == turtle.Red {
				continue
			}
			if got := float64(counts[w]) / draws; got == 0 {
				t.Errorf("logits %g: %v with prior %.3f is never drawn", z, w, p)
			}
		}
	}
}

// Distributions are the priors times the likelihoods.
func TestDistributions(t *testing.T) {
	facts := []game.HiddenFact{{Classes: 3}, {Classes: 2}}
	got := make([]float32, 5)
	belief.Distributions(facts, got, []float32{0.5, 0.5, 0, 0, 0},
		[]float32{1000, 1000 + float32(math.Log(3)), 2000, 1, 2})
	for i, want := range []float32{0.25, 0.75, 0, 0, 0} {
		if math.Abs(float64(got[i]-want)) > 1e-4 {
			t.Fatalf("the belief is %v", got)
		}
	}
}

func TestDealDoesNotAllocate(t *testing.T) {
	g := game.Must(game.New("turtle:players=5,history=4"))
	rng := random.New(1, random.Test, 5)
	s := late(t, g, 12, rng)
	sampler, err := belief.New(g, 16)
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, sampler.Classes())
	for i := range logits {
		logits[i] = rng.Float32()
	}
	d := g.NewState()
	if n := testing.AllocsPerRun(100, func() {
		sampler.Set(s, s.CurrentPlayer(), logits)
		for range 3 {
			d.CopyFrom(s)
			sampler.Deal(d, s.CurrentPlayer(), rng)
		}
	}); n != 0 {
		t.Errorf("a draw allocates %v times", n)
	}
}

func TestWrongSampler(t *testing.T) {
	for name, says := range map[string]string{
		"turtle:hands=open": "no hidden facts", "mnk:rows=3,columns=3": "no hidden facts",
		"turtle": "0 worlds",
	} {
		if _, err := belief.New(game.Must(game.New(name)), 0); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v; want %q", name, err, says)
		}
	}
}

func BenchmarkDeal(b *testing.B) {
	g := game.Must(game.New("turtle"))
	rng := random.New(1, random.Test, 6)
	s := g.NewState()
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	sampler, err := belief.New(g, belief.DefaultWorlds)
	if err != nil {
		b.Fatal(err)
	}
	logits := make([]float32, sampler.Classes())
	for i := range logits {
		logits[i] = rng.Float32()
	}
	sampler.Set(s, 0, logits)
	d := g.NewState()
	b.ReportAllocs()
	for b.Loop() {
		d.CopyFrom(s)
		sampler.Deal(d, 0, rng)
	}
}
