package player

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// Where information is hidden reuse=true keeps what was searched below the information set that the
// player has come to; by default each decision begins a new tree, and a new game always does.
func TestReuseOfInformationSets(t *testing.T) {
	g := game.Must(game.New("turtle:squares=4,hand=2"))
	dir := newRun(t, g)
	for text, keeps := range map[string]bool{
		"uct:simulations=300,c=0.5,utility=unit":               false,
		"uct:simulations=300,c=0.5,utility=unit,reuse=true":    true,
		"az:" + dir + ",simulations=300,c_puct=0.8":            false,
		"az:" + dir + ",simulations=300,c_puct=0.8,reuse=true": true,
	} {
		p := must(Parse(g, text))
		if again := must(Parse(g, p.Name())); again.Name() != p.Name() {
			t.Errorf("%s is read back as %s", p.Name(), again.Name())
		}
		e := p.NewEvaluator(g, 1)
		if e == nil {
			e = search.NewConstant(g, 0)
		}
		kept := 0
		var firsts [2]game.Action
		agent := p.NewAgent(g)
		for number := range uint64(8) {
			observer := NewObserver(g)
			agent.Begin(random.New(number/2, random.Test)) // each game twice
			observer.Begin(1, random.Arena, number/2, 0)
			s, rng := dealt(g, number/2), random.New(number/2, random.Test, 2)
			for ply, decisions := 0, 0; s.CurrentPlayer() != game.Nobody; ply++ {
				var a game.Action
				switch s.CurrentPlayer() {
				case 0:
					if a = s.LegalActions(nil)[0]; len(s.LegalActions(nil)) > 1 {
						a = must(Decide(agent, observer.Observe(s, ply), e))
						n := agent.(Searching).Result().Stats().Kept
						if decisions == 0 && n > 0 {
							t.Fatalf("%s: of the game before %d nodes are kept", p.Name(), n)
						}
						if decisions == 0 {
							firsts[number%2] = a
						}
						decisions++
						kept += n
					}
				case game.Chance:
					a = s.(game.Chancer).Sample(rng)
				default:
					legal := s.LegalActions(nil)
					a = legal[rng.IntN(len(legal))]
				}
				agent.Played(game.NoAction)
				s.Apply(a)
			}
			if number%2 == 1 && firsts[0] != firsts[1] {
				t.Errorf("%s: the same game begins with %d and %d", p.Name(), firsts[0], firsts[1])
			}
		}
		if (kept > 0) != keeps {
			t.Errorf("%s: %d nodes are kept", p.Name(), kept)
		}
	}
}

// In games without hidden information az keeps its tree unless it is told not to.
func TestReuseOfStates(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	dir := newRun(t, g)
	for text, keeps := range map[string]bool{"": true, ",reuse=true": true, ",reuse=false": false} {
		p := must(Parse(g, "az:"+dir+",simulations=60"+text))
		agent, e := p.NewAgent(g), p.NewEvaluator(g, 1)
		agent.Begin(random.New(1, random.Test))
		s := g.NewState()
		for range 2 {
			a := must(Decide(agent, s, e))
			agent.Played(a)
			s.Apply(a)
		}
		must(Decide(agent, s, e))
		if n := agent.(Searching).Result().Stats().Kept; (n > 0) != keeps {
			t.Errorf("%s keeps %d nodes", p.Name(), n)
		}
		if again := must(Parse(g, p.Name())); again.Name() != p.Name() ||
			(text == ",reuse=false") !=
				(p.Name() != must(Parse(g, "az:"+dir+",simulations=60")).Name()) {
			t.Errorf("%s is called %s", text, p.Name())
		}
	}
}
