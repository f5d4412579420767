package player

import (
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/search"
)

// TestParseProofs: the key proofs is that of the run unless it is given, and is refused where
// something is hidden. A player that proves values ends its search of a position that is won at
// once.
func TestParseProofs(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	on, off := newRun(t, g, "search.proofs=true"), newRun(t, g)
	for text, want := range map[string]bool{
		"az:" + off: false, "az:" + off + ",proofs=true": true, "az:" + on: true,
		"az:" + on + ",proofs=false": false,
		"uct:simulations=180":        false, "uct:simulations=180,proofs=true": true,
		"uct:simulations=180,proofs=false": false,
	} {
		p := must(Parse(g, text))
		if again := must(Parse(g, p.Name())); again.Name() != p.Name() {
			t.Errorf("%s is read back as %s", p.Name(), again.Name())
		}
		e := p.NewEvaluator(g, 1)
		if e == nil {
			e = search.NewConstant(g, 0)
		}
		s := g.NewState()
		for _, a := range []game.Action{0, 3, 1, 4} {
			s.Apply(a)
		}
		agent := p.NewAgent(g)
		agent.Begin(random.New(1, random.Test))
		a := must(Decide(agent, s, e))
		if stats := agent.(Searching).Result().Stats(); stats.Exact != want ||
			stats.Simulations < 180 != want || want && a != 2 {
			t.Errorf("%s: action %d, %+v", text, a, stats)
		}
	}
	hidden := game.Must(game.New("turtle"))
	for _, text := range []string{"uct:proofs=true", "az:" + newRun(t, hidden) + ",proofs=true"} {
		if _, err := Parse(hidden, text); err == nil ||
			!strings.Contains(err.Error(), "hides information: false is wanted") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Parse(g, "uct:proofs=yes"); err == nil ||
		!strings.Contains(err.Error(), "true or false is wanted") {
		t.Errorf("proofs=yes: %v", err)
	}
}

// TestProofsOfALostGame: Connect Four where X has lost whatever it plays. The network is nearly
// sure of one action, and of the loss. The searches prove it with at most the visits that it takes
// to see each action, and each answer to it.
func TestProofsOfALostGame(t *testing.T) {
	g := game.Must(game.New("connect-four"))
	s := g.NewState()
	for _, column := range "gecbcdedebafgbegbeeaccccgd" {
		s.Apply(game.Action(column - 'a'))
	}
	most := 0
	next := g.NewState()
	for _, a := range s.LegalActions(nil) {
		next.CopyFrom(s)
		next.Apply(a)
		most += 1 + len(next.LegalActions(nil))
	}
	for _, text := range []string{
		"leaves=1", "leaves=8", "root=gumbel", "root=gumbel,interior=puct",
		"virtual_loss=1,leaves=4", "choice=lcb",
	} {
		p := must(Parse(g, "az:connect-four-gumbel,simulations=800,"+text))
		agent := p.NewAgent(g)
		agent.Begin(random.New(1, random.Test))
		must(Decide(agent, s, p.NewEvaluator(g, 1)))
		if stats := agent.(Searching).Result().Stats(); !stats.Exact || stats.Simulations > most {
			t.Errorf("%s: after %d simulations the loss is proven: %v",
				text, stats.Simulations, stats.Exact)
		}
	}
}
