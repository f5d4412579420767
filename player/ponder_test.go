package player

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// pondering returns players that can ponder: whether they keep their trees, by name.
func pondering(t *testing.T, g game.Game) map[string]bool {
	dir := newRun(t, g)
	return map[string]bool{
		"uct:simulations=40":                                false,
		"uct:simulations=40,reuse_tree=true":                true,
		"uct:time=1ms,reuse_tree=true":                      true,
		"az:" + dir + ",simulations=40":                     true,
		"az:" + dir + ",simulations=40,leaves=4":            true,
		"az:" + dir + ",simulations=40,time=50ms":           true,
		"az:" + dir + ",simulations=40,time=9s,leaves=auto": true,
	}
}

func visitsOf(a Agent) (n int) {
	for _, m := range a.(Analyzer).Analysis().Moves {
		n += m.Visits
	}
	return n
}

// Pondering adds simulations whatever the budget is; a decision then has its own budget on top of
// them, and so has the next one below the action played, if the player keeps its tree.
func TestPonder(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2,pass=free"))
	for name, keeps := range pondering(t, g) {
		p := must(Parse(g, name))
		agent, e := p.NewAgent(g), p.NewEvaluator(g, 1)
		if !CanPonder(agent) {
			t.Fatalf("%s: it can't ponder", name)
		}
		agent.Begin(random.New(1, random.Test))
		s := g.NewState()
		for i := 1; i <= 30; i++ {
			if more := must(agent.(Ponderer).Ponder(s, e, 50)); !more {
				t.Fatalf("%s: it can't ponder", name)
			}
			if n := visitsOf(agent); n != 50*i {
				t.Fatalf("%s: %d visits after %d simulations", name, n, 50*i)
			}
		}
		v := agent.(Analyzer).Analysis()
		kept, best := 0, v.PrincipalVariation[0]
		for _, m := range v.Moves {
			if m.Action == best {
				kept = m.Visits
			}
		}
		a := must(Decide(agent, s, e))
		stats := agent.(Searching).Result().Stats()
		if n := visitsOf(agent); keeps != (n > 1500) || stats.Full {
			t.Errorf("%s: %d visits at the decision, %+v", name, n, stats)
		}
		if stats.Simulations > 1000 || stats.Simulations < 1 {
			t.Errorf("%s: a decision makes %d simulations", name, stats.Simulations)
		}
		agent.Played(a)
		s.Apply(a)
		must(Decide(agent, s, e))
		if n := visitsOf(agent); keeps && a == best && n < kept-1 {
			t.Errorf("%s: %d visits after an action with %d", name, n, kept)
		}
		// It ponders the position after its move, and forgets it all in another game.
		agent.Played(game.NoAction)
		must(agent.(Ponderer).Ponder(s, e, 10))
		if n := visitsOf(agent); n != 10 {
			t.Errorf("%s: %d visits after an unknown action", name, n)
		}
		agent.Begin(random.New(1, random.Test))
		must(agent.(Ponderer).Ponder(g.NewState(), e, 10))
		if n := visitsOf(agent); n != 10 {
			t.Errorf("%s: %d visits in another game", name, n)
		}
	}
}

// UCT that keeps its tree plays as UCT where there is nothing to keep, and is read back.
func TestReuse(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2,pass=free"))
	p, q := must(Parse(g, "uct:simulations=100")),
		must(Parse(g, "uct:simulations=100,reuse_tree=true"))
	if q.Name() != "uct:simulations=100,c=0.8,utility=points,reuse_tree=true" ||
		p.Name() != "uct:simulations=100,c=0.8,utility=points" {
		t.Errorf("names: %s, %s", p.Name(), q.Name())
	}
	a, b := p.NewAgent(g), q.NewAgent(g)
	a.Begin(random.New(1, random.Test))
	b.Begin(random.New(1, random.Test))
	s := g.NewState()
	x, y := must(Decide(a, s, nil)), must(Decide(b, s, nil))
	if x != y || visitsOf(a) != visitsOf(b) {
		t.Errorf("the first decisions are %d and %d", x, y)
	}
	for _, agent := range []Agent{a, b} {
		agent.Played(x)
	}
	s.Apply(x)
	must(Decide(a, s, nil))
	must(Decide(b, s, nil))
	if n, m := visitsOf(a), visitsOf(b); n != 100 || m <= 100 {
		t.Errorf("then they have %d and %d visits", n, m)
	}
	if name := Keeping(p).Name(); name != q.Name() {
		t.Errorf("%s is to keep its tree: %s", p.Name(), name)
	}
	if Keeping(Random{}) != (Random{}) || Simulations(q) != 100 || Simulations(Random{}) != 0 {
		t.Error("random keeps, or counts")
	}
	if _, err := Parse(game.Must(game.New("turtle")),
		"uct:reuse_tree=true,observers=multiple"); err == nil {
		t.Error("the trees of several observers are to be kept")
	}
}

// A tree that is full ends pondering, and a search of information sets has none.
func TestPonderEnds(t *testing.T) {
	g := game.Must(game.New("turtle"))
	agent := UCT{Simulations: 5, C: 0.8, Utility: Unit}.NewAgent(g)
	agent.Begin(random.New(1, random.Test))
	if more := must(agent.(Ponderer).Ponder(dealt(g, 1), nil, 5)); more || CanPonder(agent) {
		t.Error("a search of information sets is extended")
	}
	if CanPonder(Random{}.NewAgent(g)) {
		t.Error("random ponders")
	}
	full := &fullTree{
		extensible: UCT{
			Simulations: 5, C: 0.8, Utility: Unit,
		}.NewAgent(game.Must(game.New("tictactoe"))).(*uctAgent).tree.(extensible),
	}
	if more, err := ponder(full, nil, 5); more || err != nil {
		t.Errorf("a full tree goes on: %v", err)
	}
}

// fullTree is full and can't grow.
type fullTree struct{ extensible }

func (f *fullTree) Extend(int) bool              { return true }
func (f *fullTree) Advance(search.Requests) bool { return true }
func (f *fullTree) Stats() search.Stats          { return search.Stats{Full: true} }
func (f *fullTree) Grow(int) bool                { return false }

// Agents that are watched call often while they think, and have results then.
func TestWatch(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2,pass=free"))
	for _, name := range []string{"uct:simulations=160", "az:" + newRun(t, g) + ",simulations=40"} {
		p := must(Parse(g, name))
		agent := p.NewAgent(g)
		agent.Begin(random.New(1, random.Test))
		calls, last := 0, 0
		agent.(Watched).Watch(func() {
			calls++
			n := visitsOf(agent)
			if n < last {
				t.Errorf("%s: visits fall", name)
			}
			last = n
		})
		must(Decide(agent, g.NewState(), p.NewEvaluator(g, 1)))
		if calls < 9 || last == 0 {
			t.Errorf("%s: %d calls, %d visits at the last", name, calls, last)
		}
		agent.(Watched).Watch(nil)
		agent.Played(0)
		s := g.NewState()
		s.Apply(0)
		before := calls
		must(Decide(agent, s, p.NewEvaluator(g, 1)))
		if calls != before {
			t.Errorf("%s: it calls when nobody watches", name)
		}
	}
}

// A categorical network forecasts distributions whose means are its values; a linear one none.
func TestForecast(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2,pass=free"))
	p := must(Parse(g, "az:"+newRun(t, g)))
	f, ok := ForecasterOf(p)
	if !ok {
		t.Fatal("az is no Forecaster")
	}
	s, e := g.NewState(), p.NewEvaluator(g, 1)
	forecast := f.NewForecast(g)
	for range 3 {
		e.Add(s)
		values := must(e.Evaluate()).Utilities(0)
		for player, dist := range forecast(s) {
			mean := 0.0
			for i, x := range dist {
				mean += x * float64(g.Support()[i])
			}
			if math.Abs(mean-float64(values[player])) > 1e-6 {
				t.Errorf("player %d: the mean is %g, the value %g", player, mean, values[player])
			}
		}
		s.Apply(s.LegalActions(nil)[2])
	}
	d := must(Parse(g, "ubfm:"+newRun(t, g, "algorithm=descent")))
	if f, _ := ForecasterOf(d); f.NewForecast(g) != nil {
		t.Error("a linear head has a distribution")
	}
	if _, ok := ForecasterOf(UCT{}); ok {
		t.Error("UCT is a Forecaster")
	}
}
