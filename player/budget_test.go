package player

import (
	"testing"
	"time"

	"tengen/clock"
	"tengen/configs"
	"tengen/descent"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// Descent's iterations are such a number.
func TestDescentByClock(t *testing.T) {
	d := &Descent{Label: "x", Options: descent.Options{BestFirst: true, Iterations: 50}, Safe: true}
	if timed := ByClock(d); timed == nil || timed.Name() != "ubfm:x,time=24h0m0s,safe=true" ||
		d.Options.Iterations != 50 {
		t.Errorf("%s is by the clock %v", d.Name(), timed)
	}
	if n, key := Limit(d); n != 50 || key != "iterations" {
		t.Errorf("%s has a limit of %d %s", d.Name(), n, key)
	}
}

// A player by the clock has no number of simulations, and is else the same; one without such a
// number is none.
func TestByClock(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=2,pass=free"))
	for text, want := range map[string]string{
		"uct:simulations=50,c=0.5,utility=unit,reuse_tree=true": "uct:time=24h0m0s,c=0.5,utility=unit,reuse_tree=true",
		"uct:simulations=50,time=2s":                            "uct:time=2s,c=0.8,utility=points",
		"uct:time=2s":                                           "",
		"uct:clock=10s":                                         "",
		"az:go-5x5x2,simulations=50":                            "az:go-5x5x2,time=24h0m0s,",
		"random":                                                "",
		"alphabeta:depth=1":                                     "",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		before := p.Name()
		timed := ByClock(p)
		if timed == nil {
			if want != "" {
				t.Errorf("%s has no player by the clock", text)
			}
			continue
		}
		name := timed.Name()
		if len(name) > len(want) {
			name = name[:len(want)]
		}
		if want == "" || name != want || p.Name() != before {
			t.Errorf("%s is by the clock %s, and itself %s", text, timed.Name(), p.Name())
		}
		if n, key := Limit(timed); n != 0 || key != "" {
			t.Errorf("%s has a limit of %d %s", timed.Name(), n, key)
		}
		if n, key := Limit(p); n != 50 || key != "simulations" {
			t.Errorf("%s has a limit of %d %s", p.Name(), n, key)
		}
	}
}

// Players with a clock have names that Parse reads, and are timed.
func TestClockNames(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	dir := newRun(t, g)
	for text, name := range map[string]string{
		"uct:clock=10s":                     "uct:clock=10s,c=0.8,utility=points",
		"uct:simulations=50,clock=10s+5x2s": "uct:simulations=50,clock=10s+5x2s,c=0.8,utility=points",
		"uct:time=1s,clock=1m0s+30s/10":     "uct:time=1s,clock=1m+30s/10,c=0.8,utility=points",
		"az:" + dir + ",clock=10s+2s":       "az:" + dir + ",clock=10s+2s,c_puct=0.8",
		"az:" + dir + ",clock=10s+2s,simulations=9000": "az:" + dir +
			",simulations=9000,clock=10s+2s,c_puct=0.8",
		"ubfm:" + dir + ",clock=2s": "ubfm:" + dir + ",clock=2s,safe=true",
		"descent:" + dir + ",iterations=7,clock=2s": "descent:" + dir +
			",iterations=7,clock=2s,safe=true",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := Parse(g, p.Name()); err != nil || p.Name() != name ||
			again.Name() != name {
			t.Errorf("%s is called %s and read back as %v, %v; %s is wanted",
				text, p.Name(), again, err, name)
		}
		if !IsTimed(p) || ClockOf(p) == nil {
			t.Errorf("%s has no clock", p.Name())
		}
	}
	for _, text := range []string{
		"uct:clock=10", "uct:clock=0s", "uct:clock=10s+5y2s", "random:clock=10s",
		"minimax:clock=10s",
	} {
		if p, err := Parse(g, text); err == nil {
			t.Errorf("%s is read as %s", text, p.Name())
		}
	}
	if p := must(Parse(g, "uct:time=1s")); ClockOf(p) != nil {
		t.Error("a player without a clock has one")
	}
}

// quiet says that nothing else runs on this machine, so that no clock may fall: with -tags slow.
var quiet bool

// Games by the clock: every kind of player keeps it, and uses a good part of it.
func TestClockIsKept(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	dir := newRun(t, g)
	for _, text := range []string{
		"uct:clock=600ms,utility=unit", "az:" + dir + ",clock=600ms",
		"ubfm:" + dir + ",clock=600ms", "descent:" + dir + ",clock=600ms",
		"uct:clock=100ms+3x60ms,simulations=2000",
	} {
		t.Run(text, func(t *testing.T) {
			p := must(Parse(g, text))
			e := evaluatorOf(g, p)
			agent := p.NewAgent(g)
			agent.Begin(random.New(1, random.Test))
			s := g.NewState()
			var spent [2]time.Duration
			for s.CurrentPlayer() != game.Nobody {
				a := s.LegalActions(nil)[0]
				if mover := s.CurrentPlayer(); len(s.LegalActions(nil)) > 1 {
					began := time.Now()
					a = must(Decide(agent, s, e))
					spent[mover] += time.Since(began)
				}
				agent.Played(a)
				s.Apply(a)
			}
			// A process that was held up for half a second in one seat's search ends the next ones
			// early.
			used := max(spent[0], spent[1])
			if quiet {
				used = min(spent[0], spent[1])
			}
			if ClockOf(p).Periods == 0 && used < 60*time.Millisecond {
				t.Errorf("the seats used %v of 600ms", spent)
			}
			if n := ClockOf(p).Fallen(); n > 0 && quiet {
				t.Errorf("%d clocks of 2 have fallen", n)
			}
		})
	}
}

// A clock that is overstepped is counted once a game, and the game goes on.
func TestClockFalls(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	p := must(Parse(g, "uct:clock=1ns")).(UCT)
	agent := p.NewAgent(g)
	for number := range uint64(3) {
		agent.Begin(random.New(1, random.Test, number))
		s := g.NewState()
		for range 4 {
			s.Apply(must(Decide(agent, s, search.NewConstant(g, 0))))
		}
	}
	if n := p.Clock.Fallen(); n != 6 {
		t.Errorf("%d clocks have fallen in 3 games of 2 seats", n)
	}
}

// A deadline from outside replaces the player's own clock until it is removed, for players that
// wrap another too.
func TestDeadline(t *testing.T) {
	g := game.Must(game.New("turtle"))
	for _, text := range []string{
		"uct:time=1h,early_stop=false", "uct:time=1h,clock=1ns,early_stop=false",
		"uct:simulations=1000000,early_stop=false",
	} {
		agent := must(Parse(g, text)).NewAgent(g)
		agent.Begin(random.New(1, random.Test))
		began := time.Now()
		agent.(Deadlined).SetDeadline(clock.Limit{
			Plan: 20 * time.Millisecond, Latest: time.Hour,
		}.From(began))
		must(Decide(agent, dealt(g, 1), search.NewConstant(g, 0)))
		if took, n := time.Since(began),
			agent.(Searching).Result().Stats().Simulations; took < 20*time.Millisecond ||
			n >= 1000000 || took > 10*time.Minute {
			t.Errorf("%s: a decision of 20ms took %v and %d simulations", text, took, n)
		}
	}
	limited := must(Parse(g, "uct:simulations=20")).NewAgent(g)
	limited.Begin(random.New(1, random.Test))
	limited.(Deadlined).SetDeadline(clock.Deadline{Plan: time.Now(), Latest: time.Now()})
	must(Decide(limited, dealt(g, 1), search.NewConstant(g, 0)))
	if n := limited.(Searching).Result().Stats().Simulations; n != 1 {
		t.Errorf("after the deadline there are %d simulations", n)
	}
	limited.(Deadlined).SetDeadline(clock.Deadline{})
	must(Decide(limited, dealt(g, 1), search.NewConstant(g, 0)))
	if n := limited.(Searching).Result().Stats().Simulations; n != 20 {
		t.Errorf("without a deadline there are %d simulations", n)
	}
}

// Games that don't say how long they last are played at random to find out; the estimate falls to
// the last decision.
func TestHorizon(t *testing.T) {
	for name, want := range map[string][2]float64{
		"tictactoe": {3, 5}, "go:size=5,players=2,pass=free": {17, 18}, "turtle": {5, 60},
		"tcg": {20, 2000},
	} {
		g := game.Must(game.New(name))
		h := NewHorizon(g)
		s := dealt(g, 3)
		if p := h.Pace(s, s.CurrentPlayer()); p.Moves < want[0] || p.Moves > want[1] ||
			p.Most < p.Moves {
			t.Errorf("%s: %+v decisions are expected, want %v", name, p, want)
		}
	}
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 1, 2, 3, 4, 5, 7} {
		s.Apply(a)
	}
	if p := NewHorizon(g).Pace(s, s.CurrentPlayer()); p.Moves != 1 {
		t.Errorf("with two empty cells there are %+v decisions", p)
	}
}

// Players stop early when they are told to, or by default by a clock, and choose the same action.
func TestEarlyStop(t *testing.T) {
	for _, name := range []string{"go:size=3,players=2,pass=free", "turtle"} {
		g := game.Must(game.New(name))
		dir := newRun(t, g)
		for _, kind := range []string{
			"uct:utility=unit,simulations=", "az:" + dir + ",c=0.2,simulations=",
		} {
			saved := 0
			for seed := range uint64(20) {
				var made [3]int
				var chosen [3]game.Action
				for i, key := range []string{"400", "400,early_stop=true", "400,early_stop=false"} {
					p := must(Parse(g, kind+key))
					agent, e := p.NewAgent(g), evaluatorOf(g, p)
					agent.Begin(random.New(seed, random.Test))
					chosen[i] = must(Decide(agent, dealt(g, seed), e))
					made[i] = agent.(Searching).Result().Stats().Simulations
				}
				if chosen[0] != chosen[1] || chosen[0] != chosen[2] || made[0] != 400 ||
					made[2] != 400 || made[1] > 400 {
					t.Errorf("%s, %s: %d are chosen after %d simulations", name, kind, chosen, made)
				}
				saved += 400 - made[1]
			}
			if saved == 0 {
				t.Errorf("%s, %s: no search stops early", name, kind)
			}
		}
	}
}

// The default: early by a clock, of the player or from outside, but not where an action is drawn
// from the visits.
func TestEarlyStopDefault(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 4, 1} { // 2 has to be taken
		s.Apply(a)
	}
	dir := newRun(t, g)
	for _, c := range []struct {
		player string
		outer  time.Duration
		early  bool
	}{
		{"uct:simulations=3000,utility=unit", 0, false},
		{"uct:simulations=3000,utility=unit,time=1h", 0, false},
		{"uct:simulations=3000,utility=unit,clock=5h", 0, true},
		{"uct:simulations=3000,utility=unit,clock=5h,early_stop=false", 0, false},
		{"uct:simulations=3000,utility=unit", time.Hour, true},
		{"uct:simulations=3000,utility=unit,early_stop=false", time.Hour, false},
		{"uct:simulations=3000,utility=unit,clock=5h,choice=lcb", 0, true},
		{"az:" + dir + ",c_puct=0.1,simulations=3000,clock=5h", 0, true},
		{"az:" + dir + ",c_puct=0.1,simulations=3000,clock=5h,temperature=1,plies=2", 0, false},
		{"az:" + dir + ",c_puct=0.1,simulations=3000,clock=5h,temperature=0,plies=2", 0, true},
	} {
		p := must(Parse(g, c.player))
		agent, e := p.NewAgent(g), evaluatorOf(g, p)
		agent.Begin(random.New(1, random.Test))
		if c.outer > 0 {
			agent.(Deadlined).SetDeadline(clock.Limit{
				Plan: c.outer, Latest: 2 * c.outer,
			}.From(time.Now()))
		}
		must(Decide(agent, s, e))
		if n := agent.(Searching).Result().Stats().Simulations; (n < 3000) != c.early || n < 100 {
			t.Errorf("%s, deadline %v: %d simulations of 3000", c.player, c.outer, n)
		}
		readsBack(t, g, p)
	}
}

// TestSearchesAcceptTheLimit: every search accepts the greatest settings that users may choose.
func TestSearchesAcceptTheLimit(t *testing.T) {
	for name, err := range map[string]error{
		"UCT":  mcts.UCT{Simulations: configs.MaxSimulations}.Validate(),
		"PUCT": mcts.PUCT{Simulations: configs.MaxSimulations}.Validate(),
		"descent": descent.Check(game.Must(game.New("tictactoe")), descent.Options{
			Iterations: configs.MaxSimulations, Terminal: descent.Terminal{Result: true},
		}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
