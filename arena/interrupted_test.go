package arena

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/game"
	"tengen/nn/nntest"
	"tengen/player"
	"tengen/search"
)

// cancelAfter returns a context that ends after some games, and the progress function that ends it.
func cancelAfter(games int) (context.Context, func(n int)) {
	ctx, cancel := context.WithCancel(context.Background())
	return ctx, func(n int) {
		if n >= games {
			cancel()
		}
	}
}

// uneven is a match whose games have very different lengths.
func uneven() *Match {
	return &Match{
		Game: game.Must(game.New("go:size=4,players=2,pass=free")),
		Players: []player.Player{
			player.Random{}, player.UCT{Simulations: 3, C: 1, Utility: player.Unit},
		},
		Seatings: [][]int{{0, 1}, {1, 0}}, Games: 800, Seed: 3, Workers: 3,
		GamesPerWorker: 7, Opening: 1,
	}
}

// TestInterruptedMatch: the results of a match that was stopped are the first ones of the whole
// match, in whole rounds: which games count does not depend on how soon they ended.
func TestInterruptedMatch(t *testing.T) {
	want, err := uneven().Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for games := 1; games < 400; games += 80 {
		ctx, progress := cancelAfter(games)
		ended := 0
		got, err := uneven().Play(ctx, func(n int) { ended = n; progress(n) })
		i := InterruptedBy(err)
		if i == nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d games: %v", games, err)
		}
		if len(got) != i.Games || i.Games%2 != 0 || i.Planned != 800 || i.Games+i.LeftOut != ended {
			t.Errorf("after %d games: %+v, %d results", games, i, len(got))
		}
		if !reflect.DeepEqual(got, want[:len(got)]) {
			t.Errorf("after %d games: other results than those of the whole match", games)
		}
		left = max(left, i.LeftOut)
	}
	if left == 0 {
		t.Error("no game was ever left out")
	}
	// A match whose last game ends as the context does is complete.
	ctx, progress := cancelAfter(800)
	if got, err := uneven().Play(ctx, progress); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a match that was stopped at its end: %v", err)
	}
}

// TestInterruptedVersus: the report so far is that of its games alone, whether the player's games
// or the baseline's were in progress.
func TestInterruptedVersus(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	v := func(games, baseline int) *Versus {
		return &Versus{
			Game: g, Player: player.UCT{Simulations: 5, C: 0.8, Utility: player.Points},
			Baseline: player.UCT{Simulations: 2, C: 0.8, Utility: player.Points},
			Games:    games, BaselineGames: baseline, Seed: 4, GamesPerWorker: 5, Opening: 1,
			Workers: 1, // of two, one may be held up in its first game, and then none counts
		}
	}
	for _, after := range []int{100, 650} {
		ctx, progress := cancelAfter(after)
		got, err := v(200, 10_000).Play(ctx, func(n, all int) { progress(n) })
		i := InterruptedBy(err)
		if i == nil || got.Interrupted != i || i.Planned != 10_600 ||
			i.Games != got.Games+got.BaseGames {
			t.Fatalf("after %d games: %v", after, err)
		}
		if first := after < 600; first != (got.BaseSum == nil) || first != (got.Games < 600) {
			t.Errorf("after %d games: %d games, %d of the baseline",
				after, got.Games, got.BaseGames)
		}
		baseline := got.BaseGames
		if baseline == 0 {
			baseline = -1
		}
		want, err := v(got.Games/3, baseline).Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var texts [2]strings.Builder
		for k, r := range []*Report{got, want} {
			if err := r.WriteText(&texts[k]); err != nil {
				t.Fatal(err)
			}
		}
		if noted := texts[1].String() + i.Note() + "\n"; texts[0].String() != noted {
			t.Errorf("after %d games:\n%swant\n%s", after, &texts[0], noted)
		}
		if got.Interrupted = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("after %d games: another report than that of these games alone", after)
		}
	}
	// Before the first round there is a report without games.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := v(10, 0).Play(ctx, nil)
	if i := InterruptedBy(err); i == nil || i.Games != 0 || i.Planned != 40 || r.Games != 0 {
		t.Errorf("%v after %d games", err, r.Games)
	}
	if text, err := json.Marshal(r); err != nil ||
		!strings.Contains(string(text),
			`"interrupted":{"games":0,"planned_games":40,"left_out_games":0}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestInterruptedByFailure: an evaluator that fails interrupts a match as the end of a context
// does.
func TestInterruptedByFailure(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	lost := errors.New("device lost")
	failing := func() player.Player {
		p := network(t, g, 4)
		p.Weights = &nntest.Device{Network: p.Weights, FailAfter: 300, Lost: lost}
		return p
	}
	m := Match{
		Game: g, Players: []player.Player{failing(), player.Random{}},
		Seatings: [][]int{{0, 1}, {1, 0}}, Games: 100, Seed: 1, Workers: 1, GamesPerWorker: 2,
	}
	got, err := m.Play(context.Background(), nil)
	if i := InterruptedBy(err); i == nil || !errors.Is(err, lost) || err.Error() != "device lost" ||
		len(got) != i.Games || len(got) < 10 {
		t.Errorf("a match: %v after %d games", err, len(got))
	}
	n := &Tournament{
		Game: g, Players: []player.Player{failing(), player.Random{}}, Games: 100, Seed: 1,
		Opening: 1, Workers: 1, GamesPerWorker: 2,
	}
	s, err := n.Play(context.Background(), nil)
	if i := InterruptedBy(err); i == nil || !errors.Is(err, lost) || s.Interrupted != i ||
		i.Games != s.Games || i.Planned != 100 || s.Games < 10 {
		t.Errorf("a tournament: %v after %d games", err, s.Games)
	}
}

// halting is a player at random whose move number at of all ends a context.
type halting struct {
	player.Random
	moves  *atomic.Int64
	at     int64
	cancel func()
}

func (h halting) NewAgent(g game.Game) player.Agent {
	return &haltingAgent{h.Random.NewAgent(g), h}
}

type haltingAgent struct {
	player.Agent
	player halting
}

func (a *haltingAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	switch n := a.player.moves.Add(1); {
	case n == a.player.at:
		a.player.cancel()
	case n > a.player.at:
		time.Sleep(50 * time.Millisecond) // until the schedule has heard of it
	}
	return a.Agent.Think(s, requests)
}

// TestInterruptedBetweenMoves: games whose players need no evaluations are given up too, not
// played to their end.
func TestInterruptedBetweenMoves(t *testing.T) {
	g := game.Must(game.New("go:size=9,players=2")) // a game has hundreds of moves
	for _, at := range []int64{1, 1000} {
		ctx, cancel := context.WithCancel(context.Background())
		var moves atomic.Int64
		h := halting{moves: &moves, at: at, cancel: cancel}
		m := Match{
			Game: g, Players: []player.Player{h}, Seatings: [][]int{{0, 0}}, Games: 50, Workers: 1,
			GamesPerWorker: 1,
		}
		_, err := m.Play(ctx, nil)
		if n := moves.Load(); InterruptedBy(err) == nil || n > at+500 {
			t.Errorf("%v after %d moves, want hardly more than %d", err, n, at)
		}
	}
}

// TestInterruptedSearch: a search of UCT that would take for ever ends with the context.
func TestInterruptedSearch(t *testing.T) {
	m := uneven()
	m.Players[0] = player.UCT{Simulations: 1 << 24, C: 1, Utility: player.Unit}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	ended := make(chan error, 1)
	go func() {
		_, err := m.Play(ctx, nil)
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}
