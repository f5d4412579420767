//go:build slow

package gtp

import (
	"testing"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// slow is a player that needs 10 ms for each move before its search begins.
type slow struct{ player.UCT }

func (s slow) NewAgent(g game.Game) player.Agent {
	a := s.UCT.NewAgent(g)
	return &slowAgent{Agent: a, Deadlined: a.(player.Deadlined)}
}

type slowAgent struct {
	player.Agent
	player.Deadlined
}

func (a *slowAgent) Think(s game.State, r search.Requests) (game.Action, bool) {
	for began := time.Now(); time.Since(began) < 10*time.Millisecond; {
	}
	return a.Agent.Think(s, r)
}

// A whole game of an engine that needs more time for each move than it knows of stays within its
// clock, by the clock of the controller.
func TestClockNeverOverstepped(t *testing.T) {
	for _, settings := range []clock.Settings{
		{Main: 3 * time.Second},
		{Main: time.Second, Increment: 100 * time.Millisecond},
		{Main: 200 * time.Millisecond, Period: 250 * time.Millisecond, Periods: 3},
		{Main: 200 * time.Millisecond, Period: time.Second, Moves: 5},
	} {
		t.Run(settings.String(), func(t *testing.T) {
			t.Parallel()
			e, err := NewEngine(Config{
				Player: slow{player.UCT{Time: time.Hour, C: 0.8, Utility: player.Unit}},
				Game:   game.Must(game.New("go:size=3,players=2,pass=free")), Seed: random.Test,
			})
			if err != nil {
				t.Fatal(err)
			}
			e.setClocks(settings)
			clocks := [2]clock.Clock{clock.New(settings), clock.New(settings)}
			for n := 0; e.State().CurrentPlayer() != game.Nobody && n < 40; n++ {
				color := e.State().CurrentPlayer()
				began := time.Now()
				if _, err := e.GenMove(color); err != nil {
					t.Fatal(err)
				}
				if !clocks[color].Spend(time.Since(began)) {
					t.Fatalf("move %d of the game: the flag has fallen", n+1)
				}
			}
		})
	}
}
