package player

import (
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
)

// TestParseGumbel: the keys of Gumbel are read, named where they change something, and refused
// where they have no meaning.
func TestParseGumbel(t *testing.T) {
	g := game.Must(game.New(small))
	az := "az:" + newRun(t, g)
	for keys, want := range map[string]string{
		",root=gumbel":              ",root=gumbel",
		",root=gumbel,considered=0": ",root=gumbel",
		",root=gumbel,considered=4,c_visit=30,c_scale=0.5,interior=puct": ",root=gumbel,considered=4,c_visit=30,c_scale=0.5,interior=puct",
		",root=puct": "",
	} {
		p, err := Parse(g, az+keys)
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if name := az + ",simulations=180,c_puct=0.8" + want; p.Name() != name {
			t.Errorf("%s: is called %s, want %s", keys, p.Name(), name)
		}
		readsBack(t, g, p)
	}
	for keys, say := range map[string]string{
		",root=ucb":                          "puct, gumbel",
		",considered=4":                      "is for root=gumbel only",
		",root=puct,interior=puct":           "is for root=gumbel only",
		",root=gumbel,considered=65537":      "a whole number from 0 to 65536",
		",root=gumbel,c_scale=-1":            "0 to 1000",
		",root=gumbel,interior=uct":          "improved, puct",
		",root=gumbel,temperature=1,plies=3": "is for root=puct only",
		",root=gumbel,choice=lcb":            "is for root=puct only",
	} {
		if _, err := Parse(g, az+keys); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want an error with %s", keys, err, say)
		}
	}
}

// TestParseOutcomes: the key outcomes is that of the run unless it is given, and is refused by
// games without chance and by those that hide something.
func TestParseOutcomes(t *testing.T) {
	g := game.Must(game.New("backgammon:checkers=1"))
	for _, balanced := range []bool{false, true} {
		usual := map[bool]string{false: "sampled", true: "balanced"}[balanced]
		az := "az:" + newRun(t, g, "search.outcomes="+usual)
		for keys, want := range map[string]bool{
			"": balanced, ",outcomes=sampled": false, ",outcomes=balanced": true,
		} {
			p, err := Parse(g, az+keys)
			if err != nil {
				t.Errorf("%s%s: %v", usual, keys, err)
				continue
			}
			if p.(*AlphaZero).PUCT.Balanced != want {
				t.Errorf("%s%s: outcomes are balanced: %v", usual, keys, !want)
			}
			if changed := want != balanced; strings.Contains(p.Name(), ",outcomes=") != changed {
				t.Errorf("%s%s is called %s", usual, keys, p.Name())
			}
			readsBack(t, g, p)
		}
		if _, err := Parse(g, az+",outcomes=drawn"); err == nil ||
			!strings.Contains(err.Error(), "sampled, balanced") {
			t.Errorf("outcomes=drawn: %v", err)
		}
	}
	for _, name := range []string{small, "turtle"} {
		g := game.Must(game.New(name))
		if _, err := Parse(g, "az:"+newRun(t, g)+",outcomes=balanced"); err == nil ||
			!strings.Contains(err.Error(), "sampled is wanted") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAtPlay: players have PUCT at the root, but for networks of afterstates, which keep the root
// of the run.
func TestAtPlay(t *testing.T) {
	g := game.Must(game.New("backgammon:checkers=1"))
	for _, afterstates := range []bool{false, true} {
		set := []string{"search.root=gumbel", "search.c_scale=8", "search.q_scaling=none"}
		if afterstates {
			set = append(set, "search.afterstates=true", "search.simulations=0")
		}
		p, err := Parse(g, "az:"+newRun(t, g, set...))
		if err != nil {
			t.Fatal(err)
		}
		if o := p.(*AlphaZero).PUCT.Gumbel; o.On() != afterstates ||
			afterstates && (o.ValueScale != 8 || !o.Unscaled) {
			t.Errorf("afterstates %v: %+v", afterstates, o)
		}
	}
}

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
		readsBack(t, g, p)
		e := evaluatorOf(g, p)
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
		readsBack(t, g, p)
		e := evaluatorOf(g, p)
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
