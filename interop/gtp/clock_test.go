package gtp

import (
	"testing"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/player"
)

// newClocked makes an engine that plays by time alone.
func newClocked(t *testing.T, size string) *Engine {
	t.Helper()
	e, err := NewEngine(Config{
		Player: player.UCT{Time: time.Hour, C: 0.8, Utility: player.Unit},
		Game:   game.Must(game.New("go:size=" + size + ",players=2,pass=free")),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The commands that set clocks, and what they set.
func TestTimeSettings(t *testing.T) {
	const s = time.Second
	for line, want := range map[string]clock.Settings{
		"time_settings 100 30 5":                 {Main: 100 * s, Period: 30 * s, Moves: 5},
		"time_settings 0 30 1":                   {Period: 30 * s, Moves: 1},
		"time_settings 10 0 0":                   {Main: 10 * s},
		"time_settings 0.5 0 7":                  {Main: s / 2},
		"time_settings 10 30 0":                  {}, // no limit
		"time_settings 0 0 0":                    {},
		"kgs-time_settings none":                 {},
		"kgs-time_settings absolute 10":          {Main: 10 * s},
		"kgs-time_settings byoyomi 60 30 5":      {Main: 60 * s, Period: 30 * s, Periods: 5},
		"kgs-time_settings byoyomi 60 30 0":      {Main: 60 * s},
		"kgs-time_settings canadian 60 300 15":   {Main: 60 * s, Period: 300 * s, Moves: 15},
		"kata-time_settings fischer 60 2.5":      {Main: 60 * s, Increment: 5 * s / 2},
		"kata-time_settings byoyomi 0 2 5":       {Period: 2 * s, Periods: 5},
		"kata-time_settings absolute 1000000000": {Main: 1000000000 * s},
	} {
		e := newClocked(t, "3")
		say(t, e, "time_settings 1 1 1\n"+line+"\n")
		for color, c := range e.clocks {
			if c.Settings() != want {
				t.Errorf("%s: colour %d has %+v, want %+v", line, color, c.Settings(), want)
			}
		}
	}
}

// time_left corrects the clock of one colour; periods of byo-yomi come in place of stones.
func TestTimeLeft(t *testing.T) {
	const s = time.Second
	e := newClocked(t, "3")
	say(t, e, "kgs-time_settings byoyomi 60 30 5\ntime_left w 20.5 3\ntime_left b 40.5 0\n")
	if got, want := e.clocks[1].Left(), (clock.Left{Overtime: true, Time: 41 * s / 2, Periods: 3}); got != want {
		t.Errorf("White has %+v, want %+v", got, want)
	}
	if got, want := e.clocks[0].Left(), (clock.Left{Time: 81 * s / 2, Periods: 5}); got != want {
		t.Errorf("Black has %+v, want %+v", got, want)
	}
	say(t, e, "time_settings 60 30 5\ntime_left w 20 3\n")
	if got, want := e.clocks[1].Left(), (clock.Left{Overtime: true, Time: 20 * s, Moves: 3}); got != want {
		t.Errorf("White has %+v, want %+v", got, want)
	}
}

// A move takes the time that its clock allots, and is subtracted from it; a new game has the whole
// time again. A player that also counts simulations makes at most so many.
func TestThinkingTime(t *testing.T) {
	e := newClocked(t, "5")
	say(t, e, "time_settings 2 0 0\n")
	began := time.Now()
	say(t, e, "genmove b\n")
	// 25 empty points: a share of 17.5 + 2 moves.
	took := time.Since(began)
	if took < 20*time.Millisecond {
		t.Errorf("a move of 2 s for the game took %v", took)
	}
	// A time of a few milliseconds for the way of the answer, and half of what it was late, are subtracted too.
	if left := e.clocks[0].Left().Time; left < 1900*time.Millisecond-took*3/2 || left > 1980*time.Millisecond {
		t.Errorf("%v is left", left)
	}
	if left := e.clocks[1].Left().Time; left != 2*time.Second {
		t.Errorf("White, who has not moved, has %v", left)
	}
	say(t, e, "clear_board\n")
	if left := e.clocks[0].Left().Time; left != 2*time.Second {
		t.Errorf("in a new game %v is left", left)
	}
	// Without time it moves at once.
	began = time.Now()
	say(t, e, "time_left b 0 0\ngenmove b\n")
	if n := e.agent.(player.Searching).Result().Stats().Simulations; n > 100 {
		t.Errorf("without time it made %d simulations, in %v", n, time.Since(began))
	}

	counting, err := NewEngine(Config{
		Player: player.UCT{Simulations: 50, C: 0.8, Utility: player.Unit, EarlyStop: player.EarlyNever},
		Game:   game.Must(game.New("go:size=3,players=2,pass=free")),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"genmove b\n", "time_settings 1000 0 0\ngenmove w\n", "time_settings 0 0 0\ngenmove b\n"} {
		say(t, counting, line)
		if n := counting.agent.(player.Searching).Result().Stats().Simulations; n != 50 {
			t.Errorf("%q: %d simulations of 50", line, n)
		}
	}
}

// The clock of the player is that of the engine until a controller sets another.
func TestOwnClock(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	p, err := player.Parse(g, "uct:clock=3s+2x1s")
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(Config{Player: p, Game: g})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.clocks[1].Settings().String(); got != "3s+2x1s" {
		t.Errorf("the clock is %s", got)
	}
	say(t, e, "time_settings 1 0 0\n")
	if got := e.clocks[1].Settings().String(); got != "1s" {
		t.Errorf("the clock is %s", got)
	}
}
