package player

import (
	"math"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/search/belief"
	"tengen/search/nneval"
)

const turtles = "turtle:squares=5,hand=3,max_turns=60,history=2"

func TestBeliefNames(t *testing.T) {
	g := game.Must(game.New(turtles))
	dir := newRun(t, g, "training.belief_weight=0.1")
	for text, want := range map[string]string{
		"uct:belief=none": "uct:simulations=180,c=0.8,utility=points",
		"uct:belief=" +
			dir: "uct:simulations=180,c=0.8,utility=points,belief=" + dir,
		"uct:worlds=9,belief=" +
			dir: "uct:simulations=180,c=0.8,utility=points,belief=" + dir + ",worlds=9",
		"az:" + dir + ",belief=" + dir: "az:" + dir +
			",simulations=180,c_puct=0.8,belief=" + dir,
		"alphabeta:depth=2,belief=" +
			dir: "alphabeta:depth=2,strategy=fast,determinizations=20,samples=1,belief=" + dir,
		"minimax:depth=2,belief=" +
			dir: "minimax:depth=2,strategy=fast,determinizations=20,samples=1,belief=" + dir,
		"expectiminimax:worlds=2,belief=" +
			dir: "expectiminimax:depth=3,strategy=fast,determinizations=20,samples=0,star=2,belief=" + dir + ",worlds=2",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Name(); got != want {
			t.Errorf("%s is called %s; want %s", text, got, want)
		}
		if again, err := Parse(g, p.Name()); err != nil || again.Name() != want {
			t.Errorf("%s is read back as %v, %v", want, again, err)
		}
		if b := beliefOf(p); (b != nil) != strings.Contains(want, "belief") {
			t.Errorf("%s has the belief %v", text, b)
		}
	}
	if name, err := GameOf("uct:belief=" + dir); err != nil || name != g.Name() {
		t.Errorf("the game of a belief is %q: %v", name, err)
	}
	one, err := NetworkDigest("uct:belief=" + dir)
	two, err2 := NetworkDigest("az:" + dir + ",belief=" + dir)
	if err != nil || err2 != nil || one == "" || two != one+"+"+one {
		t.Errorf("digests %q and %q: %v, %v", one, two, err, err2)
	}
}

func TestWrongBelief(t *testing.T) {
	g := game.Must(game.New(turtles))
	dir := newRun(t, g, "training.belief_weight=0.1")
	bare := newRun(t, g)
	for _, c := range []struct{ game, text, says string }{
		{turtles, "uct:belief=" + bare, "no belief head (training.belief_weight)"},
		{turtles, "uct:worlds=3", "players with belief=NETWORK"},
		{turtles, "alphabeta:determinizations=0,belief=" + dir, "at least 1 is wanted by belief"},
		{turtles, "uct:open=true,belief=" + dir, "nothing is hidden in turtle"},
		{turtles, "uct:belief=" + dir + "/nowhere", "nowhere"},
		{turtles, "uct:rm=clusters,classes=4,belief=" + dir, "belief"},
		{turtles, "az:" + dir + ",rm=clusters,classes=4,belief=" + dir, "belief"},
		{strings.Replace(turtles, "history=2", "history=1", 1), "uct:belief=" + dir,
			"was trained on " + g.Name()},
		{"turtle", "uct:belief=" + dir, "was trained on " + g.Name()},
		{"tictactoe", "uct:belief=" + dir, "nothing is hidden"},
	} {
		if _, err := Parse(game.Must(game.New(c.game)), c.text); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want %q", c.text, err, c.says)
		}
	}
	model, err := LoadModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"turtle:players=3": "learned of 40 hidden facts",
		"turtle":           "learned of 4 classes of player 1's red+, and",
	} {
		if _, err := NewBelief(game.Must(game.New(name)), "x", model.Params, 3, nil); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v; want %q", name, err, says)
		}
	}
}

// beliefNetwork returns a network with a belief head, whose last layer is multiplied by a factor.
func beliefNetwork(t *testing.T, g game.Game, factor float32) *nn.Params {
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
	return params
}

// withBelief returns a player with a belief, nil for none.
func withBelief(t *testing.T, g game.Game, text string, b *Belief) Player {
	t.Helper()
	p, err := Parse(g, text)
	if err != nil {
		t.Fatal(err)
	}
	switch x := p.(type) {
	case UCT:
		x.Belief = b
		return x
	case *AlphaZero:
		x.Belief = b
	case *Minimax:
		x.Belief = b
	}
	return p
}

// A flat belief changes nothing, to the bit: players choose as without one, and find the same.
// Another changes what they find.
func TestFlatBelief(t *testing.T) {
	g := game.Must(game.New(turtles))
	dir := newRun(t, g)
	flat, err := NewBelief(g, "flat", beliefNetwork(t, g, 0), belief.DefaultWorlds, nil)
	if err != nil {
		t.Fatal(err)
	}
	rough, err := NewBelief(g, "rough", beliefNetwork(t, g, 30), belief.DefaultWorlds, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"uct:simulations=100,utility=unit", "uct:simulations=60,observers=multiple",
		"uct:simulations=60,reuse=true,rollout=fast",
		"az:" + dir + ",simulations=40", "az:" + dir + ",simulations=40,leaves=4",
		"minimax:depth=2,determinizations=4", "alphabeta:depth=2,determinizations=4",
		"expectiminimax:depth=1,determinizations=4",
	} {
		found := map[*Belief][]float32{}
		for _, b := range []*Belief{nil, flat, rough} {
			p := withBelief(t, g, text, b)
			agent, e := p.NewAgent(g), p.NewEvaluator(g, 1)
			agent.Begin(random.New(7, random.Test))
			rng := random.New(8, random.Test)
			s := g.NewState()
			for s.CurrentPlayer() != game.Nobody {
				if s.CurrentPlayer() == game.Chance {
					s.Apply(s.(game.Chancer).Sample(rng))
					continue
				}
				legal := s.LegalActions(nil)
				a := legal[rng.IntN(len(legal))]
				if len(legal) > 1 {
					chosen, err := Decide(agent, s, e)
					if err != nil {
						t.Fatal(err)
					}
					found[b] = append(found[b], float32(chosen))
					found[b] = append(found[b], agent.(Analyzer).Analysis().Value...)
				}
				agent.Played(game.NoAction)
				s.Apply(a)
			}
		}
		same := func(a, b []float32) bool {
			for i := range a {
				if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
					return false
				}
			}
			return len(a) == len(b) && len(a) > 10
		}
		if !same(found[nil], found[flat]) {
			t.Errorf("%s: a flat belief changes what is found", text)
		}
		if same(found[nil], found[rough]) {
			t.Errorf("%s: a belief changes nothing", text)
		}
	}
}

// A Believer does not allocate once it is made.
func TestBelieverDoesNotAllocate(t *testing.T) {
	g := game.Must(game.New(turtles))
	b, err := NewBelief(g, "rough", beliefNetwork(t, g, 30), 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, d := g.NewState(), g.NewState()
	rng := random.New(9, random.Test)
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	x := b.NewBeliever(g)
	if n := testing.AllocsPerRun(20, func() {
		x.sampler.Set(s, s.CurrentPlayer(), x.Logits(s))
		for range 5 {
			d.CopyFrom(s)
			x.sampler.Deal(d, s.CurrentPlayer(), rng)
		}
	}); n > 0 {
		t.Errorf("a belief and its draws allocate %v times", n)
	}
}
