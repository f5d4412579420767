package plot

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	"tengen/internal/chart"
	"tengen/run"
)

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
	if err := Learning(dir.On(nil), game.Must(game.New("go:size=5,players=3"))); err != nil {
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
	if err := Learning(dir.On(nil), game.Must(game.New("go:size=5,players=3"))); err != nil {
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
