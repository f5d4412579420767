package gtp

import (
	"strings"
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
	if got, want := e.clocks[1].Left(),
		(clock.Left{Overtime: true, Time: 41 * s / 2, Periods: 3}); got != want {
		t.Errorf("White has %+v, want %+v", got, want)
	}
	if got, want := e.clocks[0].Left(), (clock.Left{Time: 81 * s / 2, Periods: 5}); got != want {
		t.Errorf("Black has %+v, want %+v", got, want)
	}
	say(t, e, "time_settings 60 30 5\ntime_left w 20 3\n")
	if got, want := e.clocks[1].Left(),
		(clock.Left{Overtime: true, Time: 20 * s, Moves: 3}); got != want {
		t.Errorf("White has %+v, want %+v", got, want)
	}
}

// A move takes the time that its clock allots, and is subtracted from it; a new game has the whole
// time again.
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
	// A time of a few milliseconds for the way of the answer, and half of what it was late, are
	// subtracted too.
	if left := e.clocks[0].Left().Time; left < 1900*time.Millisecond-took*3/2 ||
		left > 1980*time.Millisecond {
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

}

// Without time a player makes its number of simulations. Where the controller sets a clock it
// decides alone, for the colour whose clock it is, unless the number was asked for.
func TestClockDecides(t *testing.T) {
	const number = 5
	for _, c := range []struct {
		capped  bool
		line    string
		byClock bool
	}{
		{false, "genmove b", false},
		{false, "time_settings 20 0 0\ngenmove b", true},
		{false, "time_settings 1 5 50\ngenmove w", true},
		{false, "time_settings 0 1 10\nclear_board\ngenmove b", true},
		{false, "kgs-time_settings byoyomi 1 0.1 5\ngenmove b", true},
		{false, "kata-time_settings fischer 1 0.1\nkata-genmove_analyze b", true},
		{false, "time_left b 1 0\ngenmove b", true},
		{false, "time_left b 1 0\ngenmove w", false},
		{false, "time_settings 1 0 0\ngenmove b\ntime_settings 0 0 0\ngenmove w", false},
		{false, "time_settings 1 0 0\nkgs-time_settings none\ngenmove b", false},
		{false, "time_settings 1 1 0\ngenmove b", false},
		{true, "genmove b", false},
		{true, "time_settings 1000 0 0\ngenmove b", false},
		{true, "time_left b 1000 0\ngenmove b", false},
	} {
		e, err := NewEngine(Config{
			Player: player.UCT{
				Simulations: number, C: 0.8, Utility: player.Unit, EarlyStop: player.EarlyNever,
			},
			Game: game.Must(game.New("go:size=3,players=2,pass=free")), Capped: c.capped,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := say(t, e, c.line+"\n"); strings.Contains(got, "?") {
			t.Errorf("%q is answered %q", c.line, got)
		}
		n := e.agent.(player.Searching).Result().Stats().Simulations
		if e.byClock != c.byClock || !c.byClock && n != number ||
			strings.HasPrefix(c.line, "time_settings 20") && n <= number {
			t.Errorf("%q, capped %v: %d simulations, by the clock %v",
				c.line, c.capped, n, e.byClock)
		}
		if asked := e.known("kata-get-param") &&
			strings.Contains(say(t, e, "kata-list-params\n"), "maxPlayouts"); asked != (c.capped ||
			!e.clocks[0].Limited()) {
			t.Errorf("%q, capped %v: that maxPlayouts holds is %v", c.line, c.capped, asked)
		}
	}
}

// Odd arguments of the commands about time get one line that says what is wanted, and change
// nothing.
func TestOddTimes(t *testing.T) {
	const whole, number = "a whole number of 0 or more is wanted",
		"is no time: seconds from 0 to 1000000000 are wanted, such as 60 or 1.5"
	e := newClocked(t, "3")
	say(t, e, "time_settings 60 30 5\ntime_left b 50.5 0\n")
	settings, left := e.clocks[0].Settings(), e.clocks[0].Left()
	for line, want := range map[string]string{
		"time_left b -3 0":                    `syntax error: "-3" ` + number,
		"time_left b 1e9 0":                   `syntax error: "1e9" ` + number,
		"time_left b 0x10 0":                  `syntax error: "0x10" ` + number,
		"time_left b NaN 0":                   `syntax error: "NaN" ` + number,
		"time_left b inf 0":                   `syntax error: "inf" ` + number,
		"time_left b . 0":                     `syntax error: "." ` + number,
		"time_left b 1.2.3 0":                 `syntax error: "1.2.3" ` + number,
		"time_left b 9999999999 0":            `syntax error: "9999999999" ` + number,
		"time_left b +5 0":                    `syntax error: "+5" ` + number,
		"time_left b 10 -1":                   `syntax error: "-1": ` + whole,
		"time_left b 10 +1":                   `syntax error: "+1": ` + whole,
		"time_left b 10 1.5":                  `syntax error: "1.5": ` + whole,
		"time_left b 10 99999999999999999999": `syntax error: "99999999999999999999": ` + whole,
		"time_left b 10":                      "syntax error: time_left takes three arguments, not 2",
		"time_left 10 0":                      "syntax error: time_left takes three arguments, not 2",
		"time_left red 10 0":                  `syntax error: "red" is no colour: b or w is wanted`,
		"time_settings -1 0 0":                `syntax error: "-1" ` + number,
		"time_settings 60 -1 5":               `syntax error: "-1" ` + number,
		"time_settings 60 30 -5":              `syntax error: "-5": ` + whole,
		"time_settings 60 30 2.5":             `syntax error: "2.5": ` + whole,
		"time_settings 60 30 20000":           "time settings not supported: a number from 1 to 10000 is wanted of periods and of moves",
		"kgs-time_settings absolute":          "syntax error: the number of arguments after the system is 1, not 0",
		"kgs-time_settings absolute -5":       `syntax error: "-5" ` + number,
		"kgs-time_settings byoyomi 60 30":     "syntax error: the number of arguments after the system is 3, not 2",
		"kgs-time_settings hourglass 60":      `time settings not supported: there is no system "hourglass"`,
		"kgs-time_settings absolute 0":        "",
	} {
		got := say(t, e, line+"\n")
		if want == "" { // as time_settings 0 0 0: no limit
			if got != "=\n\n" || e.clocks[0].Limited() {
				t.Errorf("%s: %q, limited %v", line, got, e.clocks[0].Limited())
			}
			say(t, e, "time_settings 60 30 5\ntime_left b 50.5 0\n")
			continue
		}
		if got != "? "+want+"\n\n" {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if e.clocks[0].Settings() != settings || e.clocks[0].Left() != left {
			t.Errorf("%s changes the clock to %+v", line, e.clocks[0].Left())
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
