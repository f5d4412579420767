package player_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// first plays the first legal action, and counts what it is told.
type first struct {
	legal []game.Action
	told  int
}

func (f *first) Begin(*rand.Rand) { f.told = 0 }
func (f *first) Think(s game.State, _ search.Requests) (game.Action, bool) {
	f.legal = s.LegalActions(f.legal[:0])
	return f.legal[0], true
}
func (f *first) Deliver(search.Evaluations) {}
func (f *first) Played(game.Action)         { f.told++ }

var _ player.Agent = (*first)(nil)

// A game waits for a player without an agent, accepts only its legal actions, and starts from
// the given position.
func TestPersons(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	x := player.NewGame(g)
	var by []player.By
	x.OnMove = func(m player.Move) { by = append(by, m.By) }
	agent := &first{}
	from := g.NewState()
	from.Apply(8)
	x.Start(player.Setup{State: from, Seats: []player.Seat{{}, {Agent: agent}}})
	for _, a := range []game.Action{1, 3} { // the agent plays 0, 2, and 4
		if moved, err := x.Next(t.Context(), nil); !moved || err != nil {
			t.Fatalf("%v, %v", moved, err)
		}
		if x.Advance(nil) != search.Done || !x.Waiting() || x.Over() {
			t.Fatal("the game does not wait")
		}
		if err := x.Play(8); err == nil {
			t.Error("an action is played twice")
		}
		if err := x.Play(a); err != nil {
			t.Fatal(err)
		}
	}
	if want := []player.By{
		player.ByAgent, player.ByCaller, player.ByAgent, player.ByCaller,
	}; !slices.Equal(by, want) || agent.told != 4 || x.Ply() != 4 {
		t.Errorf("moves by %v, want %v; the agent is told of %d", by, want, agent.told)
	}
}

// Stop ends Advance between two moves; without it the game goes on from there.
func TestStop(t *testing.T) {
	x := player.NewGame(game.Must(game.New("tictactoe")))
	moves := 0
	x.OnMove = func(player.Move) { moves++ }
	x.Stop = func() bool { return moves == 3 }
	seat := player.Seat{Agent: &first{}}
	x.Start(player.Setup{Seats: []player.Seat{seat, seat}})
	if x.Advance(nil) != search.Done || moves != 3 || x.Over() {
		t.Fatalf("stopped after %d moves", moves)
	}
	x.Stop = nil
	if x.Advance(nil) != search.Done || !x.Over() {
		t.Errorf("the game is not over after %d moves", moves)
	}
}

// A forced move outside the policy is made for a person too.
func TestForcedMoves(t *testing.T) {
	x := player.NewGame(game.Must(game.New("go:rows=1,columns=1,players=2")))
	x.OnMove = func(m player.Move) {
		if m.By != player.ByForce {
			t.Errorf("%+v", m)
		}
	}
	x.Start(player.Setup{Seats: make([]player.Seat, 2)})
	if x.Advance(nil) != search.Done || !x.Over() || x.Ply() != 2 {
		t.Errorf("after %d moves the game is over: %v", x.Ply(), x.Over())
	}
}

// The loop itself allocates nothing.
func TestGamesAllocateNothing(t *testing.T) {
	x := player.NewGame(game.Must(game.New("tictactoe")))
	agent := &first{}
	seats := []player.Seat{{Agent: agent}, {Agent: agent}}
	if n := testing.AllocsPerRun(20, func() {
		x.Start(player.Setup{Seats: seats})
		x.Advance(nil)
	}); n > 0 || !x.Over() || agent.told != x.Ply() {
		t.Errorf("%v allocations a game; the agent is told of %d moves of %d",
			n, agent.told, x.Ply())
	}
}

// TestNextEnds: a move that would take for ever ends with the context.
func TestNextEnds(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=2"))
	for _, name := range []string{"uct:simulations=10000000", "minimax:depth=30"} {
		p, err := player.Parse(g, name)
		if err != nil {
			t.Fatal(err)
		}
		x := player.NewGame(g)
		seats := make([]player.Seat, 2)
		for i := range seats {
			rng := random.New(1, random.Test, uint64(i))
			seats[i] = player.Seat{Agent: p.NewAgent(g), Rand: rng}
		}
		x.Start(player.Setup{Seed: 1, Purpose: random.Test, Seats: seats})
		ctx, cancel := context.WithCancel(t.Context())
		thinking := &asked{ctx, 0, cancel}
		if _, err := x.Next(thinking, []search.Evaluator{nil}); !errors.Is(err, context.Canceled) ||
			thinking.times > 20 {
			t.Errorf("%s: %v after its context was looked at %d times", name, err, thinking.times)
		}
	}
}

// asked is a context that ends when its error was asked for the tenth time.
type asked struct {
	context.Context
	times  int
	cancel context.CancelFunc
}

func (a *asked) Err() error {
	if a.times++; a.times == 10 {
		a.cancel()
	}
	return a.Context.Err()
}
