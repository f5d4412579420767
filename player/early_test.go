package player

import (
	"testing"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

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
					agent, e := p.NewAgent(g), p.NewEvaluator(g, 1)
					if e == nil {
						e = search.NewConstant(g, 0)
					}
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
		agent, e := p.NewAgent(g), p.NewEvaluator(g, 1)
		if e == nil {
			e = search.NewConstant(g, 0)
		}
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
		if again := must(Parse(g, p.Name())); again.Name() != p.Name() {
			t.Errorf("%s is read back as %s", p.Name(), again.Name())
		}
	}
}
