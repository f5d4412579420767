package arena

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
)

// spy plays by the hash of all that it is handed and told, true or not. Its
// seats note what they were handed when they had to decide.
type spy struct{ seats []*spySeat }

func (*spy) Name() string                                 { return "spy" }
func (*spy) NewEvaluator(game.Game, int) search.Evaluator { return nil }

func (p *spy) NewAgent(game.Game) player.Agent {
	s := &spySeat{}
	p.seats = append(p.seats, s)
	return s
}

type spySeat struct {
	all    uint64   // of the game
	handed []uint64 // hashes
	see    func(game.State)
}

func (s *spySeat) note(x uint64) { s.all = (s.all ^ x) * 0x9e3779b97f4a7c15 }

func (s *spySeat) Begin(rng *rand.Rand) { s.all, s.handed = rng.Uint64(), nil }

func (s *spySeat) Think(state game.State, _ search.Requests) (game.Action, bool) {
	s.note(state.Hash())
	s.handed = append(s.handed, state.Hash())
	if s.see != nil {
		s.see(state)
	}
	legal := state.LegalActions(nil)
	return legal[s.all>>32%uint64(len(legal))], true
}

func (s *spySeat) Deliver(search.Evaluations) {}

func (s *spySeat) Played(state game.State, a game.Action) {
	s.note(state.Hash())
	s.note(uint64(a))
}

// histories are two lines of play to a decision of player 0, which can't tell
// them apart: player 1 was dealt another tile, or drew another card last, or both.
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
				return slices.ContainsFunc(s.(game.Chancer).Outcomes(nil), func(o game.Outcome) bool { return o.Action == x })
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
				// A card of player 1 is drawn where player 0 moves next.
				after := g.NewState()
				after.CopyFrom(a)
				after.Apply(x)
				hidden = after.CurrentPlayer() == 0
			}
			if !hidden {
				y = x
			}
			if ok = follow(x, y); ok && i >= plies && a.CurrentPlayer() == 0 {
				same := a.(game.ImperfectInformation).InformationStateKey(0) == b.(game.ImperfectInformation).InformationStateKey(0)
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

// resumed is a game of the driver that has got so far.
func resumed(t *testing.T, f *fixtures, line []game.Action) (*table, chan Result) {
	t.Helper()
	finished := make(chan Result, 1)
	x := newTable(t.Context(), f, finished)
	if !x.begin() {
		t.Fatal("no game begins")
	}
	for _, a := range line {
		x.play(a)
	}
	return x, finished
}

// next is what the driver's player 0 does after line: all of the game is played.
func next(t *testing.T, g game.Game, p player.Player, seed uint64, line []game.Action) game.Action {
	t.Helper()
	games := 0
	f := &fixtures{
		game: g, players: []player.Player{p}, seatings: [][]int{{0, 0}}, seed: seed, keep: true,
		next: func() (fixture, bool) { games++; return fixture{}, games == 1 },
	}
	x, finished := resumed(t, f, line)
	evaluator := p.NewEvaluator(g, 1)
	if evaluator == nil {
		evaluator = none{}
	}
	if err := search.Drive(context.Background(), []search.Task{x}, []search.Evaluator{evaluator}); err != nil {
		t.Fatal(err)
	}
	r := <-finished
	if !slices.Equal(r.actions[:len(line)], line) {
		t.Fatal("the game is another one")
	}
	return r.actions[len(line)]
}

// TestEqualChoices: after two histories that it can't tell apart, a player of
// any kind does the same. The spy would betray the least difference in what it is handed.
func TestEqualChoices(t *testing.T) {
	g := game.Must(game.New("turtle:squares=4,hand=3,max_turns=60"))
	players := []player.Player{&spy{}, network(t, g, 10)}
	warm := network(t, g, 10)
	warm.Temperature, warm.Plies = 1, 1000
	players = append(players, warm)
	for _, text := range []string{
		"random", "uct:simulations=30", "minimax:depth=2,determinizations=3", "alphabeta:depth=2,determinizations=3",
		"alphabeta:depth=1,determinizations=0", "expectiminimax:depth=1,determinizations=2",
	} {
		p, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, p)
	}
	rng := stream.New(1, stream.Test, 20)
	differ := map[string]bool{} // whether a player does not always do the same
	chosen := map[string]game.Action{}
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
	}
	for _, p := range players {
		if !differ[p.Name()] {
			t.Errorf("%s does the same in all positions: nothing is tested", p.Name())
		}
	}
}

// TestSeatsNeverSeeTheTruth: what the driver hands a seat is consistent with what
// the seat may see, and true as rarely as a drawing is.
func TestSeatsNeverSeeTheTruth(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=3"} {
		g := game.Must(game.New(name))
		p := &spy{}
		games := 0
		seating := make([]int, g.Players())
		f := &fixtures{
			game: g, players: []player.Player{p}, seatings: [][]int{seating}, seed: 3,
			next: func() (fixture, bool) { games++; return fixture{number: games}, games <= 200 },
		}
		finished := make(chan Result, 200)
		x := newTable(t.Context(), f, finished)
		seen, truth := 0, 0
		see := func(s game.State) {
			if s == x.state {
				t.Fatal("a seat is handed the true state")
			}
			mover := x.state.CurrentPlayer()
			if s.CurrentPlayer() != mover || s.(game.ImperfectInformation).InformationStateKey(mover) != x.state.(game.ImperfectInformation).InformationStateKey(mover) {
				t.Fatal("a seat is handed what can't be true")
			}
			seen++
			if s.Hash() == x.state.Hash() {
				truth++
			}
		}
		if !x.begin() {
			t.Fatal("no game begins")
		}
		for _, s := range p.seats { // those of all games
			s.see = see
		}
		if x.Advance([]search.Requests{none{}}) != search.Done || len(finished) != 200 {
			t.Fatalf("%d games are played", len(finished))
		}
		// Of hands of five among 52 cards of 17 kinds hardly any is guessed.
		if seen < 1000 || truth > seen/50 {
			t.Errorf("%s: of %d copies %d are the truth", name, seen, truth)
		}
	}
}
