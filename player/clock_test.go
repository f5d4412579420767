package player

import (
	"testing"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

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
			e := p.NewEvaluator(g, 1)
			if e == nil {
				e = search.NewConstant(g, 0)
			}
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
