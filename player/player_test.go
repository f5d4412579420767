package player

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/nn"
	"tengen/search"
	"tengen/search/nneval"
)

const small = "go:size=3,players=3"

// newRun makes a run's folder with a checkpoint of random weights. It is of AlphaZero unless the
// settings say otherwise.
func newRun(t *testing.T, g game.Game, set ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r, err := configs.Resolve(configs.Options{
		Set: append([]string{
			"game=" + g.Name(), "search.c_puct=0.8", "search.choice=visits",
		}, set...),
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Config.YAML()
	if err != nil {
		t.Fatal(err)
	}
	size := nneval.Size{Blocks: 1, Filters: 8, Hidden: 8}
	if r.Config.Algorithm == "descent" {
		size.Policy, size.Value = nn.PolicyNone, nn.ValueLinear
	}
	spec, err := nneval.Spec(g, size)
	if err != nil {
		t.Fatal(err)
	}
	if r.Config.Training.BeliefWeight > 0 {
		for _, s := range game.HiddenFactsOf(g) {
			spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, s.Classes)
		}
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(3, random.Test))
	if err := os.MkdirAll(filepath.Join(dir, "checkpoints"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoints.Save(filepath.Join(dir, "checkpoints"), &checkpoints.Checkpoint{
		Iteration: 7, Game: g.Name(), Params: params,
	}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestParseNames(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g)
	descent := newRun(t, g, "algorithm=descent")
	for text, want := range map[string]string{
		"random":                          "random",
		"uct":                             "uct:simulations=180,c=0.8,utility=points",
		"uct:c=1.5,utility=unit":          "uct:simulations=180,c=1.5,utility=unit",
		"uct:time=250ms":                  "uct:time=250ms,c=0.8,utility=points",
		"uct:simulations=50,time=1m":      "uct:simulations=50,time=1m0s,c=0.8,utility=points",
		"uct:rollout=random":              "uct:simulations=180,c=0.8,utility=points,rollout=random,epsilon=0.1",
		"uct:rollout=random,epsilon=0":    "uct:simulations=180,c=0.8,utility=points,rollout=random,epsilon=0",
		"az:" + dir:                       "az:" + dir + ",simulations=180,c_puct=0.8",
		"az:" + dir + ",c_puct=2,plies=3": "az:" + dir + ",simulations=180,c_puct=2",
		"az:" + dir + ",temperature=1,plies=3": "az:" + dir +
			",simulations=180,c_puct=0.8,temperature=1,plies=3",
		"az:" + dir + ",leaves=8,virtual_loss=1": "az:" + dir +
			",simulations=180,c_puct=0.8,leaves=8,virtual_loss=1",
		"az:" + dir + ",time=1s,leaves=auto": "az:" + dir +
			",time=1s,c_puct=0.8,leaves=auto",
		"az:" + dir + ",playouts=4": "az:" + dir +
			",simulations=180,c_puct=0.8,playouts=4,playout_weight=0.5",
		"az:" + dir + ",playouts=1,playout_weight=1,rollout=random": "az:" + dir +
			",simulations=180,c_puct=0.8,playouts=1,playout_weight=1,rollout=random,epsilon=0.1",
		"uct:choice=lcb":    "uct:simulations=180,c=0.8,utility=points,choice=lcb",
		"uct:choice=visits": "uct:simulations=180,c=0.8,utility=points",
		"az:" + dir + ",choice=lcb,lcb_z=3,lcb_fraction=0.25": "az:" + dir +
			",simulations=180,c_puct=0.8,choice=lcb,lcb_z=3,lcb_fraction=0.25",
		"az:" + dir + ",fpu=parent,fpu_reduction=0.10": "az:" + dir + ",simulations=180,c_puct=0.8",
		"az:" + dir + ",fpu=zero,fpu_reduction=0.3": "az:" + dir +
			",simulations=180,c_puct=0.8,fpu=zero,fpu_reduction=0.3",
		"ubfm:" + descent:                  "ubfm:" + descent + ",iterations=180,safe=true",
		"ubfm:" + dir:                      "ubfm:" + dir + ",iterations=180,safe=true",
		"ubfm:" + descent + ",time=1500ms": "ubfm:" + descent + ",time=1.5s,safe=true",
		"descent:" + descent + ",iterations=9,time=1s,safe=false,max_nodes=5000": "descent:" +
			descent + ",iterations=9,time=1s,max_nodes=5000,safe=false",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if p.Name() != want {
			t.Errorf("%s: is called %s, want %s", text, p.Name(), want)
		}
		again, err := Parse(g, p.Name())
		if err != nil || again.Name() != p.Name() {
			t.Errorf("%s does not read back: %v", p.Name(), err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g)
	other := newRun(t, game.Must(game.New("tictactoe")))
	descent := newRun(t, g, "algorithm=descent")
	for text, say := range map[string]string{
		"utc":                                        `did you mean "uct"`,
		"uct:simulation=5":                           `did you mean "simulations"`,
		"uct:simulations=0":                          "whole number from 1",
		"uct:time=soon":                              "a duration such as 1s",
		"uct:time=-1s":                               "a duration such as 1s",
		"uct:utility=score":                          "points, unit",
		"uct:rollout=hybrid":                         `has no strategy called "hybrid"; it has random`,
		"uct:epsilon=0.5":                            "is for rollout=STRATEGY only",
		"uct:choice=best":                            "visits, lcb",
		"uct:lcb_z=2":                                "is for choice=lcb only",
		"uct:choice=lcb,lcb_z=-1":                    "from 0 to 1000",
		"uct:choice=lcb,lcb_fraction=2":              "from 0 to 1",
		"uct:observers=two":                          "single, multiple",
		"uct:observers=multiple":                     "nothing is hidden in go:",
		"uct:rollout=random,epsilon=2":               "0 to 1",
		"az":                                         "a path is wanted",
		"az:" + dir + "/nowhere":                     "nowhere",
		"az:" + other:                                "mnk",
		"az:" + dir + ",fpu=x":                       "zero, parent",
		"az:" + dir + ",lcb_fraction=0.1":            "is for choice=lcb only",
		"az:" + dir + ",leaves=0":                    "a whole number from 1 to 256 or auto",
		"az:" + dir + ",leaves=many":                 "a whole number from 1 to 256 or auto",
		"az:" + dir + ",virtual_loss=-1":             "0 to 1000",
		"az:" + dir + ",playouts=1001":               "0 to 1000",
		"az:" + dir + ",epsilon=0.1":                 "is for players with playouts=N",
		"az:" + dir + ",playouts=1,rollout=hybrid":   `has no strategy called "hybrid"`,
		"az:" + dir + ",playouts=1,playout_weight=0": "above 0 is wanted",

		"uct:" + dir: "uct has no network",
		"az:" + descent: "has no policy, which az needs; it plays as ubfm:" +
			descent + " or descent:" + descent,
		"ubfm":                                 "a path is wanted: ubfm:PATH",
		"descent":                              "a path is wanted: descent:PATH",
		"ubfm:" + other:                        "mnk",
		"ubfm:" + descent + ",iterations=0":    "a whole number from 1",
		"ubfm:" + descent + ",simulations=5":   `ubfm has no key "simulations"`,
		"ubfm:" + descent + ",time=1":          "a duration such as 1s",
		"ubfm:" + descent + ",time=0s":         "a duration such as 1s",
		"ubfm:" + descent + ",time=25h":        "up to 24h",
		"ubfm:" + descent + ",safe=maybe":      "true or false",
		"descent:" + descent + ",max_nodes=-1": "a whole number from 0",
	} {
		if _, err := Parse(g, text); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want an error with %s", text, err, say)
		}
	}
}

// TestSearchOfTheRun: a network plays with the search settings of its run, unless keys override
// them.
func TestSearchOfTheRun(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g, "search.c_puct=1.25", "search.fpu=parent", "search.fpu_reduction=0.2",
		"search.canonical=true")
	checkpoint := filepath.Join(dir, "checkpoints", "000007")
	for _, path := range []string{
		dir, filepath.Join(dir, "checkpoints"), checkpoint,
		filepath.Join(checkpoint, "model.safetensors"),
	} {
		p, err := Parse(g, "az:"+path)
		if err != nil {
			t.Fatal(err)
		}
		n := p.(*AlphaZero)
		if n.PUCT.C != 1.25 || n.PUCT.FPU != mcts.ParentReduction(0.2) || !n.Canonical {
			t.Errorf("%s: searches with %+v, canonical %v", path, n.PUCT, n.Canonical)
		}
	}
	gumbel := newRun(t, g, "search.root=gumbel", "search.c_scale=0.2", "search.interior=puct")
	for text, want := range map[string]mcts.Gumbel{
		"":            {},
		",choice=lcb": {},
		",root=gumbel": {Considered: mcts.AutoConsidered, VisitOffset: 50,
			ValueScale: 0.2, Interior: mcts.ByPUCT},
		",root=gumbel,considered=3,c_scale=0.1": {Considered: 3, VisitOffset: 50, ValueScale: 0.1,
			Interior: mcts.ByPUCT},
		",root=gumbel,interior=improved": {Considered: mcts.AutoConsidered, VisitOffset: 50,
			ValueScale: 0.2},
	} {
		p, err := Parse(g, "az:"+gumbel+text)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.(*AlphaZero); n.PUCT.Gumbel != want {
			t.Errorf("a run with gumbel%s searches with %+v", text, n.PUCT.Gumbel)
		}
	}
	p, err := Parse(g, "az:"+dir+",c_puct=0.5,choice=lcb")
	if err != nil {
		t.Fatal(err)
	}
	want := mcts.PUCT{
		Simulations: 180, C: 0.5, FPU: mcts.ParentReduction(0.2), Reuse: true,
		FinalSelection: mcts.LowerBound(5, 0.15),
	}
	if n := p.(*AlphaZero); n.PUCT != want {
		t.Errorf("with other constants it searches with %+v", n.PUCT)
	}
}

// TestChoiceOfRun: a run's search.choice is that of its players with PUCT at the root, and names
// tell where they have another.
func TestChoiceOfRun(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g, "search.choice=lcb")
	for _, c := range []struct {
		keys, name string
		bound      bool
	}{
		{"", ",choice=lcb", true},
		{",choice=lcb", ",choice=lcb", true},
		{",choice=visits", ",choice=visits", false},
		{",root=gumbel", ",root=gumbel", false},
	} {
		p := must(Parse(g, "az:"+dir+c.keys))
		if n := p.(*AlphaZero); n.PUCT.FinalSelection.ByBound() != c.bound ||
			!strings.HasSuffix(n.Name(), c.name) {
			t.Errorf("az:RUN%s is %s, and chooses by the bound: %v",
				c.keys, n.Name(), n.PUCT.FinalSelection.ByBound())
		}
		if again := must(Parse(g, must(Parse(g, "az:"+dir+c.keys)).Name())); again.Name() !=
			p.Name() {
			t.Errorf("%s is read as %s", p.Name(), again.Name())
		}
	}
	if p := must(Parse(g, "uct:simulations=5")); p.(UCT).FinalSelection.ByBound() {
		t.Error("UCT chooses by the bound")
	}
}

// TestAgentsPlayWholeGames: every kind of player chooses legal actions, against itself and
// others, in several games in a row, and plays the same with equal streams.
func TestAgentsPlayWholeGames(t *testing.T) {
	g := game.Must(game.New(small))
	network, descent := newRun(t, g),
		newRun(t, g, "algorithm=descent", "descent.terminal=result+depth")
	for _, names := range [][]string{
		{"az:" + network + ",simulations=20,temperature=1,plies=4", "uct:simulations=20", "random"},
		{"az:" + network + ",simulations=20,root=gumbel",
			"az:" + network +
				",simulations=16,root=gumbel,interior=puct,considered=9,leaves=3", "random"},
		{"ubfm:" + descent + ",iterations=20", "random",
			"descent:" + descent + ",iterations=2,safe=false"},
		{"uct:simulations=10", "ubfm:" + network + ",iterations=20", "random"},
	} {
		playWholeGames(t, g, names)
	}
}

func playWholeGames(t *testing.T, g game.Game, names []string) {
	play := func() string {
		var line strings.Builder
		var agents []Agent
		var players []Player
		for _, name := range names {
			p, err := Parse(g, name)
			if err != nil {
				t.Fatal(err)
			}
			players = append(players, p)
			agents = append(agents, p.NewAgent(g))
		}
		evaluators := make([]search.Evaluator, len(players))
		for i, p := range players {
			evaluators[i] = p.NewEvaluator(g, 1)
		}
		for round := range 3 {
			state := g.NewState()
			for i, agent := range agents {
				agent.Begin(random.New(1, random.Test, uint64(round), uint64(i)))
			}
			for state.CurrentPlayer() != game.Nobody {
				legal := state.LegalActions(nil)
				a := legal[0]
				if len(legal) > 1 {
					a = must(Decide(agents[state.CurrentPlayer()], state,
						evaluators[state.CurrentPlayer()]))
					checkAnalysis(t, g, agents[state.CurrentPlayer()], state, legal)
				}
				found := false
				for _, l := range legal {
					found = found || l == a
				}
				if !found {
					t.Fatalf("%s plays %d, which is not legal in\n%v",
						names[state.CurrentPlayer()], a, state)
				}
				for _, agent := range agents {
					agent.Played(a)
				}
				line.WriteString(game.ActionName(g, state, a) + " ")
				state.Apply(a)
			}
		}
		return line.String()
	}
	if first, again := play(), play(); first != again {
		t.Errorf("the same streams give other games:\n%s\n%s", first, again)
	}
}

// checkAnalysis checks that an agent that searches lists all legal actions, has visited some
// unless the value is exact, and that its principal variation can be played from s.
func checkAnalysis(t *testing.T, g game.Game, agent Agent, s game.State, legal []game.Action) {
	t.Helper()
	analyzer, ok := agent.(Analyzer)
	if !ok {
		return
	}
	v := analyzer.Analysis()
	var seen []game.Action
	visits := 0
	for _, m := range v.Moves {
		seen = append(seen, m.Action)
		visits += m.Visits
		if len(m.Value) != g.Players() {
			t.Fatalf("the analysis has the moves %+v", v.Moves)
		}
	}
	slices.Sort(legal)
	if len(v.Value) != g.Players() || !slices.Equal(seen, legal) || visits == 0 && !v.Exact {
		t.Fatalf("the analysis is %+v, the legal actions %v", v, legal)
	}
	if len(v.PrincipalVariation) == 0 {
		t.Fatalf("the analysis %+v has no line", v)
	}
	next := g.NewState()
	next.CopyFrom(s)
	for i, a := range v.PrincipalVariation {
		if next.CurrentPlayer() < 0 || !slices.Contains(next.LegalActions(nil), a) {
			t.Fatalf("action %d of the line %v can't be played", i, v.PrincipalVariation)
		}
		next.Apply(a)
	}
}

// readsBack checks that Parse reads the name of a player of g, and gives the same name.
func readsBack(t *testing.T, g game.Game, p Player) {
	t.Helper()
	if again, err := Parse(g, p.Name()); err != nil || again.Name() != p.Name() {
		t.Errorf("%s is read back as %v (%v)", p.Name(), again, err)
	}
}

// evaluatorOf returns an evaluator for an agent of p; any will do if p has none.
func evaluatorOf(g game.Game, p Player) search.Evaluator {
	if e := p.NewEvaluator(g, 1); e != nil {
		return e
	}
	return search.NewConstant(g, 0)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
