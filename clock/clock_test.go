package clock

import (
	"math/rand/v2"
	"testing"
	"time"
)

const (
	s  = time.Second
	ms = time.Millisecond
)

// The notation of settings, and what is no settings.
func TestParse(t *testing.T) {
	for text, want := range map[string]Settings{
		"10s":         {Main: 10 * s},
		"90s":         {Main: 90 * s},
		"1h30m+5s":    {Main: 90 * time.Minute, Increment: 5 * s},
		"250ms+20ms":  {Main: 250 * ms, Increment: 20 * ms},
		"10m+5x30s":   {Main: 10 * time.Minute, Period: 30 * s, Periods: 5},
		"0s+1x1s":     {Period: s, Periods: 1},
		"10m+5m/15":   {Main: 10 * time.Minute, Period: 5 * time.Minute, Moves: 15},
		"24h":         {Main: 24 * time.Hour},
		"1s+10000x1s": {Main: s, Period: s, Periods: maxCount},
		"1s+1s/10000": {Main: s, Period: s, Moves: maxCount},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q and read back as %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"", "10", "0s", "-1s", "25h", "0s+2s", "10s+", "10s+x2s", "10s+0x2s", "10s+5x0s", "10s+5x",
		"10s+30s/", "10s+30s/0",
		"10s+-1s", "10s+2s+2s", "10s+5x2s/3", "10s+10001x1s", "10s+1s/10001",
		"10s+99999999999999999999x1s", "10s+ax1s", "one minute",
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v", text, got)
		}
	}
	for want, settings := range map[string]Settings{
		"": {}, "1m30s": {Main: 90 * s}, "10m": {Main: 10 * time.Minute}, "1h": {Main: time.Hour},
		"100h": {Main: 100 * time.Hour},
	} {
		if got := settings.String(); got != want {
			t.Errorf("%+v is written %q, want %q", settings, got, want)
		}
	}
}

// How each kind of clock counts moves.
func TestSpend(t *testing.T) {
	type step struct {
		spend time.Duration
		want  Left
		in    bool // time
	}
	for name, c := range map[string]struct {
		settings string
		steps    []step
	}{
		"main": {"10s", []step{
			{4 * s, Left{Time: 6 * s}, true}, {6 * s, Left{}, true}, {1, Left{}, false},
		}},
		"increment": {"10s+2s", []step{
			{4 * s, Left{Time: 8 * s}, true},
			{8 * s, Left{Time: 2 * s}, true}, // the increment comes after the move
			{3 * s, Left{}, false},
		}},
		"byo-yomi": {"10s+3x2s", []step{
			{8 * s, Left{Time: 2 * s, Periods: 3}, true},
			{3 * s, Left{Overtime: true, Time: 2 * s, Periods: 3}, true}, // within the first period
			{2 * s, Left{Overtime: true, Time: 2 * s, Periods: 3}, true}, // all of it
			{2*s + 1, Left{Overtime: true, Time: 2 * s, Periods: 2}, true},
			{3 * s, Left{Overtime: true, Time: 2 * s, Periods: 1}, true},
			{2 * s, Left{Overtime: true, Time: 2 * s, Periods: 1}, true},
			{2*s + 1, Left{Overtime: true, Periods: 1}, false},
		}},
		"several periods at once": {"1s+3x2s", []step{
			{1*s + 2*s + 2*s + s, Left{Overtime: true, Time: 2 * s, Periods: 1}, true},
			{6 * s, Left{Overtime: true, Periods: 1}, false},
		}},
		"all periods at once": {"1s+3x2s",
			[]step{{7*s + 1, Left{Overtime: true, Periods: 1}, false}}},
		"canadian": {"100s+30s/5", []step{
			{40 * s, Left{Time: 60 * s}, true},
			{70 * s, Left{Overtime: true, Time: 20 * s, Moves: 4}, true},
			{1 * s, Left{Overtime: true, Time: 19 * s, Moves: 3}, true},
			{1 * s, Left{Overtime: true, Time: 18 * s, Moves: 2}, true},
			{1 * s, Left{Overtime: true, Time: 17 * s, Moves: 1}, true},
			{17 * s, Left{Overtime: true, Time: 30 * s, Moves: 5}, true},
			{31 * s, Left{Overtime: true, Moves: 5}, false},
		}},
		"no main time": {"0s+30s/5",
			[]step{{10 * s, Left{Overtime: true, Time: 20 * s, Moves: 4}, true}}},
	} {
		settings, err := Parse(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		clock := New(settings)
		for i, step := range c.steps {
			if in := clock.Spend(step.spend); in != step.in || clock.Left() != step.want ||
				clock.Fallen() == step.in {
				t.Errorf("%s: step %d: %v, %+v; want %v, %+v",
					name, i, in, clock.Left(), step.in, step.want)
			}
		}
		clock.Restart()
		if fresh := New(settings); clock.Left() != fresh.Left() || clock.Fallen() {
			t.Errorf("%s: a new game has %+v", name, clock.Left())
		}
	}
	free := Clock{}
	if !free.Spend(time.Hour) || free.Limited() {
		t.Error("a clock without a limit runs out")
	}
}

// A remote clock may count more than this one estimates, or less: in each period of Canadian
// overtime it gets its moves in time.
func TestRemoteOvertime(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		way, lag time.Duration // that this clock does not see, and that it sees
	}{
		{Settings{Main: 2 * s, Period: 5 * s, Moves: 10}, 0, 30 * ms},
		{Settings{Main: 2 * s, Period: 5 * s, Moves: 10}, 20 * ms, 30 * ms},
		{Settings{Main: 2 * s, Period: 5 * s, Moves: 10}, 50 * ms, 30 * ms},
		{Settings{Main: 20 * s, Period: 5 * s, Moves: 10}, 0, 200 * ms},
		{Settings{Main: 20 * s, Period: 5 * s, Moves: 10}, 60 * ms, 200 * ms},
	} {
		settings, way := c.settings, c.way
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 1))
			own, remote := New(settings), New(settings)
			own.Remote = true
			for n := range 80 {
				d := own.Allot(Pace{
					Moves: max(5, 40-float64(n)),
				}).Plan + time.Duration(rng.Int64N(int64(c.lag)))
				own.Spend(d)
				if !remote.Spend(d + way) {
					t.Fatalf("with %v more a move, game %d: the flag falls at move %d",
						way, seed, n+1)
				}
			}
		}
	}
}

// Where it is not certain that the main time is spent, Canadian overtime has not begun: it would
// end with moves of the next period.
func TestUncertainOvertime(t *testing.T) {
	own := New(Settings{Main: 10 * s, Period: 5 * s, Moves: 10})
	own.Remote, own.way.mean = true, 200*ms
	for n := range 9 {
		if own.Spend(s); own.Left().Overtime || n == 8 && own.Left().Time > 0 {
			t.Fatalf("after %d s there is %+v", n+1, own.Left())
		}
	}
	if own.Spend(s); own.Left().Moves != 9 {
		t.Errorf("after 10 s there is %+v", own.Left())
	}
	// A move that is in time by what this clock has seen is in time.
	own = New(Settings{Main: s, Period: s, Moves: 2})
	own.Remote, own.way.mean = true, 200*ms
	if in := own.Spend(900 * ms); !in || own.Left() != (Left{}) || own.Fallen() {
		t.Errorf("after 0.9 s of 1 s: %v, %+v", in, own.Left())
	}
	// Of 9.9 s and two ways the way of one may not have been. Byo-yomi begins nevertheless: there
	// is no number of moves to lose.
	for _, settings := range []Settings{
		{Main: 10 * s, Period: 5 * s, Moves: 10}, {Main: 10 * s, Period: 5 * s, Periods: 3},
	} {
		own := New(settings)
		own.Remote, own.way.mean = true, 200*ms
		own.Spend(5800 * ms)
		if own.Spend(4100 * ms); own.Left().Overtime == (settings.Moves > 0) {
			t.Errorf("%v: after 9.9 s there is %+v", settings, own.Left())
		}
	}
}

// TestKeptBack: something is kept back for each of the moves that are expected, and for no more
// than there can be.
func TestKeptBack(t *testing.T) {
	c := New(Settings{Main: 10 * s})
	if open, few := c.each(5, 0), c.each(5, 2); few <= 0 || open != 10*few {
		t.Errorf("%v are kept back for 5 moves or more, %v for at most 2", open, few)
	}
}

// Another clock's time replaces that counted here; whole seconds don't raise it.
func TestCorrect(t *testing.T) {
	byoyomi, canadian, main := "10s+3x2s", "10s+30s/5", "10s"
	for _, c := range []struct {
		settings string
		spent    time.Duration
		left     time.Duration
		n        int
		want     Left
	}{
		{main, 4 * s, 5500 * ms, 0, Left{Time: 5500 * ms}},
		{main, 4500 * ms, 5 * s, 0, Left{Time: 5 * s}},
		// rounded up, perhaps
		{main, 4500 * ms, 6 * s, 0, Left{Time: 5500 * ms}},
		{main, 4500 * ms, 6100 * ms, 0, Left{Time: 6100 * ms}}, // not rounded
		// more than rounding gives
		{main, 4500 * ms, 7 * s, 0, Left{Time: 7 * s}},
		// the flag has not fallen after all
		{main, 11 * s, 3 * s, 0, Left{Time: 3 * s}},
		// overtime of which nobody told
		{main, s, 30 * s, 4, Left{Overtime: true, Time: 30 * s, Moves: 4}},
		{byoyomi, s, 2 * s, 2, Left{Overtime: true, Time: 2 * s, Periods: 2}}, // periods left
		// as many as there are
		{byoyomi, s, 2 * s, 25, Left{Overtime: true, Time: 2 * s, Periods: 3}},
		{byoyomi, 13 * s, 8 * s, 0, Left{Time: 8 * s, Periods: 3}}, // back in the main time
		{canadian, 13 * s, 20 * s, 2, Left{Overtime: true, Time: 20 * s, Moves: 2}},
		{canadian, s, -s, 0, Left{}},
		// a second more is no rounding
		{main, 5 * s, 6 * s, 0, Left{Time: 6 * s}},
		{main, 5 * s, 6*s - 1, 0, Left{Time: 6*s - 1}},
		{main, 5*s + 1, 6 * s, 0, Left{Time: 6 * s}},
		{main, 4*s + 1, 6 * s, 0, Left{Time: 6*s - 1}},
		// a time of another period is taken as it is
		{canadian, 20500 * ms, 20 * s, 4, Left{Overtime: true, Time: 19500 * ms, Moves: 4}},
		{canadian, 20500 * ms, 20 * s, 5, Left{Overtime: true, Time: 20 * s, Moves: 5}},
		{byoyomi, 8500 * ms, 2 * s, 3, Left{Overtime: true, Time: 2 * s, Periods: 3}},
	} {
		settings, err := Parse(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		clock := New(settings)
		clock.Spend(c.spent)
		if clock.Correct(c.left, c.n); clock.Left() != c.want || clock.Fallen() {
			t.Errorf("%s after %v, told %v %d: %+v, want %+v",
				c.settings, c.spent, c.left, c.n, clock.Left(), c.want)
		}
		if settings.Period == 0 && c.n > 0 { // nobody has told of overtime but this
			settings.Period, settings.Moves = c.left, c.n
		}
		if clock.Settings() != settings {
			t.Errorf("%s, told %v %d: the settings are %v",
				c.settings, c.left, c.n, clock.Settings())
		}
	}
	// Without settings a time is the main time.
	free := Clock{}
	if free.Correct(5*s, 0); !free.Limited() || free.Left() != (Left{Time: 5 * s}) {
		t.Errorf("a clock without settings has %+v", free.Left())
	}
	// The difference between two clocks is learned.
	clock, told := New(Settings{Main: 100 * s}), 100*s
	clock.Remote = true
	for range 40 {
		clock.Spend(s)
		told -= s + 37*ms
		clock.Correct(told, 0)
	}
	if d := clock.unseen() - 37*ms; d < -2*ms || d > 2*ms {
		t.Errorf("a move takes %v more by a clock that counts 37ms more", clock.unseen())
	}
}

// A move that is to be made at once may overrun its time as any other.
func TestOverrunOfNothing(t *testing.T) {
	c := New(Settings{Main: s})
	c.Spend(s)
	before := c.lag
	if limit := c.Allot(Pace{}); limit.Plan != 0 {
		t.Fatalf("without time %v are planned", limit.Plan)
	}
	c.Spend(50 * ms)
	if c.lag.worst <= before.worst {
		t.Errorf("an overrun of 50 ms where none was planned leaves %+v", c.lag)
	}
}

// What moves get, in simple cases.
func TestAllot(t *testing.T) {
	for _, c := range []struct {
		settings string
		spent    time.Duration
		pace     Pace
		low      time.Duration
		high     time.Duration
	}{
		{"100s", 0, Pace{Moves: 8}, 9500 * ms, 10 * s}, // a tenth: two moves more than expected
		{"100s", 99 * s, Pace{Moves: 8}, 80 * ms, 100 * ms},
		{"100s", 100 * s, Pace{Moves: 8}, 0, 0},
		{"100s", 101 * s, Pace{Moves: 8}, 0, 0},
		{"100s", 0, Pace{}, 30 * s, 34 * s},
		{"100s+2s", 0, Pace{Moves: 8}, 11300 * ms, 11800 * ms},
		{"2s+1s", 1900 * ms, Pace{Moves: 8}, 900 * ms, 1100 * ms},     // what the increment brought
		{"10s+5x2s", 0, Pace{Moves: 20}, 1900 * ms, 2 * s},            // no less than in overtime
		{"60s+5x2s", 0, Pace{Moves: 8}, 5900 * ms, 6 * s},             // a share of the main time
		{"10s+5x2s", 9900 * ms, Pace{Moves: 8}, 1850 * ms, 1950 * ms}, // what is left, and a period
		{"10s+5x2s", 11 * s, Pace{Moves: 8}, 1750 * ms, 1850 * ms},    // a tenth is kept back
		{"10s+5x60s", 11 * s, Pace{Moves: 8}, 59600 * ms, 59710 * ms},
		{"10s+5x2s", 20 * s, Pace{Moves: 8}, 1750 * ms, 1850 * ms}, // the last period
		{"10s+30s/15", 11 * s, Pace{Moves: 8}, 1900 * ms, 1950 * ms},
		{"0s+2s/1", 0, Pace{Moves: 8}, 1750 * ms, 1850 * ms},
		{"10s+30s/15", 9500 * ms, Pace{Moves: 8}, 1850 * ms, 1880 * ms},
		{"0s+1x100ms", 0, Pace{Moves: 8}, 80 * ms, 99 * ms},
	} {
		settings, err := Parse(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		clock := New(settings)
		if c.spent > 0 {
			clock.Spend(c.spent)
		}
		if l := clock.Allot(c.pace); l.Plan < c.low || l.Plan > c.high {
			t.Errorf("%s after %v, %g moves: %v, want %v to %v",
				c.settings, c.spent, c.pace.Moves, l.Plan, c.low, c.high)
		}
	}
}

// On a machine on which moves overrun their time, games of any length that the estimate of their
// moves allows end within their clocks, and most of the time is used.
func TestLoad(t *testing.T) {
	for _, text := range []string{"10s", "60s", "3s+200ms", "5s+3x1s", "0s+2x1s", "5s+10s/10"} {
		settings, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, load := range []struct {
			name string
			lag  func(rng *rand.Rand) time.Duration
		}{
			{"none", func(*rand.Rand) time.Duration { return 0 }},
			{"steady", func(rng *rand.Rand) time.Duration {
				return 10*ms + time.Duration(rng.Int64N(int64(20*ms)))
			}},
			{"rare", func(rng *rand.Rand) time.Duration {
				if rng.IntN(10) == 0 {
					return 150 * ms
				}
				return ms
			}},
		} {
			used, all := 0.0, 0.0
			for seed := range uint64(50) {
				rng := rand.New(rand.NewPCG(seed, 1))
				clock := New(settings)
				// 25 to 40 moves where 30 are expected.
				moves := 25 + rng.IntN(16)
				for n := range moves {
					pace := Pace{Moves: max(5, 30-float64(n)), Most: float64(75 - n)}
					plan := clock.Allot(pace).Plan
					before := clock.Left()
					d := plan + load.lag(rng)
					if !clock.Spend(d) {
						t.Fatalf("%s, load %s, game %d: the flag falls at move %d of %d; of %+v it took %v", text, load.name, seed, n+1, moves, before, d)
					}
					// The first stall may come as a surprise.
					if lost := settings.Periods - clock.Left().Periods; lost > 1 ||
						lost > 0 && load.name != "rare" {
						t.Fatalf(
							"%s, load %s, game %d: %d periods are lost at move %d, which took %v",
							text, load.name, seed, lost, n+1, d)
					}
				}
				used += (settings.Main - clock.Left().Time).Seconds()
				all += settings.Main.Seconds()
			}
			if settings.Increment == 0 && settings.Period == 0 && load.name == "none" &&
				used < 0.7*all {
				t.Errorf("%s: %.0f %% of the time is used", text, 100*used/all)
			}
		}
	}
}

// A search ends by the clock: at the plan, or where a few of its longest steps would go beyond the
// latest time.
func TestTimer(t *testing.T) {
	var now time.Time
	timer := Timer{Now: func() time.Time { return now }}
	// run returns the number of steps before the search is over.
	run := func(steps ...time.Duration) int {
		timer.Begin()
		for i, d := range steps {
			now = now.Add(d)
			if timer.Late() {
				return i + 1
			}
		}
		return 0
	}
	begin := time.Unix(1000, 0)
	for _, c := range []struct {
		name  string
		limit time.Duration
		plan  time.Duration // 0: no deadline
		last  time.Duration
		steps []time.Duration
		want  int
	}{
		{"no limit", 0, 0, 0, []time.Duration{time.Hour, time.Hour}, 0},
		{"limit", 30 * ms, 0, 0, []time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms}, 3},
		{"plan", 0, 30 * ms, s, []time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms}, 3},
		{"limit before plan",
			20 * ms, 30 * ms, s, []time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms}, 2},
		{"plan before limit",
			90 * ms, 30 * ms, s, []time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms}, 3},
		{"long steps", 0, 90 * ms, 100 * ms,
			[]time.Duration{10 * ms, 10 * ms, 30 * ms, 10 * ms}, 3},
		{"short steps", 0, 90 * ms, 100 * ms,
			[]time.Duration{
				40 * ms / 4, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms,
			}, 7},
		{"over before it begins", 0, 1, s, []time.Duration{10 * ms}, 1},
	} {
		timer = Timer{Now: timer.Now}
		now = begin
		timer.SetTime(c.limit)
		if c.plan > 0 {
			timer.SetDeadline(Limit{Plan: c.plan, Latest: c.last}.From(begin))
		}
		if got := run(c.steps...); got != c.want {
			t.Errorf("%s: over after step %d, want %d", c.name, got, c.want)
		}
		if timed := c.limit > 0 || c.plan > 0; timer.Timed() != timed ||
			(timer.Limit() > 0) != timed {
			t.Errorf("%s: timed is %v, with %v", c.name, timer.Timed(), timer.Limit())
		}
	}
	// The longest step but one of a search counts in the next ones, and is forgotten.
	timer = Timer{Now: timer.Now}
	now = begin
	timer.SetDeadline(Limit{Plan: 10 * s, Latest: 11 * s}.From(now))
	run(300*ms, 300*ms)
	timer.SetDeadline(Limit{Plan: 450 * ms, Latest: 500 * ms}.From(now))
	if run(ms) != 1 {
		t.Error("after a step of 300 ms a search goes on 500 ms before its latest time")
	}
	for range 40 {
		timer.Begin()
	}
	timer.SetDeadline(Limit{Plan: 450 * ms, Latest: 500 * ms}.From(now))
	if run(ms) != 0 {
		t.Error("a long step is never forgotten")
	}
	// One that came once does not count in the next ones, wherever it came.
	for at := range 4 {
		timer = Timer{Now: timer.Now}
		for n, seconds := range []time.Duration{10, 7, 7, 7, 3} {
			timer.SetDeadline(Limit{Plan: 4 * ms, Latest: seconds * s}.From(now))
			steps := []time.Duration{ms, ms, ms, ms}
			want := 4
			if n == 0 {
				steps[at], want = 3*s, at+1
			}
			if got := run(steps...); got != want {
				t.Errorf("a stall of 3 s in step %d of the first search: search %d is over after step %d, not %d", at+1, n+1, got, want)
			}
		}
	}
}
