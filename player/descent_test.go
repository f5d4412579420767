package player

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/descent"
	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// TestDescentOfTheRun: the terminal evaluation and the orientation are those of the run, or the
// defaults without a run.
func TestDescentOfTheRun(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g, "algorithm=descent", "descent.terminal=score+depth",
		"search.canonical=true")
	for _, kind := range []string{"ubfm", "descent"} {
		p, err := Parse(g, kind+":"+dir+",iterations=7")
		if err != nil {
			t.Fatal(err)
		}
		d := p.(*Descent)
		want := descent.Options{
			BestFirst: kind == "ubfm", Iterations: 7,
			Terminal: descent.Terminal{Score: true, Depth: true},
		}
		if d.Options != want || !d.Canonical || !d.Safe {
			t.Errorf("%s searches with %+v, canonical %v, safe %v",
				kind, d.Options, d.Canonical, d.Safe)
		}
	}
	p, err := Parse(g, "ubfm:"+newRun(t, g)+",time=2s")
	if err != nil {
		t.Fatal(err)
	}
	if d := p.(*Descent); d.Options != (descent.Options{
		BestFirst: true, Time: 2 * time.Second, Terminal: descent.Terminal{Result: true},
	}) {
		t.Errorf("it searches with %+v", d.Options)
	}
}

func TestTimed(t *testing.T) {
	for _, c := range []struct {
		p    Player
		want bool
	}{
		{Random{}, false}, {UCT{}, false}, {&AlphaZero{}, false},
		{UCT{Time: time.Second}, true}, {&AlphaZero{Time: time.Second}, true},
		{&Descent{Options: descent.Options{Iterations: 5}}, false},
		{&Descent{Options: descent.Options{Time: time.Second}}, true},
	} {
		if got := IsTimed(c.p); got != c.want {
			t.Errorf("%T: timed is %v", c.p, got)
		}
	}
}

// TestTimeIsKept: a move takes its time limit, or a little more.
func TestTimeIsKept(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	p, err := Parse(g, "ubfm:"+newRun(t, g, "algorithm=descent")+",time=60ms")
	if err != nil {
		t.Fatal(err)
	}
	agent := p.NewAgent(g)
	agent.Begin(random.New(1, random.Test))
	began := time.Now()
	Decide(agent, g.NewState(), p.NewEvaluator(g, 1))
	if took := time.Since(began); took < 60*time.Millisecond || took > 2*time.Minute {
		t.Errorf("a move of 60 ms takes %v", took)
	}
}

// TestDescentPlaysExactly: with enough iterations to resolve it, the analysis of tic-tac-toe
// after X a3, O b3 is a win of X, whatever the network says. An agent that is told of the
// opening plays on from its end.
func TestDescentPlaysExactly(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	dir := newRun(t, g, "algorithm=descent")
	for _, text := range []string{
		"ubfm:" + dir + ",iterations=100000", "descent:" + dir + ",iterations=100000,safe=false",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		agent, e, s := p.NewAgent(g), p.NewEvaluator(g, 1), g.NewState()
		agent.Begin(random.New(1, random.Test))
		for ply := 0; s.CurrentPlayer() != game.Nobody; ply++ {
			var a game.Action
			switch {
			case ply < 2:
				a = game.Action(ply)
			case s.CurrentPlayer() == 0:
				a = must(Decide(agent, s, e))
				v := agent.(Analyzer).Analysis()
				i := slices.IndexFunc(v.Moves, func(m Considered) bool { return m.Action == a })
				if !v.Exact || !slices.Equal(v.Value, []float32{1, 0}) || !v.Moves[i].Exact ||
					v.Moves[i].Value[0] != 1 {
					t.Errorf("%s: at ply %d it plays %d and sees %+v", p.Name(), ply, a, v)
				}
			default:
				a = s.LegalActions(nil)[0]
			}
			agent.Played(a)
			s.Apply(a)
		}
		returns := make([]float32, 2)
		if s.Returns(returns); returns[0] != 1 {
			t.Errorf("%s: X gets %v", p.Name(), returns[0])
		}
	}
}

// reached records after how many actions each tree was started.
type reached struct{ plies []int }

func (r *reached) Start(game.State)             {}
func (r *reached) Play(game.Action)             { r.plies = append(r.plies, -1) }
func (r *reached) Advance(search.Requests) bool { return true }
func (r *reached) Deliver(search.Evaluations)   {}

// TestFollowerCountsPlies: the search starts at the first decision, with the
// number of actions before it, and is told of those after it.
func TestFollowerCountsPlies(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	r := &reached{}
	f := treeFollower{
		search: r, start: func(_ game.State, ply int) { r.plies = append(r.plies, ply) },
	}
	for range 2 {
		f.begin()
		f.Played(0)
		f.Played(1)
		f.Played(2)
		f.think(s, nil)
		f.Played(3)
		f.Played(4)
		f.think(s, nil)
	}
	if want := []int{3, -1, -1, 3, -1, -1}; !slices.Equal(r.plies, want) {
		t.Errorf("got %v, want %v", r.plies, want)
	}
}

// TestEvaluatorHoldsChildren: an evaluator has room for all children of the first position from
// as many agents as it was made for.
func TestEvaluatorHoldsChildren(t *testing.T) {
	g := game.Must(game.New(small))
	p, err := Parse(g, "ubfm:"+newRun(t, g, "algorithm=descent"))
	if err != nil {
		t.Fatal(err)
	}
	const agents = 3
	e := p.NewEvaluator(g, agents)
	for i := range agents {
		agent := p.NewAgent(g)
		agent.Begin(random.New(1, random.Test, uint64(i)))
		if _, decided := agent.Think(g.NewState(), e); decided {
			t.Fatal("it decides without evaluations")
		}
	}
	if evaluations := must(e.Evaluate()); len(evaluations.Values) != agents*9*g.Players() ||
		len(evaluations.Policy) != 0 {
		t.Errorf("%d values, %d logits", len(evaluations.Values), len(evaluations.Policy))
	}
}

func TestOfCheckpoint(t *testing.T) {
	g := game.Must(game.New(small))
	az, descent := newRun(t, g), newRun(t, g, "algorithm=descent")
	for path, want := range map[string]string{
		az:      "az:" + az + ",simulations=30",
		descent: "ubfm:" + descent + ",iterations=30",
	} {
		name, itsGame, err := OfCheckpoint(path, 30)
		if err != nil || name != want || itsGame != g.Name() {
			t.Errorf("%s: %q of %q, %v", path, name, itsGame, err)
		}
		if _, err := Parse(g, name); err != nil {
			t.Error(err)
		}
		if again, err := GameOf(name); err != nil || again != g.Name() {
			t.Errorf("%s: the game is %q, %v", name, again, err)
		}
	}
	if itsGame, err := GameOf("uct:simulations=3"); err != nil || itsGame != "" {
		t.Errorf("the game of UCT is %q, %v", itsGame, err)
	}
	if _, err := GameOf("ubfm:" + az + "/nowhere"); err == nil ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a path to nowhere: %v", err)
	}
}

// TestDescentWantsOpenGames: games that best-first minimax can't play are refused with the
// reason.
func TestDescentWantsOpenGames(t *testing.T) {
	g := game.Must(game.New(small))
	dir := newRun(t, g, "algorithm=descent")
	if _, err := Parse(chanceGame{g}, "ubfm:"+dir); err == nil ||
		!strings.Contains(err.Error(), "chance") {
		t.Errorf("a game of chance: %v", err)
	}
}

// chanceGame has chance.
type chanceGame struct{ game.Game }

func (chanceGame) HasChance() bool { return true }
