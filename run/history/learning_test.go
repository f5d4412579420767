package history

import (
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/goban"
	"tengen/internal/chart"
	"tengen/nn"
	"tengen/run"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// draw draws a run of 5x5 Go.
func draw(f run.Files) error {
	return (&Learning{Files: f, Game: game.Must(game.New("go:size=5,players=3"))}).Draw()
}

// TestPlotRating: where networks were rated, the picture has a panel of ratings,
// the last estimate's where there is one, with bounds or without.
func TestPlotRating(t *testing.T) {
	dir := run.Folder(t.TempDir())
	if err := os.Mkdir(filepath.Join(string(dir), "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	history := `{"event":"evaluation","iteration":0,"strength":{"points":[1,2,3],"ci95":[1,null,1],"baseline":[11,8,6],"rating":-700,"rating_low":null,"rating_high":-500}}
{"event":"iteration","iteration":1,"games":100,"losses":{"policy":2,"value":1},"held_out":null}
{"event":"iteration","iteration":2,"games":200,"losses":{"policy":2,"value":1},"held_out":null}
{"event":"evaluation","iteration":1,"strength":{"points":[12,9,8],"ci95":[2,2,2],"baseline":[11,8,6],"rating":30,"rating_low":-10,"rating_high":80}}
`
	if err := os.WriteFile(dir.Events(), []byte(history), 0o644); err != nil {
		t.Fatal(err)
	}
	bound := 75.0
	if err := dir.On(nil).WriteJSON(dir.Ratings(), &run.Ratings{
		Networks: []run.NetworkRating{
			{Iteration: 1, Elo: run.Elo{Rating: 40, High: &bound}}, {Iteration: 9},
		},
	}); err != nil {
		t.Fatal(err)
	}
	events, err := readOutline(dir.On(nil))
	if err != nil {
		t.Fatal(err)
	}
	list, err := readRatings(dir.On(nil), events)
	if err != nil || len(list) != 2 || list[0].games != 0 || list[0].Rating != -700 ||
		list[1].games != 100 || list[1].Rating != 40 {
		t.Fatalf("%v: %+v", err, list)
	}
	if least, greatest := ratingRange(list); least > -750 || greatest < 100 ||
		math.IsInf(least, 0) || math.IsInf(greatest, 0) {
		t.Errorf("the panel goes from %g to %g", least, greatest)
	}
	if err := draw(dir.On(nil)); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(dir.Picture())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{
		"rating over time", "Elo, 95 % band", "UCT in all seats", "policy",
	} {
		if !strings.Contains(string(svg), word) {
			t.Errorf("the picture does not say %q", word)
		}
	}
}

// TestPlot: the picture of a history shows each seat, the losses and UCT, in its color;
// lines that a crash cut short do no harm.
func TestPlot(t *testing.T) {
	dir := run.Folder(t.TempDir())
	if err := os.Mkdir(filepath.Join(string(dir), "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	history := `{"event":"start","iteration":0}
{"event":"evaluation","iteration":0,"strength":{"points":[1,2,3],"ci95":[1,1,1],"baseline":[11,8,6]}}
{"event":"iteration","iteration":1,"games":100,"losses":{"policy":2,"value":1},"held_out":{"policy":2.1,"value":1.1}}
{"event":"evaluation","iteration":1,"strength":{"points":[12,9,8],"ci95":[2,2,2],"baseline":[11,8,6]}}
{"event":"iteration","itera`
	if err := os.WriteFile(dir.Events(), []byte(history), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := draw(dir.On(nil)); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(dir.Picture())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{
		"Black", "White", "Red", "UCT in all seats", "policy, held out", "value",
		"games played", "95 %",
	} {
		if !strings.Contains(string(svg), word) {
			t.Errorf("the picture does not say %q", word)
		}
	}
	for seat, ink := range chart.Colors[:3] {
		if !strings.Contains(string(svg), `" stroke="`+ink+`"`) {
			t.Errorf("no line in the color of seat %d", seat)
		}
	}
}

// A long run is drawn from evenly spaced events, its first and last among them, with
// the games behind each; a short one from all.
func TestOutline(t *testing.T) {
	for _, iterations := range []int{
		1, 7, maxDrawn, maxDrawn + 1, 2*maxDrawn + 3, 9*maxDrawn + 17,
	} {
		fsys := vfstest.NewMemory()
		files := run.Folder("run").On(fsys)
		var log strings.Builder
		for i := 1; i <= iterations; i++ {
			fmt.Fprintf(&log,
				`{"event":"iteration","iteration":%d,"games":%d,"losses":{"value":1}}`+"\n", i, 3*i)
			fmt.Fprintf(&log,
				`{"event":"evaluation","iteration":%d,"strength":{"points":[1]}}`+"\n", i)
		}
		if err := fsys.Mkdir("run", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteBytes(fsys, files.Events(), []byte(log.String())); err != nil {
			t.Fatal(err)
		}
		o, err := readOutline(files)
		if err != nil {
			t.Fatal(err)
		}
		var learned, measured []int
		for _, e := range o.events() {
			if e.Progress != nil {
				learned = append(learned, e.Iteration)
			} else {
				measured = append(measured, e.Iteration)
			}
			if games, ok := o.gamesAt(e.Iteration); !ok || games != float64(3*e.Iteration) {
				t.Fatalf("%d iterations: %v games (%v) at %d", iterations, games, ok, e.Iteration)
			}
		}
		for _, list := range [][]int{learned, measured} {
			n := len(list)
			if n > maxDrawn+1 || n < min(iterations, maxDrawn/2) || list[0] != 1 ||
				list[n-1] != iterations {
				t.Fatalf("%d iterations: %d drawn, from %d to %d",
					iterations, n, list[0], list[n-1])
			}
			for i := 2; i < n-1; i++ {
				if list[i]-list[i-1] != list[1]-list[0] {
					t.Fatalf("%d iterations: uneven at %d", iterations, list[i])
				}
			}
		}
	}
}

// TestPlaces: of a run that was resumed before an iteration that it had made, the later numbers of
// games count, and an absurd number in a damaged line does no harm to those after it.
func TestPlaces(t *testing.T) {
	o := newOutline()
	made := func(iteration, games int) {
		o.add(run.Event{Iteration: iteration, Progress: &run.Progress{Games: games}})
	}
	for i := range 10 {
		made(i+1, 100*(i+1))
	}
	made(900_000_000_000, 3)
	for i := 5; i < 8; i++ {
		made(i, 90*i)
	}
	for i, want := range []float64{0, 100, 200, 300, 400, 450, 540, 630} {
		if games, ok := o.gamesAt(i); !ok || games != want {
			t.Errorf("iteration %d: %v games (%v), want %v", i, games, ok, want)
		}
	}
	for _, i := range []int{-1, 8, 900_000_000_000} {
		if games, ok := o.gamesAt(i); ok {
			t.Errorf("iteration %d: %v games", i, games)
		}
	}
}

// TestLearningGoesOn: a picture whose events were told one by one is that of the log, and neither
// what is kept nor what is drawn grows with the run.
func TestLearningGoesOn(t *testing.T) {
	fsys := vfstest.NewMemory()
	files := run.Folder("run").On(fsys)
	for _, dir := range []string{"run", "run/eval"} {
		if err := fsys.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	log, err := files.OpenEvents(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	l := &Learning{Files: files, Game: game.Must(game.New("go:size=5,players=3"))}
	picture := func(l *Learning) string {
		t.Helper()
		if err := l.Draw(); err != nil {
			t.Fatal(err)
		}
		text, err := vfs.ReadFile(fsys, files.Picture())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var sizes []int
	games := 0
	for i := 1; i <= 20_000; i++ {
		games += 1 + rng.IntN(9)
		list := []run.Event{{
			Kind: run.EventIteration, Iteration: i, Progress: &run.Progress{
				Games: games, Losses: nn.Losses{Value: rng.Float64(), Policy: 1},
			},
		}}
		if i%10 == 3 {
			list = append(list, run.Event{
				Kind: run.EventEvaluation, Iteration: i - 2, Strength: &run.Strength{
					Points: []float64{1, 2, rng.Float64()}, CI: []run.Width{1, 1, 1},
					Elo: &run.Elo{Rating: 100 * rng.Float64()},
				},
			})
		}
		for _, e := range list {
			if _, err := log.Write(e); err != nil {
				t.Fatal(err)
			}
			l.Add(e)
		}
		if i == 50 || i == 5_000 || i == 20_000 {
			got, want := picture(l), picture(&Learning{Files: files, Game: l.Game})
			if got != want {
				t.Errorf("iteration %d: the picture differs from that of the log", i)
			}
			sizes = append(sizes, len(got))
		}
	}
	if sizes[2] > 3*sizes[1]/2 {
		t.Errorf("the pictures have %v bytes", sizes)
	}
	if err := fsys.RemoveAll(files.Events()); err != nil {
		t.Fatal(err)
	}
	if err := l.Draw(); err != nil {
		t.Errorf("the log is read again: %v", err)
	}
	o := l.history
	if n := len(o.iterations.kept) + len(o.evaluations.kept); n > 2*maxDrawn {
		t.Errorf("%d events are kept", n)
	}
	if n := len(o.places.kept); n > maxPlaces {
		t.Errorf("%d places are kept", n)
	}
}

// FuzzLearning draws event logs of any content.
func FuzzLearning(f *testing.F) {
	f.Add([]byte(`{"event":"evaluation","iteration":0,"strength":{"points":[1,2],"ci95":[1,null],"baseline":[11,8],"rating":-700,"rating_low":null,"rating_high":-500}}
{"event":"iteration","iteration":1,"games":100,"losses":{"policy":2,"value":1},"held_out":{"value":1}}`))
	g := game.Must(game.New("go:size=3,players=2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := vfstest.NewMemory()
		files := run.Folder("run").On(fsys)
		if err := fsys.Mkdir("run", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteBytes(fsys, files.Events(), data); err != nil {
			t.Fatal(err)
		}
		drawn, err := readOutline(files)
		if err != nil {
			t.Fatal(err)
		}
		list, err := readRatings(files, drawn)
		if err != nil {
			t.Fatal(err)
		}
		if svg := learning(drawn, list, g); xml.Unmarshal(svg, new(struct{})) != nil {
			t.Errorf("no SVG: %s", svg)
		}
	})
}

// TestBandsEndAtZero: the band of points does not reach below 0, but for games in which they are
// lost.
func TestBandsEndAtZero(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2"))
	for _, c := range []struct{ least, want float64 }{{0.1, 0}, {-0.1, -0.4}} {
		drawn := newOutline()
		for i := range 2 {
			drawn.add(run.Event{
				Kind: "evaluation", Iteration: i, Strength: &run.Strength{
					Points: []float64{c.least, 0.5}, CI: []run.Width{0.3, 0.3},
				},
			})
		}
		p := chart.New("")
		plotStrength(p, drawn, g)
		if math.Abs(p.Y.Min-c.want) > 1e-9 {
			t.Errorf("points of %g ± 0.3 are drawn down to %g, want %g", c.least, p.Y.Min, c.want)
		}
	}
}

// A run of which only the first network was measured, and has won nothing, has axes from 0 on.
func TestOnePoint(t *testing.T) {
	dir := run.Folder(t.TempDir())
	if err := os.Mkdir(filepath.Join(string(dir), "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Events(), []byte(`{"event":"evaluation","iteration":0,"strength":{"points":[0,0,0],"ci95":[0,0,null],"baseline":[0,0,0]}}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := draw(dir.On(nil)); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(dir.Picture())
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range regexp.MustCompile(">([^<>]*)</text>").
		FindAllStringSubmatch(string(svg), -1) {
		if strings.HasPrefix(label[1], "-") {
			t.Errorf("an axis has the label %s", label[1])
		}
	}
	if !strings.Contains(string(svg), "Black") {
		t.Error("the seats have no curves")
	}
}
