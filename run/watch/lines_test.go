package watch

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tengen/run"
	"tengen/run/history"
)

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		curve []float64
		width int
		want  string
	}{
		{nil, 5, ""},
		{[]float64{1}, 0, ""},
		{[]float64{3, 3, 3}, 5, "▁▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9, "▁▂▃▄▅▆▇██"},
		{[]float64{8, 4, 0}, 3, "█▅▁"},
		{[]float64{0, 0, 8, 8}, 2, "▁█"},
		{[]float64{0, 0, 6, 8, 8}, 2, "▁█"}, // parts of 2 and 3
		{[]float64{0, math.NaN(), 8, math.Inf(1)}, 4, "▁ █ "},
	} {
		if got := spark(c.curve, c.width); got != c.want {
			t.Errorf("%v in %d letters: %q, want %q", c.curve, c.width, got, c.want)
		}
	}
}

func full() *Snapshot {
	x := func(v float64) *float64 { return &v }
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	curve := make([]float64, 100)
	for i := range curve {
		curve[i] = float64(i)
	}
	return &Snapshot{
		Source: "runs/a-run-with-a-name-of-some-length", Time: now, Game: "go:size=5,players=3",
		Algorithm: "alphazero", State: "running",
		Holder: "process 1234 since 12:03 on box", Iteration: 5, Iterations: 20, Share: 0.25,
		Stage: "self-play", Done: 17, All: 250,
		GamesRate: x(9.125), EvaluationsRate: x(35123.4), StepsRate: x(24), RatesOf: "iteration 5",
		CacheHits: x(0.18),
		Games:     2250, Steps: 1057, Window: 1250,
		Losses: []Loss{{"policy", x(1.9), x(1.95), curve}, {"value", x(0.55), nil, curve[:2]}},
		Strength: &Strength{history.Measurement{
			Iteration: 5, Against: "uct:simulations=180,c=0.8,utility=points", Games: 50,
			Sum: 39.06, CI95: x(4.4),
			Seats: []history.SeatPoints{
				{Seat: "Black", Points: 19.36, CI95: x(2.62), Baseline: x(10.6)},
				{Seat: "White", Points: 19.7, Baseline: x(8.8)},
			},
		}, curve},
		Rating:  &Rating{run.Elo{Rating: 976.2, Low: x(720.4)}, curve},
		Elapsed: x(3725), Left: x(200000), Told: now.Add(-90 * time.Second),
		Saved: now.Add(-2 * time.Hour),
		Warnings: []Warning{
			{now.Add(-time.Minute), "the searches \x1b[2Jwere cut short"},
			{time.Time{}, "a damaged line"},
		},
	}
}

func TestLines(t *testing.T) {
	want := `runs/a-run-with-a-name-of-some-length
          go:size=5,players=3  alphazero
state     running: process 1234 since 12:03 on box
iteration 6/20  █████░░░░░░░░░░░░░░░  self-play 17/250 games
rates     9.12 games/s  35,123 evaluations/s  24.0 steps/s  18 % cache hits
          (iteration 5)
made      2,250 games  1,250 in the window  1,057 steps
policy    1.9  held out 1.95  ▁▁▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇█████
value     0.55  ▁█
points    Black 19.4 ± 2.6  White 19.7
sum       39.1 ± 4.4  ▁▁▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇█████
rating    +976 Elo (720 to ∞)  ▁▁▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇█████
measured  iteration 5  50 games a seat
          against uct:simulations=180,c=0.8,utility=points  UCT alone 10.6 / 8.8
time      1 h 02 min so far  about 2 d 7 h left  last event 1 min 30 s ago
          checkpoint 2 h 00 min ago
warnings  15:03:05 the searches \x1b[2Jwere cut short
          a damaged line`
	if got := strings.Join(Lines(full(), 80, false), "\n"); got != want {
		t.Errorf("shown is\n%s\nwant\n%s", got, want)
	}
}

// No line is longer than the terminal is wide, and none commands the terminal.
func TestWidths(t *testing.T) {
	for width := minWidth; width < 150; width++ {
		for _, x := range []*Snapshot{full(), {Source: "nothing yet", State: "running"}} {
			for _, line := range Lines(x, width, false) {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%d letters in %d columns: %s", n, width, line)
				}
				if strings.ContainsAny(line, "\x1b\n\r") {
					t.Errorf("%q", line)
				}
			}
		}
	}
	for _, line := range Lines(full(), 80, true) {
		plain := strings.NewReplacer("\x1b[2m", "", "\x1b[1m", "", "\x1b[0m", "").Replace(line)
		if utf8.RuneCountInString(plain) > 80 || strings.Contains(plain, "\x1b") {
			t.Errorf("%q", line)
		}
	}
}
