package history

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "tengen/game/all"
	"tengen/internal/random"
)

// run makes a run's folder below dir, with so many iterations, each measured.
func newRun(t *testing.T, dir, name, config string, seats, iterations int, policy float64) string {
	t.Helper()
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	log.WriteString(`{"time":"2026-01-02T03:04:05Z","event":"start","iteration":0}` + "\n")
	for i := 1; i <= iterations; i++ {
		fmt.Fprintf(&log, `{"time":"2026-01-02T03:04:05Z","event":"iteration","iteration":%d,"games":%d,"evaluations_asked":%[2]d,"steps":5,"losses":{"total":2,"policy":%g,"value":%g},"held_out":{"policy":%g,"value":0.7},"elapsed_seconds":%d}`+"\n",
			i, 100*i, policy, 1/float64(i), policy, 60*i)
		ones := strings.TrimSuffix(strings.Repeat("1,", seats), ",")
		fmt.Fprintf(&log, `{"time":"2026-01-02T03:04:05Z","event":"evaluation","iteration":%d,"strength":{"points":[%s],"ci95":[%s],"baseline":[%s],"sum":%d,"sum_ci95":null,"games":%d,"against":"uct","rating":%d,"rating_low":null,"rating_high":null}}`+"\n",
			i, ones, ones, ones, seats, 10*seats, 10*i)
	}
	log.WriteString("half a li")
	for name, text := range map[string]string{"config.yaml": config, "events.jsonl": log.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	c, err := Compare(t.Context(), []string{
		newRun(t, dir, "a/x", "game: go:size=5,players=3\nseed: 7\n", 3, 3, 1),
		newRun(t, dir, "b/x",
			"game: go:players=3,size=5\nseed: 8\nsearch: {simulations: 9}\ntraining: {batch: 64}\n",
			3, 2, 1),
		newRun(t, dir, "two", "game: go:size=5,players=2\nalgorithm: descent\nnetwork: {policy: none, value: linear}\n", 2, 1, 0),
		newRun(t, dir, "new", "nonsense: 1\n", 3, 0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range c.Runs {
		names = append(names, r.Name)
	}
	if !slices.Equal(names, []string{"a/x", "b/x", "two", "new"}) {
		t.Errorf("names %q", names)
	}
	settings := map[string][]string{}
	for _, s := range c.Settings {
		settings[s.Key] = s.Values
	}
	for key, want := range map[string][]string{
		"seed": {"7", "8", "1", ""}, "search.simulations": {"180", "9", "180", ""},
		"algorithm": {"alphazero", "alphazero", "descent", ""},
	} {
		if !slices.Equal(settings[key], want) {
			t.Errorf("%s: %q, want %q", key, settings[key], want)
		}
	}
	if v, ok := settings["replay.games"]; ok {
		t.Errorf("replay.games, which is the same, is listed: %q", v)
	}

	first, two, none := c.Runs[0], c.Runs[2], c.Runs[3]
	if first.Iterations != 3 || first.Games != 300 || first.Seconds != 180 ||
		first.State != Broken ||
		*first.Training.Policy != 1 || first.HeldOut.Value != 0.7 || first.Rating.Rating != 30 ||
		first.Rating.Iteration != 3 {
		t.Errorf("%+v", first)
	}
	if s := first.Strength; len(s.Seats) != 3 || s.Seats[2].Seat != "Red" ||
		*s.Seats[0].CI95 != 1 || s.CI95 != nil || s.Sum != 3 {
		t.Errorf("%+v", s)
	}
	if two.Training.Policy != nil || two.Strength.Games != 20 {
		t.Errorf("%+v", two)
	}
	if none.Training != nil || none.Strength != nil || none.Rating != nil || none.Game != "" {
		t.Errorf("%+v", none)
	}

	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{
		"points and ratings are not on one scale: a/x, b/x: go:size=5,players=3, against uct; two: go:size=5,players=2, against uct",
		"losses are not on one scale: a/x, b/x: go:size=5,players=3, alphazero, value head auto; two: go:size=5,players=2, descent, value head linear",
		"new: ", // its configuration
		"a/x: events.jsonl:8 is passed over: the last line was cut short",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
}

// Each game has its panels; runs and losses are told apart; the same runs give the same picture.
func TestDraw(t *testing.T) {
	dir := t.TempDir()
	c, err := Compare(t.Context(), []string{
		newRun(t, dir, "first", "game: go:size=5,players=3\n", 3, 4, 1),
		newRun(t, dir, "second", "game: go:size=5,players=3\n", 3, 1, 2),
		newRun(t, dir, "third",
			"game: go:size=5,players=2\nalgorithm: descent\nnetwork: {policy: none}\n", 2, 3, 0),
		newRun(t, dir, "fourth", "game: go:size=5,players=2\n", 2, 0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range Axes() {
		svg, err := c.Draw(by)
		if err != nil {
			t.Fatal(err)
		}
		text := string(svg)
		for _, want := range []string{
			">first<", ">second<", ">third<", ">fourth<",
			">go:size=5,players=3, against uct: points summed over the seats<",
			">Black<", ">White<", ">Red<", ">go:size=5,players=2, against uct: rating<",
			">policy loss: go:size=5,players=3, alphazero, value head auto<",
			">value loss: go:size=5,players=2, descent, value head auto<",
			">losses on held-out games<", ">" + axisLabel(by) + "<",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the picture over %s has no %s", by, want)
			}
		}
		if strings.Contains(text, "policy loss: go:size=5,players=2") {
			t.Error("there is a panel for a head that the network has not")
		}
		if by != Hours {
			continue
		}
		if again, err := c.Draw(by); err != nil || !bytes.Equal(again, svg) {
			t.Errorf("drawn again it is another: %v", err)
		}
	}
	if c, err = Compare(t.Context(), []string{
		filepath.Join(dir, "fourth"), filepath.Join(dir, "fourth"),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Draw(Games); err == nil ||
		!strings.Contains(err.Error(), "no run has finished an iteration") {
		t.Errorf("nothing to draw: %v", err)
	}
}

// No two runs are drawn alike.
func TestStyles(t *testing.T) {
	seen := map[string]int{}
	for i := range MaxRuns {
		key := fmt.Sprint(style(i))
		if k, ok := seen[key]; ok {
			t.Errorf("run %d is drawn like run %d: %s", i, k, key)
		}
		seen[key] = i
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct{ folders, want []string }{
		{[]string{"/runs/a", "/runs/b/"}, []string{"a", "b"}},
		{[]string{"/x/a", "/y/a", "/z"}, []string{"x/a", "y/a", "z"}},
		{[]string{"/p/x/a", "/q/x/a"}, []string{"p/x/a", "q/x/a"}},
		{[]string{"/p/a", "/p/a"}, []string{"p/a", "p/a"}},
	} {
		if got := labels(c.folders); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.folders, got, c.want)
		}
	}
}

func TestNoRun(t *testing.T) {
	if _, err := Compare(t.Context(), []string{t.TempDir()}); err == nil {
		t.Error("an empty folder is compared")
	}
}

// TestSummaries: the interval is Student's.
func TestSummaries(t *testing.T) {
	f := summarize("x", []float64{1, 2, 3, 6})
	// sd = sqrt(14/3); t(0.975, 3) = 3.18245.
	if want := 3.18245 * math.Sqrt(14.0/3) / 2; f.Mean != 3 || f.CI95 == nil ||
		math.Abs(*f.CI95-want) > 1e-4 || math.Abs(*f.SD-math.Sqrt(14.0/3)) > 1e-12 {
		t.Errorf("%+v, %v", f, f.CI95)
	}
	if f := summarize("x", []float64{5}); f.Mean != 5 || f.N != 1 || f.CI95 != nil {
		t.Errorf("%+v", f)
	}
}

// A long curve is thinned to means of its parts, and the last evaluation.
func TestThin(t *testing.T) {
	rng := random.New(7, random.Test)
	for _, n := range []int{2, 3, 7, 40} {
		for k := range 100 {
			evaluations := k%2 == 0
			curve := make([]Point, 1+rng.IntN(100))
			for i := range curve {
				curve[i] = Point{float64(i), rng.NormFloat64(), math.NaN(), math.Inf(1)}
			}
			got := Thin(curve, n, evaluations)
			if len(got) != min(n, len(curve)) ||
				evaluations && got[len(got)-1].Y != curve[len(curve)-1].Y {
				t.Fatalf("%d points become %d, the last %v", len(curve), len(got), got)
			}
			next := 0
			for i, p := range got {
				from, to := Part(i, n, len(curve), evaluations)
				y := 0.0
				for _, q := range curve[from:to] {
					y += q.Y / float64(to-from)
				}
				if from != next || to <= from || math.Abs(p.Y-y) > 1e-12 ||
					math.Abs(p.X-float64(from+to-1)/2) > 1e-9 ||
					!math.IsNaN(p.Low) && len(curve) > n || !math.IsInf(p.High, 1) {
					t.Fatalf("%d points, part %d from %d to %d: %v, want %v",
						len(curve), i, from, to, p, y)
				}
				next = to
			}
			if next != len(curve) {
				t.Fatalf("%d of %d points are covered", next, len(curve))
			}
		}
	}
}

// A picture of long runs has no more points than one of shorter ones.
func TestPictureOfLongRuns(t *testing.T) {
	var sizes []int
	for _, iterations := range []int{500, 5000, 20_000} {
		dir := write(t, config)
		log := madeLog(t, random.New(8, random.Test), iterations, false)
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), log, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Compare(t.Context(), []string{dir, dir})
		if err != nil {
			t.Fatal(err)
		}
		svg, err := c.Draw(Games)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(svg))
	}
	if sizes[2] > sizes[1]*11/10 || sizes[1] > 10*sizes[0] || sizes[2] > 1<<20 {
		t.Errorf("pictures of %v bytes", sizes)
	}
}
