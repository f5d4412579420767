package player_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/nn"
	"tengen/player"
	"tengen/search"
	"tengen/search/nneval"
)

// spy is a player whose moves depend on a hash of everything that its agents are shown and
// told.
type spy struct{ see func(game.State) }

func (*spy) Name() string                                 { return "spy" }
func (*spy) NewEvaluator(game.Game, int) search.Evaluator { return nil }

func (p *spy) NewAgent(game.Game) player.Agent { return &spyAgent{see: p.see} }

type spyAgent struct {
	all uint64           // hash of what was shown and told in this game
	see func(game.State) // may be nil
}

func (s *spyAgent) note(x uint64) { s.all = (s.all ^ x) * 0x9e3779b97f4a7c15 }

func (s *spyAgent) Begin(rng *rand.Rand) { s.all = rng.Uint64() }

func (s *spyAgent) Think(state game.State, _ search.Requests) (game.Action, bool) {
	s.note(state.Hash())
	if s.see != nil {
		s.see(state)
	}
	legal := state.LegalActions(nil)
	return legal[s.all>>32%uint64(len(legal))], true
}

func (s *spyAgent) Deliver(search.Evaluations) {}

func (s *spyAgent) Played(a game.Action) { s.note(uint64(a)) }

// histories returns two lines of play to a decision of player 0 that player 0 can't tell apart:
// player 1 was dealt another tile, or drew another card last, or both.
func histories(t *testing.T, g game.Game, rng *rand.Rand) [2][]game.Action {
	t.Helper()
	for range 10_000 {
		var lines [2][]game.Action
		a, b := g.NewState(), g.NewState()
		follow := func(x, y game.Action) bool {
			legal := func(s game.State, x game.Action) bool {
				if s.CurrentPlayer() != game.Chance {
					return slices.Contains(s.LegalActions(nil), x)
				}
				return slices.ContainsFunc(s.(game.Chancer).Outcomes(nil),
					func(o game.Outcome) bool { return o.Action == x })
			}
			if !legal(a, x) || !legal(b, y) {
				return false
			}
			a.Apply(x)
			b.Apply(y)
			lines[0], lines[1] = append(lines[0], x), append(lines[1], y)
			return true
		}
		plies := 10 + rng.IntN(25)
		ok := true
		for i := 0; ok && a.CurrentPlayer() != game.Nobody; i++ {
			if a.CurrentPlayer() != game.Chance {
				x := a.LegalActions(nil)[rng.IntN(len(a.LegalActions(nil)))]
				ok = follow(x, x)
				continue
			}
			x, y := a.(game.Chancer).Sample(rng), b.(game.Chancer).Sample(rng)
			hidden := i == 1 // player 1's tile
			if i >= plies {
				// Player 1 draws a card, and player 0 moves next.
				after := g.NewState()
				after.CopyFrom(a)
				after.Apply(x)
				hidden = after.CurrentPlayer() == 0
			}
			if !hidden {
				y = x
			}
			if ok = follow(x, y); ok && i >= plies && a.CurrentPlayer() == 0 {
				same := a.(game.ImperfectInformation).InformationStateKey(0) ==
					b.(game.ImperfectInformation).InformationStateKey(0)
				if same && a.Hash() != b.Hash() && len(a.LegalActions(nil)) > 1 {
					return lines
				}
				ok = false
			}
		}
	}
	t.Fatal("no two histories are found")
	return [2][]game.Action{}
}

// start starts game number, in which p plays for all players.
func start(x *player.Game, g game.Game, p player.Player, seed, number uint64) {
	seats := make([]player.Seat, g.Players())
	for i := range seats {
		seats[i] = player.Seat{
			Agent: p.NewAgent(g), Rand: random.New(seed, random.Arena, number, uint64(i)+1),
		}
	}
	x.Start(player.Setup{
		Seed: seed, Purpose: random.Arena, Number: number, Seats: seats,
		Chance: random.New(seed, random.Arena, number, 0),
	})
}

// next returns the action of p after line, as player 0.
func next(t *testing.T, g game.Game, p player.Player, seed uint64, line []game.Action) game.Action {
	t.Helper()
	x := player.NewGame(g)
	start(x, g, p, seed, 0)
	for _, a := range line {
		if err := x.Play(a); err != nil {
			t.Fatal(err)
		}
	}
	var made player.Move
	x.OnMove = func(m player.Move) { made = m }
	if _, err := x.Next(t.Context(), []search.Evaluator{p.NewEvaluator(g, 1)}); err != nil {
		t.Fatal(err)
	}
	if made.By != player.ByAgent || made.Player != 0 {
		t.Fatalf("the move after the line is %+v", made)
	}
	return made.Action
}

// kinds returns players of every kind that plays games with hidden information.
func kinds(t *testing.T, g game.Game) []player.Player {
	t.Helper()
	spec, err := nneval.Spec(g, nneval.Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(1, random.Test))
	weights := nn.Fold(params)
	list := append([]player.Player{&spy{}}, believers(t, g, spec)...)
	for _, observers := range []ismcts.Observers{ismcts.SingleObserver, ismcts.MultipleObservers} {
		for _, plies := range []int{0, 1000} {
			list = append(list, &player.AlphaZero{
				Label: "random", Weights: weights, Temperature: 1, Plies: plies,
				PUCT: mcts.PUCT{Simulations: 10, C: 0.8, Reuse: true}, Observers: observers,
			})
		}
	}
	for _, text := range []string{
		"random", "uct:simulations=30", "uct:simulations=30,observers=multiple",
		"uct:simulations=30,rollout=hybrid",
		"minimax:depth=2,determinizations=3", "minimax:depth=1,opponents=maxn",
		"alphabeta:depth=2,determinizations=3", "alphabeta:depth=1,determinizations=0",
		"expectiminimax:depth=1,determinizations=2",
	} {
		p, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// believers returns players of every kind that draw what is hidden by a belief, which is far from
// flat.
func believers(t *testing.T, g game.Game, spec nn.Spec) []player.Player {
	t.Helper()
	for _, s := range game.HiddenFactsOf(g) {
		spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, s.Classes)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(2, random.Test))
	for i := range params.Get("aux.belief.output.weight").Data {
		params.Get("aux.belief.output.weight").Data[i] *= 20
	}
	b, err := player.NewBelief(g, "random", params, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := []player.Player{
		&player.AlphaZero{
			Label: "random", Weights: nn.Fold(params), Belief: b,
			PUCT: mcts.PUCT{Simulations: 10, C: 0.8},
		},
	}
	for _, text := range []string{
		"uct:simulations=30", "uct:simulations=30,observers=multiple",
		"uct:simulations=30,reuse=true", "minimax:depth=2,determinizations=3",
		"alphabeta:depth=2,determinizations=3",
	} {
		p, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		switch x := p.(type) {
		case player.UCT:
			x.Belief = b
			p = x
		case *player.Minimax:
			x.Belief = b
		}
		list = append(list, p)
	}
	return list
}

// TestEqualChoices: after two histories that it can't tell apart, a player of any kind chooses
// the same action. The spy's moves reveal any difference in what it is shown and told. The
// exception is a player with open=true, which sees everything.
func TestEqualChoices(t *testing.T) {
	g := game.Must(game.New("turtle:squares=4,hand=3,max_turns=60,history=3"))
	players := kinds(t, g)
	open := &player.Open{
		Player: &spy{},
		Game:   game.Must(game.New("turtle:squares=4,hand=3,max_turns=60,hands=open,history=3")),
	}
	rng := random.New(1, random.Test, 20)
	differ := map[string]bool{} // whether a player's choices differ
	chosen := map[string]game.Action{}
	told := false // an open player's choices differ
	for i := range uint64(8) {
		lines := histories(t, g, rng)
		for k, p := range players {
			a, b := next(t, g, p, i, lines[0]), next(t, g, p, i, lines[1])
			if a != b {
				t.Errorf("history %d: %s (player %d) plays %d, and %d after another that it can't tell apart", i, p.Name(), k, a, b)
			}
			if old, ok := chosen[p.Name()]; ok && old != a {
				differ[p.Name()] = true
			}
			chosen[p.Name()] = a
		}
		told = told || next(t, g, open, i, lines[0]) != next(t, g, open, i, lines[1])
	}
	for _, p := range players {
		if !differ[p.Name()] {
			t.Errorf("%s does the same in all positions: nothing is tested", p.Name())
		}
	}
	if !told {
		t.Error("a player with open=true does not see what is hidden")
	}
}

// puppet lets an agent decide, and plays another action.
type puppet struct {
	player.Agent
	next func() game.Action
}

func (p *puppet) Think(s game.State, requests search.Requests) (game.Action, bool) {
	a, decided := p.Agent.Think(s, requests)
	if decided {
		a = p.next()
	}
	return a, decided
}

// thought returns the action of p after line, as player 0, which has thought before each of its
// actions in the line, and what it has kept.
func thought(
	t *testing.T, g game.Game, p player.Player, seed uint64, line []game.Action,
) (chosen game.Action, kept []int) {
	t.Helper()
	x := player.NewGame(g)
	ply := 0
	agent := p.NewAgent(g)
	seats := make([]player.Seat, g.Players())
	seats[0] = player.Seat{Agent: &puppet{agent, func() game.Action {
		kept = append(kept, agent.(player.Searching).Result().Stats().Kept)
		return line[ply]
	}}, Rand: random.New(seed, random.Arena, 0, 1)}
	x.Start(player.Setup{Seed: seed, Purpose: random.Arena, Seats: seats})
	evaluators := []search.Evaluator{p.NewEvaluator(g, 1)}
	for ply = range line {
		if x.State().CurrentPlayer() == 0 && len(x.LegalActions()) > 1 {
			if _, err := x.Next(t.Context(), evaluators); err != nil {
				t.Fatal(err)
			}
		} else if err := x.Play(line[ply]); err != nil {
			t.Fatal(err)
		}
	}
	line = append(slices.Clip(line), x.LegalActions()[0])
	ply = len(line) - 1
	if _, err := x.Next(t.Context(), evaluators); err != nil {
		t.Fatal(err)
	}
	return agent.(player.Searching).Result().Best(), kept
}

// TestEqualChoicesOfKeptTrees: after two histories that it can't tell apart a player that keeps its
// tree, and that has searched at each of its decisions, has kept the same and chooses the same
// action.
func TestEqualChoicesOfKeptTrees(t *testing.T) {
	g := game.Must(game.New("turtle:squares=4,hand=2,max_turns=60"))
	uct, err := player.Parse(g, "uct:simulations=300,utility=unit,reuse=true")
	if err != nil {
		t.Fatal(err)
	}
	var az player.AlphaZero
	for _, p := range kinds(t, g) {
		if n, ok := p.(*player.AlphaZero); ok && n.Belief == nil &&
			n.Observers == ismcts.SingleObserver {
			az = *n
		}
	}
	az.PUCT.Simulations, az.ReuseSets, az.Plies = 200, true, 0
	rng := random.New(1, random.Test, 21)
	kept := map[string]int{}
	for i := range uint64(12) {
		lines := histories(t, g, rng)
		for _, p := range []player.Player{uct, &az} {
			a, keptA := thought(t, g, p, i, lines[0])
			b, keptB := thought(t, g, p, i, lines[1])
			if a != b || !slices.Equal(keptA, keptB) {
				t.Errorf("history %d: %s chooses %d with %v kept, and %d with %v after another that it can't tell apart", i, p.Name(), a, keptA, b, keptB)
			}
			for _, n := range keptA {
				kept[p.Name()] += n
			}
		}
	}
	for _, p := range []player.Player{uct, &az} {
		if kept[p.Name()] == 0 {
			t.Errorf("%s keeps nothing: nothing is tested", p.Name())
		}
	}
}

// TestAgentsNeverSeeTheTruth: the copies that agents are shown are consistent with what they
// may see, and equal the true state only as often as random determinizations do, with one agent
// per player or one for all. An open player is shown the true state.
func TestAgentsNeverSeeTheTruth(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=3"} {
		for _, shared := range []bool{false, true} {
			g := game.Must(game.New(name))
			x := player.NewGame(g)
			seen, truth := 0, 0
			p := &spy{see: func(s game.State) {
				if s == x.State() {
					t.Fatal("an agent is shown the true state")
				}
				mover := x.State().CurrentPlayer()
				if s.CurrentPlayer() != mover ||
					s.(game.ImperfectInformation).InformationStateKey(mover) !=
						x.State().(game.ImperfectInformation).InformationStateKey(mover) {
					t.Fatal("an agent is shown what can't be true")
				}
				seen++
				if s.Hash() == x.State().Hash() {
					truth++
				}
			}}
			one := p.NewAgent(g)
			for number := range uint64(200) {
				if shared {
					seats := make([]player.Seat, g.Players())
					for i := range seats {
						seats[i] = player.Seat{
							Agent: one, Rand: random.New(3, random.SelfPlay, number),
						}
					}
					x.Start(player.Setup{
						Seed: 3, Purpose: random.SelfPlay, Number: number, Seats: seats,
						Chance: seats[0].Rand,
					})
				} else {
					start(x, g, p, 3, number)
				}
				if x.Advance(nil) != search.Done || !x.Over() {
					t.Fatal("a game is not over")
				}
			}
			// A random hand of five among 52 cards of 17 kinds is hardly ever the true one.
			if seen < 1000 || truth > seen/50 {
				t.Errorf("%s: of %d copies %d are the truth", name, seen, truth)
			}
		}
	}
	g, open := game.Must(game.New("turtle")), game.Must(game.New("turtle:hands=open"))
	x := player.NewGame(g)
	seen := 0
	p := &player.Open{Game: open, Player: &spy{see: func(s game.State) {
		if s.(interface{ Position() string }).Position() != x.State().(*turtle.State).Position() {
			t.Fatal("an open player is not shown the truth")
		}
		seen++
	}}}
	if start(x, g, p, 3, 0); x.Advance(nil) != search.Done || seen == 0 {
		t.Errorf("an open player decides %d times", seen)
	}
}
