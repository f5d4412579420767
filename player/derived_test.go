package player

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/search"
	"tengen/search/minimax"
)

// cards is a small trading-card game.
const cards = "tcg:deck=[1/1/1,2/0/3,0/4/4,removal,3/3/0,3/3/0],hand=3,hp=12,max_turns=40"

func parsed(t *testing.T, g game.Game, text string) Player {
	t.Helper()
	p, err := Parse(g, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAbstractedNames(t *testing.T) {
	g := game.Must(game.New(cards))
	dir, image := newRun(t, g), newRun(t, g.(game.Abstracted).Abstraction().Game())
	for text, want := range map[string]string{
		"uct:simulations=9,rm=true":                                       "uct:simulations=9,c=0.8,utility=points,rm=true",
		"uct:rm=false":                                                    "uct:simulations=180,c=0.8,utility=points",
		"expectiminimax:depth=2,rm=true":                                  "expectiminimax:depth=2,strategy=paper,determinizations=0,samples=0,star=2,rm=true",
		"expectiminimax:depth=2,rm=true,root=mapped":                      "expectiminimax:depth=2,strategy=paper,determinizations=0,samples=0,star=2,rm=true",
		"expectiminimax:depth=2,root=real,rm=true,ties=attack":            "expectiminimax:depth=2,strategy=paper,determinizations=0,samples=0,ties=attack,star=2,rm=true,root=real",
		"minimax:depth=2,rm=clusters,classes=3":                           "minimax:depth=2,strategy=paper,determinizations=20,samples=1,rm=clusters,classes=3",
		"alphabeta:time=1s,rm=random,classes=4,class_seed=7,full_turns=1": "alphabeta:time=1s,strategy=paper,determinizations=20,samples=1,rm=random,classes=4,class_seed=7,full_turns=1",
		"az:" + dir + ",rm=clusters,classes=3": "az:" + dir +
			",simulations=180,c_puct=0.8,rm=clusters,classes=3",
		"az:" + image + ",rm=true": "az:" + image + ",simulations=180,c_puct=0.8,rm=true",
	} {
		p := parsed(t, g, text)
		if p.Name() != want {
			t.Errorf("%s: is called %s, want %s", text, p.Name(), want)
		}
		if again := parsed(t, g, p.Name()); again.Name() != p.Name() {
			t.Errorf("%s does not read back: %s", p.Name(), again.Name())
		}
		if IsTimed(p) != strings.Contains(text, "time=") {
			t.Errorf("%s: timed %v", text, IsTimed(p))
		}
	}
	// The number of classes chosen from the data is part of the name.
	if name := parsed(t, g, "uct:rm=clusters").Name(); !strings.Contains(name,
		",rm=clusters,classes=") || parsed(t, g, name).Name() != name {
		t.Errorf("it is called %s", name)
	}
}

func TestAbstractedRefuses(t *testing.T) {
	g, plain := game.Must(game.New(cards)), game.Must(game.New("tictactoe"))
	dir := newRun(t, g)
	for _, c := range []struct {
		g          game.Game
		text, says string
	}{
		{plain, "uct:rm=true", "has no abstraction of its own"},
		{game.Must(game.New(cards + ",cards=representative")), "uct:rm=true",
			"has no abstraction of its own"},
		{plain, "uct:rm=clusters", "does not describe actions by features"},
		{g, "uct:rm=cluster", `did you mean "clusters"`},
		{g, "uct:rm=true,classes=3", "is for rm=clusters and rm=random only"},
		{g, "uct:rm=clusters,root=real", "is for rm=true only"},
		{g, "uct:root=real", "is for rm=true only"},
		{g, "uct:rm=true,root=reel", `did you mean "real"`},
		{game.Must(game.New(cards + ",cards=representative")), "uct:rm=true,root=real",
			"has no such abstraction"},
		{plain, "uct:rm=true,root=real", "has no such abstraction"},
		{g, "uct:full_turns=1", "is for rm=clusters and rm=random only"},
		{g, "uct:rm=random,classes=65", "a whole number from 1 to 64"},
		{g, "uct:rm=random,full_turns=-1", "a whole number from 0"},
		{g, "random:rm=true", `random has no key "rm"`},
		{g, "az:" + dir + ",rm=true",
			"was trained on " + g.Name() + ", not on " + g.Name() + ",cards=representative"},
	} {
		if _, err := Parse(c.g, c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %s", c.text, err, c.says)
		}
	}
}

// playCards plays a game with chance and returns its actions.
func playCards(
	t *testing.T, g game.Game, players []Player, number uint64,
	visit func(s game.State, agent Agent, a game.Action),
) []game.Action {
	t.Helper()
	agents, evaluators := make([]Agent, len(players)), make([]search.Evaluator, len(players))
	for i, p := range players {
		agents[i], evaluators[i] = p.NewAgent(g), p.NewEvaluator(g, 1)
		agents[i].Begin(random.New(number, random.Test, uint64(i)))
	}
	chance := random.New(number, random.Test, 99)
	s := g.NewState()
	var line []game.Action
	for s.CurrentPlayer() != game.Nobody {
		var a game.Action
		if m := s.CurrentPlayer(); m == game.Chance {
			a = s.(game.Chancer).Sample(chance)
		} else {
			legal := s.LegalActions(nil)
			if a = legal[0]; len(legal) > 1 {
				a = must(Decide(agents[m], s, evaluators[m]))
				visit(s, agents[m], a)
			}
			if !slices.Contains(legal, a) {
				t.Fatalf("%s plays %d, the legal actions are %v", players[m].Name(), a, legal)
			}
		}
		for _, agent := range agents {
			agent.Played(a)
		}
		s.Apply(a)
		line = append(line, a)
	}
	return line
}

// Searches of abstractions choose legal actions, their analyses are of the real game, and they
// play the same with equal streams.
func TestAbstractedPlayWholeGames(t *testing.T) {
	g := game.Must(game.New(cards))
	network, image := newRun(t, g), newRun(t, g.(game.Abstracted).Abstraction().Game())
	for _, names := range [][2]string{
		{"expectiminimax:depth=2,rm=true", "expectiminimax:depth=1,rm=clusters"},
		{"expectiminimax:depth=2,rm=true,root=real,ties=attack",
			"uct:simulations=20,rm=true,root=real"},
		{"uct:simulations=20,rm=true", "uct:simulations=20,rm=random,classes=3,full_turns=1"},
		{"az:" + network + ",simulations=10,rm=clusters",
			"az:" + image + ",simulations=10,rm=true,temperature=1,plies=6"},
		{"alphabeta:depth=2,rm=true,determinizations=0",
			"minimax:depth=1,rm=clusters,classes=4,determinizations=2"},
	} {
		players := []Player{parsed(t, g, names[0]), parsed(t, g, names[1])}
		var lines [2][]game.Action
		for i := range lines {
			lines[i] = playCards(t, g, players, 5, func(s game.State, agent Agent, a game.Action) {
				v := agent.(Analyzer).Analysis()
				var seen []game.Action
				visits := 0
				for _, m := range v.Moves {
					seen = append(seen, m.Action)
					visits += m.Visits
				}
				if legal := s.LegalActions(nil); !slices.Equal(seen, legal) || visits == 0 ||
					len(v.PrincipalVariation) != 1 ||
					!slices.Contains(legal, v.PrincipalVariation[0]) || len(v.Value) != 2 {
					t.Fatalf("the analysis is %+v, the legal actions are %v",
						v, s.LegalActions(nil))
				}
				name := names[s.CurrentPlayer()]
				if turns := agent.(Searching).Result().Stats().Turns; turns != v.Turns ||
					(turns > 0) == strings.Contains(name, "simulations") {
					t.Fatalf("an agent of %s searches %d turns, by its analysis %d",
						name, turns, v.Turns)
				}
			})
		}
		if !slices.Equal(lines[0], lines[1]) {
			t.Errorf("%v: the same streams give other games", names)
		}
	}
}

// If the abstraction changes nothing, because no card is left to place or to draw or because
// all turns keep all actions, its search gives the result of the plain search, to the bit.
func TestIdentityChangesNothing(t *testing.T) {
	g := game.Must(game.New(cards))
	uniform := parsed(t, g, "random")
	decide := func(text string, s game.State) (game.Action, float64) {
		p := parsed(t, g, text)
		agent := p.NewAgent(g)
		agent.Begin(random.New(3, random.Test))
		a := must(Decide(agent, s, nil))
		searched := g
		if x, ok := p.(*Abstracted); ok {
			searched, p = x.Abstraction.Game(), x.Player
			image := searched.NewState()
			x.Abstraction.Abstract(image, s)
			s = image
		}
		m, ok := p.(*Minimax)
		if !ok {
			return a, 0
		}
		w, err := minimax.New(searched, m.Options)
		if err != nil {
			t.Fatal(err)
		}
		w.SetRand(random.New(3, random.Test))
		return a, w.Search(s).Value
	}
	same := func(s game.State, plain, abstract string) {
		t.Helper()
		a, v := decide(plain, s)
		b, w := decide(plain+abstract, s)
		// The value of a win depends on the most that the cards of a game could be worth.
		if won := v > 100 && w > 100 || v < -100 && w < -100; a != b || v != w && !won {
			t.Fatalf("%s finds %d, worth %v; with %s it finds %d, worth %v, in\n%v",
				plain, a, v, abstract, b, w, s)
		}
	}
	spent, turns := 0, 0
	for number := range uint64(8) {
		playCards(t, g, []Player{
			uniform, uniform,
		}, number, func(s game.State, _ Agent, _ game.Action) {
			x := g.(game.Abstracted).Abstraction()
			image := x.Game().NewState()
			x.Abstract(image, s)
			if slices.Equal(image.LegalActions(nil), s.LegalActions(nil)) && emptyHanded(s) &&
				spent < 30 {
				spent++
				same(s, "expectiminimax:depth=2,ties=first", ",rm=true")
				same(s, "uct:simulations=60,utility=unit", ",rm=true")
			}
			if s.(game.Turned).Turn()%5 == 3 && turns < 12 {
				turns++
				same(s, "expectiminimax:depth=2,ties=first",
					",rm=clusters,classes=3,full_turns=1000")
				same(s, "uct:simulations=60", ",rm=random,classes=2,full_turns=1000")
			}
		})
	}
	if spent < 10 || turns < 10 {
		t.Errorf("only %d and %d positions were compared", spent, turns)
	}
}

// emptyHanded reports whether nobody has a card to place or to draw, from the notation of a
// position.
func emptyHanded(s game.State) bool {
	for _, line := range strings.Split(s.(interface{ Position() string }).Position(), "|")[1:] {
		if !strings.Contains(line, "hand - ") ||
			!strings.HasSuffix(strings.TrimSpace(line), "deck -") {
			return false
		}
	}
	return true
}

// In two games with the same cards dealt and drawn up to some ply, a search of an abstraction
// makes the same choices up to there: no position tells the future.
func TestAbstractedSeeNoFuture(t *testing.T) {
	g := game.Must(game.New(cards))
	for _, text := range []string{
		"expectiminimax:depth=2,rm=true", "expectiminimax:depth=2,rm=true,root=real",
		"uct:simulations=30,rm=true", "expectiminimax:depth=2,rm=clusters,classes=5",
		"uct:simulations=30,rm=clusters,classes=5",
	} {
		p := parsed(t, g, text)
		differ, decisions := 0, 0
		for number := range uint64(6) {
			tables := [2]*rand.Rand{
				random.New(number, random.Test, 1), random.New(number, random.Test, 1),
			}
			states := [2]game.State{g.NewState(), g.NewState()}
			var agents [2]Agent
			for i := range agents {
				agents[i] = p.NewAgent(g)
				agents[i].Begin(random.New(number, random.Test, 2))
			}
			other := random.New(number, random.Test, 3)
			for draws := 0; states[0].CurrentPlayer() != game.Nobody; {
				var actions [2]game.Action
				for i, s := range states {
					switch legal := []game.Action(nil); s.CurrentPlayer() {
					case game.Chance:
						rng := tables[i]
						if draws > 7 && i == 1 {
							rng = other
						}
						actions[i] = s.(game.Chancer).Sample(rng)
					default:
						if legal = s.LegalActions(nil); len(legal) == 1 {
							actions[i] = legal[0]
							break
						}
						actions[i] = must(Decide(agents[i], s, nil))
						decisions++
					}
				}
				if states[0].CurrentPlayer() == game.Chance {
					if draws++; actions[0] != actions[1] {
						differ++
						break
					}
				} else if actions[0] != actions[1] {
					t.Fatalf("%s chooses %v in games with the same past", text, actions)
				}
				for i, s := range states {
					s.Apply(actions[i])
				}
			}
		}
		if differ < 3 || decisions < 20 {
			t.Errorf("%s: the futures of %d of 6 games differ, %d decisions were compared",
				text, differ, decisions)
		}
	}
}

// A search whose tree follows the game is started anew at every decision of an abstraction, and
// plies are still counted.
func TestForgetfulFollower(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	r := &reached{}
	f := treeFollower{
		search: r, start: func(_ game.State, ply int) { r.plies = append(r.plies, ply) },
	}
	f.begin()
	f.forget()
	f.think(s, nil)
	f.forget()
	f.forget()
	f.think(s, nil)
	if want := []int{1, 3}; !slices.Equal(r.plies, want) {
		t.Errorf("got %v, want %v", r.plies, want)
	}
}

// An open player plays what the inner player plays with open hands.
func TestOpenPlaysAsWithOpenHands(t *testing.T) {
	hidden, open := game.Must(game.New("turtle:players=3")),
		game.Must(game.New("turtle:players=3,hands=open"))
	for _, text := range []string{
		"alphabeta:depth=2,strategy=hybrid,determinizations=3",
		"uct:simulations=60,utility=unit,rollout=fast,epsilon=0.1",
		"minimax:depth=2,opponents=maxn",
	} {
		p, err := Parse(hidden, text+",open=true")
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(open, text)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(p.Name(), ",open=true") {
			t.Errorf("the player is called %s", p.Name())
		}
		if again, err := Parse(hidden, p.Name()); err != nil || again.Name() != p.Name() {
			t.Errorf("%s is read as %v, %v", p.Name(), again, err)
		}
		for seed := range uint64(3) {
			s := dealt(hidden, seed)
			o, err := open.(game.Positioned).ParsePosition(s.(*turtle.State).Position())
			if err != nil {
				t.Fatal(err)
			}
			one, two := p.NewAgent(hidden), q.NewAgent(open)
			one.Begin(random.New(1, random.Test, 81, seed))
			two.Begin(random.New(1, random.Test, 81, seed))
			if a, b := must(Decide(one, s, nil)), must(Decide(two, o, nil)); a != b {
				t.Errorf("%s plays %d, with open hands %d", p.Name(), a, b)
			}
			if v := one.(Analyzer).Analysis(); len(v.Moves) == 0 || len(v.Value) != 3 {
				t.Errorf("%s thinks %+v", p.Name(), v)
			}
			if turns := one.(Searching).Result().Stats().Turns; (turns > 0) ==
				strings.HasPrefix(text, "uct") {
				t.Errorf("%s searches to a depth of %d turns", p.Name(), turns)
			}
		}
	}
}

func TestOpenIsRefused(t *testing.T) {
	for name, says := range map[string]string{
		"tictactoe": "open=true: ", "turtle:hands=open": "hides nothing", "tcg": "hides nothing",
	} {
		g := game.Must(game.New(name))
		if _, err := Parse(g, "uct:simulations=2,open=true"); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(g, "uct:simulations=2,open=false"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrappersHaveTheAbilitiesWithin: a wrapper has the abilities of the inner player: drawing,
// a time limit, a network and damaged checkpoints.
func TestWrappersHaveTheAbilitiesWithin(t *testing.T) {
	g := game.Must(game.New(cards))
	whole, image := newRun(t, g), newRun(t, g.(game.Abstracted).Abstraction().Game())
	for _, dir := range []string{whole, image} {
		damaged := filepath.Join(dir, "checkpoints", "000009")
		if err := os.MkdirAll(damaged, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(damaged, "meta.json"), []byte("{"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		game, text           string
		damaged              int
		draws, timed, loaded bool
	}{
		{cards, "az:" + image + ",simulations=2,temperature=1,plies=3,rm=true",
			1, true, false, true},
		{cards, "az:" + whole + ",simulations=2,rm=clusters", 1, false, false, true},
		{cards, "uct:simulations=2,rm=true", 0, true, false, false},
		{"turtle:players=3", "uct:simulations=2,open=true", 0, true, false, false},
		{"turtle:players=3", "uct:time=1s,open=true", 0, true, true, false},
		{"turtle:players=3", "alphabeta:depth=1,open=true", 0, false, false, false},
	} {
		p := parsed(t, game.Must(game.New(c.game)), c.text)
		loaded := 0
		if err := On(p, func(p *nn.Params) (nn.Network, error) {
			loaded++
			return nn.Fold(p), nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := len(PassedOver(p)); n != c.damaged || Draws(p) != c.draws ||
			IsTimed(p) != c.timed || (loaded == 1) != c.loaded {
			t.Errorf("%s: %d damaged checkpoints, draws %v, timed %v, %d networks loaded; want %+v",
				p.Name(), n, Draws(p), IsTimed(p), loaded, c)
		}
	}
}
