package player

import (
	"math"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/mcts/ismcts"
)

// The keys of a run for games with hidden information are those of its players, unless they are
// given.
func TestHiddenGamesOfARun(t *testing.T) {
	g := game.Must(game.New("kuhn"))
	az := "az:" + newRun(t, g, "search.observers=multiple", "search.inference=8",
		"search.root=gumbel", "search.q_scaling=none", "search.interior=policy")
	for keys, want := range map[string]string{
		"":                              ",observers=multiple,inference=8",
		",inference=0,observers=single": ",observers=single,inference=0",
		",inference=3":                  ",observers=multiple,inference=3",
		",root=gumbel,q_scaling=range,interior=puct": ",root=gumbel,q_scaling=range,interior=puct,observers=multiple,inference=8",
		",root=gumbel,c_scale=0.5":                   ",root=gumbel,c_scale=0.5,observers=multiple,inference=8",
	} {
		p, err := Parse(g, az+keys)
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if name := az + ",simulations=180,c_puct=0.8" + want; p.Name() != name {
			t.Errorf("%s: is called %s, want %s", keys, p.Name(), name)
		}
		readsBack(t, g, p)
	}
	n, err := Parse(g, az+",root=gumbel")
	if err != nil {
		t.Fatal(err)
	}
	if o := n.(*AlphaZero).PUCT.Gumbel; !o.Unscaled ||
		n.(*AlphaZero).Observers != ismcts.MultipleObservers {
		t.Errorf("the run's search is %+v", o)
	}
	turtle := game.Must(game.New("turtle"))
	if _, err := Parse(turtle, "az:"+newRun(t, turtle)+",inference=3"); err == nil ||
		!strings.Contains(err.Error(), "do not tell their history") {
		t.Errorf("the error is %v", err)
	}
}

// decide returns what a player does in s with a seed.
func decide(t *testing.T, p Player, g game.Game, s game.State, seed uint64) game.Action {
	t.Helper()
	agent := p.NewAgent(g)
	agent.Begin(random.New(seed, random.Test, 90))
	a, err := Decide(agent, s, p.NewEvaluator(g, 1))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A search that infers sees nothing that is hidden: in states that its player can't tell apart it
// does the same.
func TestInferenceSeesNothing(t *testing.T) {
	g := game.Must(game.New("leduc"))
	run := "az:" + newRun(t, g)
	for _, keys := range []string{
		",simulations=20,inference=8,temperature=1,plies=all",
		",simulations=20,inference=8,root=gumbel,interior=policy,observers=multiple",
	} {
		p, err := Parse(g, run+keys)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for seed := range uint64(60) {
			rng := random.New(seed, random.Test, 91)
			s := g.NewState()
			for range 3 + rng.IntN(4) {
				switch {
				case s.CurrentPlayer() == game.Chance:
					s.Apply(s.(game.Chancer).Sample(rng))
				case s.CurrentPlayer() >= 0:
					legal := s.LegalActions(nil)
					s.Apply(legal[rng.IntN(len(legal))])
				}
			}
			if s.CurrentPlayer() < 0 {
				continue
			}
			d := g.NewState()
			d.CopyFrom(s)
			d.(game.ImperfectInformation).Determinize(rng, s.CurrentPlayer())
			if d.Hash() == s.Hash() {
				continue
			}
			compared++
			// Both are redrawn by the search from the same stream, from what the seat sees alone.
			if a, b := decide(t, p, g, s, seed), decide(t, p, g, d, seed); a != b {
				t.Fatalf("%s: %d is played, and %d where another card is hidden", keys, a, b)
			}
		}
		if compared < 10 {
			t.Errorf("%d pairs are compared", compared)
		}
	}
}

// A network's policy is played with the probabilities that it tells.
func TestRawPolicy(t *testing.T) {
	g := game.Must(game.New("leduc"))
	path := newRun(t, g)
	s := g.NewState()
	for _, a := range []game.Action{3, 4, 2} { // J, Q, raise
		s.Apply(a)
	}
	legal := s.LegalActions(nil)
	for _, text := range []string{
		"policy:" + path, "policy:" + path + ",temperature=0.2",
		"policy:" + path + ",temperature=0",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name() != text || Draws(p) == strings.HasSuffix(text, "=0") {
			t.Errorf("%s is called %s, draws: %t", text, p.Name(), Draws(p))
		}
		probabilities, sum := make([]float64, len(legal)), 0.0
		if err := p.(Explicit).Probabilities(s, p.NewEvaluator(g, 1), legal,
			probabilities); err != nil {
			t.Fatal(err)
		}
		counts := map[game.Action]float64{}
		const n = 2000
		for seed := range uint64(n) {
			counts[decide(t, p, g, s, seed)]++
		}
		for k, q := range probabilities {
			sum += q
			if math.Abs(counts[legal[k]]-n*q) > 5*math.Sqrt(n*q*(1-q)) {
				t.Errorf("%s: action %d is played %v times of %d; its probability is %v",
					text, legal[k], counts[legal[k]], n, q)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: the probabilities are %v", text, probabilities)
		}
	}
}

// UCT draws its moves by visits where it is told to, and is called so.
func TestTemperatureOfUCT(t *testing.T) {
	g := game.Must(game.New("kuhn"))
	s := g.NewState()
	for _, a := range []game.Action{3, 2} { // Q, J
		s.Apply(a)
	}
	for text, want := range map[string]int{
		"uct:simulations=50,temperature=1,plies=all": 2,
		"uct:simulations=50,temperature=1,plies=0":   0,
		"uct:simulations=50,temperature=1,plies=1":   2,
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		chosen := map[game.Action]int{}
		for seed := range uint64(60) {
			chosen[decide(t, p, g, s, seed)]++
		}
		if want > 0 && len(chosen) < want {
			t.Errorf("%s: chooses %v", text, chosen)
		}
		if again, err := Parse(g, p.Name()); err != nil || again.Name() != p.Name() ||
			strings.Contains(p.Name(), "temperature") != (want > 0) {
			t.Errorf("%s is called %s, %v", text, p.Name(), err)
		}
	}
	// Without a temperature nothing more is drawn than before.
	plain, zero := Baseline, Baseline
	zero.Plies = AllPlies
	for seed := range uint64(20) {
		if a, b := decide(t, plain, g, s, seed), decide(t, zero, g, s, seed); a != b {
			t.Fatalf("temperature 0 plays %d, not %d", b, a)
		}
	}
}
