package truth_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/player"
	"tengen/research/truth"
	"tengen/search/nneval"
)

const turtles = "turtle:squares=5,hand=3,max_turns=60,history=2"

// beliefOf returns the belief of a random network, whose last layer is multiplied by a factor.
func beliefOf(t *testing.T, g game.Game, factor float32) *player.Belief {
	t.Helper()
	spec, err := nneval.Spec(g, nneval.Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range game.HiddenFactsOf(g) {
		spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, s.Classes)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(4, random.Test))
	w := params.Get("aux.belief.output.weight").Data
	for i := range w {
		w[i] *= factor
	}
	b, err := player.NewBelief(g, "random", params, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func players(t *testing.T, g game.Game, names ...string) (list []player.Player) {
	t.Helper()
	for _, name := range names {
		p, err := player.Parse(g, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// The losses are those of their definition, in games played again, and do not depend on the
// workers.
func TestMeasure(t *testing.T) {
	g := game.Must(game.New(turtles))
	facts := game.HiddenFactsOf(g)
	b := beliefOf(t, g, 20)
	o := truth.BeliefOptions{
		Game: g, Belief: b, Players: players(t, g, "uct:simulations=5", "random"), Games: 6,
		Seed: 3, Workers: 1,
	}
	r, err := truth.MeasureBelief(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(r)
	o.Workers = 3
	again, err := truth.MeasureBelief(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if three, _ := json.Marshal(again); string(three) != string(one) {
		t.Errorf("three workers measure\n%s, one\n%s", three, one)
	}

	type total struct {
		n           int
		loss, prior float64
	}
	all := map[string]total{}
	thirds := map[string][3]total{}
	believer := b.NewBeliever(g)
	for number := range uint64(6) {
		x := player.NewGame(g)
		var seats []player.Seat
		for s := range 2 {
			seats = append(seats, player.Seat{
				Agent: o.Players[(s+int(number))%2].NewAgent(g),
				Rand:  random.New(3, random.Arena, number, uint64(s)+1),
			})
		}
		var list []map[string]total
		x.OnMove = func(m player.Move) {
			if m.By != player.ByAgent {
				return
			}
			s, seat := x.State(), m.Player
			classes, priors := make([]int8, len(facts)),
				make([]float32, game.HiddenFactClasses(facts))
			s.(game.HiddenFactState).HiddenFacts(seat, classes)
			s.(game.HiddenFactState).HiddenFactPriors(seat, priors)
			logits := believer.Logits(s)
			of := map[string]total{}
			for i, f := range facts {
				sum := 0.0
				for c := range f.Classes {
					sum += float64(priors[c]) * math.Exp(float64(logits[c]))
				}
				if c := classes[i]; c >= 0 {
					k := of[f.Kind]
					k.n = 1
					k.loss -= math.Log(float64(priors[c]) * math.Exp(float64(logits[c])) / sum)
					k.prior -= math.Log(float64(priors[c]))
					of[f.Kind] = k
				}
				priors, logits = priors[f.Classes:], logits[f.Classes:]
			}
			list = append(list, of)
		}
		x.Start(player.Setup{
			Seed: 3, Purpose: random.Arena, Number: number, Seats: seats,
			Chance: random.New(3, random.Arena, number, 0),
		})
		x.Advance(nil)
		for i, of := range list {
			for kind, k := range of {
				a, parts := all[kind], thirds[kind]
				for _, to := range []*total{&a, &parts[i*3/len(list)]} {
					to.n, to.loss, to.prior = to.n+1, to.loss+k.loss, to.prior+k.prior
				}
				all[kind], thirds[kind] = a, parts
			}
		}
	}
	if len(r.Kinds) != 2 || r.Games != 6 || r.Decisions != all["turtle"].n {
		t.Fatalf("%d kinds, %d games and %d decisions are measured",
			len(r.Kinds), r.Games, r.Decisions)
	}
	same := func(what string, got truth.Measured, want total) {
		t.Helper()
		n := float64(want.n)
		if got.Positions != want.n || math.Abs(got.Loss-want.loss/n) > 1e-5 ||
			math.Abs(got.Prior-want.prior/n) > 1e-5 ||
			math.Abs(got.Reduction-(1-want.loss/want.prior)) > 1e-6 {
			t.Errorf("%s: %+v is measured, want %d positions, %g and %g",
				what, got, want.n, want.loss/n, want.prior/n)
		}
		if i := got.Interval(); !(i.Known() && i.Low < got.Reduction && got.Reduction < i.High) {
			t.Errorf("%s: the interval is %v around %g", what, i, got.Reduction)
		}
	}
	for _, k := range r.Kinds {
		same(k.Kind, k.Measured, all[k.Kind])
		positions, bins := 0, 0
		for i, p := range k.Parts {
			same(k.Kind, p.Measured, thirds[k.Kind][i])
		}
		for _, p := range k.Decisions {
			positions += p.Positions
		}
		for _, bin := range k.Reliability {
			bins += bin.N
		}
		if positions != k.Positions || bins < 2*positions {
			t.Errorf("%s: %d of %d positions by decisions, %d probabilities",
				k.Kind, positions, k.Positions, bins)
		}
	}
}

// A flat belief is as good as counting, and calibrated.
func TestFlatBeliefIsThePrior(t *testing.T) {
	g := game.Must(game.New(turtles))
	r, err := truth.MeasureBelief(t.Context(), truth.BeliefOptions{
		Game: g, Belief: beliefOf(t, g, 0), Players: players(t, g, "random"), Games: 200,
		Seed: 1, Workers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds {
		if math.Abs(k.Loss-k.Prior) > 1e-6 || math.Abs(k.Reduction) > 1e-6 || k.Error > 0.02 {
			t.Errorf("%+v", k)
		}
	}
}

// A measurement that is cut short has the games before the first that is not finished.
func TestMeasureStops(t *testing.T) {
	g := game.Must(game.New(turtles))
	ctx, stop := context.WithCancel(t.Context())
	o := truth.BeliefOptions{
		Game: g, Belief: beliefOf(t, g, 1), Players: players(t, g, "random"), Games: 10_000,
		Seed: 1, Workers: 1,
	}
	o.Progress = func(done, _ int) {
		if done == 3 {
			stop()
		}
	}
	r, err := truth.MeasureBelief(ctx, o)
	if err == nil || r.Games != 3 {
		t.Errorf("%d games, error %v", r.Games, err)
	}
	open := game.Must(game.New("turtle:hands=open"))
	if _, err := truth.MeasureBelief(t.Context(), truth.BeliefOptions{Game: open}); err == nil ||
		!strings.Contains(err.Error(), "no hidden facts") {
		t.Errorf("error %v", err)
	}
}
