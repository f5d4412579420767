package player

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// UCT of a game with hidden information searches information sets, with the chosen rollouts,
// and its analysis describes the search.
func TestUCTWithHiddenInformation(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rollouts := 0
	q, err := game.StrategyOf(g, "hybrid")
	if err != nil {
		t.Fatal(err)
	}
	q.Rollout = nil
	choose := q.Choose
	q.Choose = func(s game.State, rng *rand.Rand) game.Action { rollouts++; return choose(s, rng) }
	p := UCT{Simulations: 60, C: 0.8, Utility: Unit, Rollouts: Rollouts{&q, 0.5}}
	s := dealt(g, 5)
	agent := p.NewAgent(g)
	agent.Begin(random.New(1, random.Test))
	a := must(Decide(agent, s, search.NewConstant(g, 0)))
	v := agent.(Analyzer).Analysis()
	visits := 0
	var actions []game.Action
	for _, m := range v.Moves {
		visits += m.Visits
		actions = append(actions, m.Action)
	}
	if !slices.Equal(actions, s.LegalActions(nil)) || visits != 60 ||
		!slices.Equal(v.PrincipalVariation, []game.Action{a}) || v.Full {
		t.Errorf("the analysis is %+v, the decision %d", v, a)
	}
	if sum := v.Value[0] + v.Value[1]; sum < 0.999 || sum > 1.001 {
		t.Errorf("two players share one win; they are given %v", v.Value)
	}
	if rollouts < 60 {
		t.Errorf("the strategy chooses %d times in 60 rollouts", rollouts)
	}
}

// Players that search information sets have names that Parse reads, with each kind of
// observers, and choose the same action in positions that the player can't tell apart.
func TestObservers(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	dir := newRun(t, g)
	for text, name := range map[string]string{
		"uct:observers=single":                                 "uct:simulations=180,c=0.8,utility=points",
		"uct:simulations=60,rollout=hybrid,observers=multiple": "uct:simulations=60,c=0.8,utility=points,rollout=hybrid,epsilon=0.1,observers=multiple",
		"az:" + dir + ",simulations=40,observers=multiple": "az:" + dir +
			",simulations=40,c_puct=0.8,observers=multiple",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(g, p.Name())
		if err != nil || p.Name() != name || again.Name() != name {
			t.Errorf("%s is called %s and read back as %v, %v; %s is wanted",
				text, p.Name(), again, err, name)
		}
		e := p.NewEvaluator(g, 1)
		chosen := map[game.Action]bool{}
		for i := range uint64(6) {
			a, b := dealt(g, i), g.NewState()
			b.CopyFrom(a)
			b.(game.ImperfectInformation).Determinize(random.New(i, random.Test, 1),
				a.CurrentPlayer())
			var actions [2]game.Action
			for k, s := range []game.State{a, b} {
				agent, observer := p.NewAgent(g), NewObserver(g)
				agent.Begin(random.New(1, random.Arena, i))
				observer.Begin(1, random.Arena, i, s.CurrentPlayer())
				actions[k] = must(Decide(agent, observer.Observe(s, 0), e))
			}
			if actions[0] != actions[1] {
				t.Errorf("%s: %d and %d are chosen in positions that look alike",
					text, actions[0], actions[1])
			}
			chosen[actions[0]] = true
		}
		if len(chosen) < 2 {
			t.Errorf("%s always chooses the same", text)
		}
	}
}
