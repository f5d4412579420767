package belief_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
	"tengen/search/belief"
)

// bluffer is a policy that depends on what the mover sees alone: logits by its information state
// key.
type bluffer struct {
	actions, players int
	states           []uint64
	batches          []int
}

func (b *bluffer) Add(s game.State) {
	b.states = append(b.states,
		s.(game.ImperfectInformation).InformationStateKey(s.CurrentPlayer()))
}

func (b *bluffer) logit(key uint64, a game.Action) float32 {
	return float32(key>>(8*uint(a))&0xff)/64 - 2
}

func (b *bluffer) Evaluate() (search.Evaluations, error) {
	e := search.Evaluations{Actions: b.actions, Players: b.players}
	for _, key := range b.states {
		for a := range game.Action(b.actions) {
			e.Policy = append(e.Policy, b.logit(key, a))
		}
		e.Values = append(e.Values, make([]float32, b.players)...)
	}
	b.batches = append(b.batches, len(b.states))
	b.states = nil
	return e, nil
}

// likelihood is the probability by the policy of what others than seat did in a history.
func (b *bluffer) likelihood(g game.Game, history []game.Action, seat game.Player) float64 {
	s, product := g.NewState(), 1.0
	for _, a := range history {
		if p := s.CurrentPlayer(); p >= 0 && p != seat {
			key, sum, own := s.(game.ImperfectInformation).InformationStateKey(p), 0.0, 0.0
			for _, k := range s.LegalActions(nil) {
				x := math.Exp(float64(b.logit(key, k)))
				sum += x
				if k == a {
					own = x
				}
			}
			product *= own / sum
		}
		s.Apply(a)
	}
	return product
}

// early returns a position of g in which a player is to move, after a number of decisions; nil if a
// random game ends before.
func early(g game.Game, decisions int, rng *rand.Rand) game.State {
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
	return nil
}

// The frequencies of what is drawn are the posterior by Bayes' rule: the prior of each
// determinization, which is counted, times the likelihood of what others did in it.
func TestInferenceFollowsThePosterior(t *testing.T) {
	for _, name := range []string{"kuhn", "kuhn:players=3", "leduc", "phantom:rows=2"} {
		g := game.Must(game.New(name))
		b := &bluffer{actions: g.Actions(), players: g.Players()}
		compared := 0
		for i := uint64(0); compared < 4; i++ {
			rng := random.New(1, random.Test, 40, i)
			s := early(g, 1+int(i%3), rng)
			if s == nil {
				continue
			}
			seat := s.CurrentPlayer()
			const n = 10_000
			prior, d := map[uint64]float64{}, g.NewState()
			likelihoods := map[uint64]float64{}
			for range n {
				d.CopyFrom(s)
				d.(game.ImperfectInformation).Determinize(rng, seat)
				prior[d.Hash()]++
				if _, ok := likelihoods[d.Hash()]; !ok {
					likelihoods[d.Hash()] = b.likelihood(g, d.(game.Chronicler).History(nil), seat)
				}
			}
			if len(prior) < 2 {
				continue
			}
			compared++
			sum := 0.0
			for h := range prior {
				prior[h] *= likelihoods[h]
				sum += prior[h]
			}
			f, err := belief.NewInference(g, 2000)
			if err != nil {
				t.Fatal(err)
			}
			drawn := map[uint64]float64{}
			const worlds = 10
			for range worlds {
				f.Begin(s, seat, rng)
				for !f.Advance(b, 3) {
					rows, _ := b.Evaluate()
					f.Deliver(rows)
				}
				for range n / worlds {
					d.CopyFrom(s)
					f.Deal(d, seat, rng)
					if d.(game.ImperfectInformation).InformationStateKey(seat) !=
						s.(game.ImperfectInformation).InformationStateKey(seat) {
						t.Fatalf("%s: what is drawn is not what the seat sees", name)
					}
					drawn[d.Hash()]++
				}
			}
			for h, x := range prior {
				want, got := x/sum, drawn[h]/n
				if math.Abs(got-want) > 0.02+6*math.Sqrt(want*(1-want)/n) {
					t.Errorf(
						"%s, position %d: a world is drawn with a share of %v; its posterior is %v",
						name, i, got, want)
				}
			}
		}
		for _, n := range b.batches {
			if n > 3 {
				t.Fatalf("%s: %d states are asked for at once; want 3 at most", name, n)
			}
		}
	}
}

// Where no inference has been made, and for another seat, draws are those of Determinize.
func TestInferenceElsewhere(t *testing.T) {
	g := game.Must(game.New("kuhn:players=3"))
	f, err := belief.NewInference(g, 8)
	if err != nil {
		t.Fatal(err)
	}
	s := early(g, 1, random.New(1, random.Test, 41))
	a, b := g.NewState(), g.NewState()
	for seed := range uint64(20) {
		a.CopyFrom(s)
		b.CopyFrom(s)
		f.Deal(a, s.CurrentPlayer(), random.New(seed, random.Test))
		b.(game.ImperfectInformation).Determinize(random.New(seed, random.Test), s.CurrentPlayer())
		if a.Hash() != b.Hash() {
			t.Fatal("without an inference another world is drawn")
		}
	}
	for _, name := range []string{"turtle", "tictactoe"} {
		if _, err := belief.NewInference(game.Must(game.New(name)), 8); err == nil {
			t.Errorf("an inference is made for %s", name)
		}
	}
}
