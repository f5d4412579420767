package gtp

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/player"
)

func TestClock(t *testing.T) {
	const s = time.Second
	c := clock{}
	c.set(100*s, 30*s, 5)
	if !c.limited {
		t.Fatal("there is a limit")
	}
	steps := []struct {
		spend time.Duration
		want  timeLeft
	}{
		{40 * s, timeLeft{60 * s, 0}},
		{70 * s, timeLeft{30 * s, 5}}, // the main time has run out
		{10 * s, timeLeft{20 * s, 4}},
		{1 * s, timeLeft{19 * s, 3}},
		{1 * s, timeLeft{18 * s, 2}},
		{1 * s, timeLeft{17 * s, 1}},
		{1 * s, timeLeft{30 * s, 5}},
	}
	for _, step := range steps {
		c.spend(1, step.spend)
		if c.left[1] != step.want {
			t.Fatalf("after %v it is %v, want %v", step.spend, c.left[1], step.want)
		}
	}
	if c.left[0] != (timeLeft{100 * s, 0}) {
		t.Error("Black's clock has run")
	}
	for _, v := range []struct {
		main, period time.Duration
		stones       int
		limited      bool
	}{{0, 0, 0, false}, {10 * s, 30 * s, 0, false}, {0, 30 * s, 0, false}, {0, 30 * s, 1, true}, {10 * s, 0, 0, true}} {
		if c.set(v.main, v.period, v.stones); c.limited != v.limited {
			t.Errorf("%+v: limited is %v", v, c.limited)
		}
	}
}

func TestAllot(t *testing.T) {
	const s = time.Second
	for _, v := range []struct {
		settings clock
		left     timeLeft
		moves    int
		want     time.Duration
	}{
		{clock{}, timeLeft{100 * s, 0}, 10, 9 * s},
		{clock{}, timeLeft{100 * s, 4}, 10, 22500 * time.Millisecond},
		{clock{period: 30 * s, stones: 3}, timeLeft{20 * s, 0}, 10, 9 * s}, // ten seconds come with each stone
		{clock{period: 30 * s, stones: 3}, timeLeft{5 * s, 0}, 10, 4500 * time.Millisecond},
		{clock{}, timeLeft{-3 * s, 0}, 10, 0},
	} {
		v.settings.left[0] = v.left
		if got := v.settings.allot(0, v.moves); got != v.want {
			t.Errorf("%+v with %v: %v, want %v", v.settings, v.left, got, v.want)
		}
	}
}

// A search makes the simulations that its time allows, at most the player's.
func TestBudget(t *testing.T) {
	now := time.Unix(0, 0)
	e, err := NewEngine(Config{
		Player: player.UCT{Simulations: 1000, C: 0.8, Utility: player.Unit},
		Game:   game.Must(game.New("go:size=3,players=2,pass=free")),
		Now:    func() time.Time { now = now.Add(time.Second); return now }, // all takes a second
	})
	if err != nil {
		t.Fatal(err)
	}
	made := func() int { return e.agent.(player.Searching).Result().Stats().Simulations }
	for _, c := range []struct {
		lines string
		want  int
	}{
		{"genmove b\n", 1000},
		// The measured speed is a thousand simulations a second. 8 points are empty, the player
		// has half of 8 + 5 + 1 moves, and a tenth of the time is reserved.
		{"time_settings 2 0 0\ngenmove w\n", 257},
		{"time_left b 1000 0\ngenmove b\n", 1000},
		{"time_left w 0 0\ngenmove w\n", 1},
		{"boardsize 4\ntime_left b 1 0\ngenmove b\n", 1}, // 16 a second by its first look
		{"clear_board\ntime_settings 0 0 0\ngenmove b\n", 1000},
	} {
		if say(t, e, c.lines); made() != c.want {
			t.Errorf("%q: %d simulations, want %d", c.lines, made(), c.want)
		}
	}
}
