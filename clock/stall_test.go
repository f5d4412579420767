package clock

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var controls = []string{
	"10s", "60s", "10m", "10s+1s", "60s+5s", "10s+3x10s", "0s+5x10s", "20s+5x30s", "0s+30s/25",
	"10s+60s/10", "0s+20s/1",
}

func mustParse(t *testing.T, text string) Settings {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// paceAt is what a game of about 30 moves still expects at a move.
func paceAt(n int) Pace { return Pace{Moves: max(5, 30-float64(n)), Most: float64(75 - n)} }

// A process that is stopped once, for seconds, plays on as one that has as much time left and was
// not: each of the moves that follow gets at least seven tenths of what it would. So it is where
// only the clock of a controller sees the stall, and tells of it. A new game starts anew.
func TestStallCostsOneMove(t *testing.T) {
	compared := 0
	for _, text := range controls {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 2))
			stalled := New(mustParse(t, text))
			stalled.Remote = seed%2 == 1
			hidden := seed%4 == 3 // from this clock
			stall := time.Duration(2000+rng.IntN(2000)) * ms
			name := fmt.Sprintf("%s, a stall of %v, remote %v, hidden %v",
				text, stall, stalled.Remote, hidden)
			// spend plays a move, with time_left after it where the stall is hidden.
			spend := func(c *Clock, plan, stall time.Duration) {
				told, took := c.left.Time, plan+time.Duration(rng.Int64N(int64(2*ms)))
				c.Spend(took)
				if told -= took + stall + 3*ms; told > 0 && hidden && !c.left.Overtime {
					c.Correct((told+c.settings.Increment)|1, 0) // not in whole seconds
				}
			}
			at := 1 + rng.IntN(12)
			for n := range at {
				spend(&stalled, stalled.Allot(paceAt(n)).Plan, 0)
			}
			plan := stalled.Allot(paceAt(at)).Plan
			quiet := stalled // a copy
			spend(&quiet, plan, 0)
			if hidden {
				spend(&stalled, plan, stall)
			} else {
				stalled.Spend(plan + stall)
			}
			if stalled.Fallen() {
				continue
			}
			for n := at + 1; n < at+12; n++ {
				quiet.left = stalled.left
				got, want := stalled.Allot(paceAt(n)).Plan, quiet.Allot(paceAt(n)).Plan
				if compared++; got < want*7/10 {
					t.Errorf("%s at move %d: move %d gets %v, without it %v",
						name, at+1, n+1, got, want)
					break
				}
				spend(&stalled, got, 0)
				spend(&quiet, want, 0)
				if stalled.Fallen() {
					t.Errorf("%s: the flag falls at move %d", name, n+1)
				}
			}
			fresh := New(stalled.Settings())
			fresh.Remote = stalled.Remote
			stalled.Restart()
			if got, want := stalled.Allot(paceAt(0)).Plan,
				fresh.Allot(paceAt(0)).Plan; got < want*95/100 {
				t.Errorf("%s: a new game begins with %v, not %v", name, got, want)
			}
		}
	}
	if compared < 11*len(controls)*30 {
		t.Errorf("only %d moves are compared", compared)
	}
}

// Games in a row on machines of several kinds. Where moves overrun their time by much the same, or
// by little, no flag falls, and from the second game on no period is lost, since what is usual is
// known. The first stalls of a game come as a surprise, but then the clock keeps enough back, or
// moves at once.
func TestMachines(t *testing.T) {
	constant := func(d time.Duration) func(*rand.Rand) time.Duration {
		return func(*rand.Rand) time.Duration { return d }
	}
	stalls := func(one int, d time.Duration) func(*rand.Rand) time.Duration {
		return func(rng *rand.Rand) time.Duration {
			if rng.IntN(one) == 0 {
				return d
			}
			return time.Duration(rng.Int64N(int64(2 * ms)))
		}
	}
	tail := func(typical, most time.Duration) func(*rand.Rand) time.Duration {
		return func(rng *rand.Rand) time.Duration {
			return min(most, time.Duration(float64(typical)*math.Pow(1-rng.Float64(), -1/1.5)))
		}
	}
	for _, m := range []struct {
		name     string
		controls []string
		lag      func(*rand.Rand) time.Duration
		stall    time.Duration // overruns that are at least as long may fell a flag
	}{
		{"quiet", append([]string{"300ms", "0s+1x100ms", "0s+1s/1"}, controls...), constant(0), 0},
		{"constant, 5 ms",
			append([]string{"1s", "0s+1x200ms", "0s+1s/1"}, controls...), constant(5 * ms), 0},
		{"constant, 30 ms", append([]string{"2s", "3s+200ms", "0s+5x1s", "0s+2s/1"}, controls...),
			constant(30 * ms), 0},
		{"constant, 100 ms", append([]string{"5s", "3s+200ms", "0s+5x1s", "0s+2s/1"}, controls...),
			constant(100 * ms), 0},
		{"constant, 250 ms",
			[]string{"60s", "10s+1s", "0s+5x1s", "0s+5x2s", "5s+3x1s", "10s+60s/10"},
			constant(250 * ms), 0},
		{"now and then", append([]string{"0s+5x2s", "5s+10s/10", "0s+2s/1"}, controls...),
			stalls(10, 150*ms), 0},
		{"heavy tail", append([]string{"5s", "0s+2s/1", "5s+10s/10"}, controls...),
			tail(2*ms, 150*ms), 0},
		{"rare stalls", []string{
			"2s", "10s", "60s", "3s+200ms", "10s+1s", "5s+10s/10", "0s+30s/25",
		}, stalls(20, s), s},
		{"heavy tail without end",
			[]string{"2s", "10s", "60s", "3s+200ms", "10s+1s", "5s+10s/10", "0s+30s/25"},
			tail(10*ms, 10*s), 100 * ms},
	} {
		for _, text := range m.controls {
			settings := mustParse(t, text)
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 3))
				c := New(settings)
				for game := range 4 {
					c.Restart()
					var worst, second time.Duration // of this game
					for n := range 25 + rng.IntN(16) {
						plan := c.Allot(paceAt(n)).Plan
						periods := c.Left().Periods
						lag := m.lag(rng)
						name := fmt.Sprintf(
							"%s, %s, seed %d: game %d, move %d of %v, which took %v more",
							m.name, text, seed, game+1, n+1, plan, lag)
						if in := c.Spend(plan + lag); !in &&
							(m.stall == 0 || lag < m.stall && plan > 0) {
							t.Fatalf("%s: the flag falls", name)
						} else if !in && lag <= second && plan > 0 {
							t.Fatalf("%s, after overruns of %v and %v: the flag falls",
								name, worst, second)
						} else if !in {
							break
						}
						if c.Left().Periods < periods && m.name != "now and then" &&
							(game > 0 || lag <= second) {
							t.Fatalf("%s, after overruns of %v and %v: a period is lost",
								name, worst, second)
						}
						worst, second = max(worst, lag), max(second, min(worst, lag))
					}
				}
			}
		}
	}
}

// A controller's clock that counts much more of one move does not change what is thought of the
// others, one that does again and again does.
func TestWayOfOneMove(t *testing.T) {
	told := 600*s + 1
	c := New(Settings{Main: told})
	c.Remote = true
	move := func(hidden time.Duration) {
		c.Spend(s)
		told -= s + hidden
		c.Correct(told, 0)
	}
	for range 20 {
		move(20 * ms)
	}
	before := c.unseen()
	if move(4 * s); c.unseen() > before+ms {
		t.Errorf("after one move that took 4 s more, each is thought to take %v, not %v",
			c.unseen(), before)
	}
	for range 8 {
		move(200 * ms)
	}
	if d := c.unseen(); d < 150*ms || d > 300*ms {
		t.Errorf("moves that take 200 ms more are thought to take %v", d)
	}
}

// What a machine does again and again is still known after a game without a move.
func TestGamesWithoutMovesForgetNothing(t *testing.T) {
	c := New(mustParse(t, "60s"))
	for range 20 {
		c.Allot(paceAt(1))
		c.Spend(c.planned + 200*ms)
	}
	c.Restart()
	known := c.lag
	if known.known <= newLag(c.settings).worst {
		t.Fatalf("%v is known of moves that overrun by 200 ms", known.known)
	}
	c.Restart()
	if c.lag != known {
		t.Errorf("a game without a move changes what is known, %+v, to %+v", known, c.lag)
	}
}
