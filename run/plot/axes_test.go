package plot

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"tengen/game"
	"tengen/run"
)

// No label stands twice on an axis, however narrow its range.
func TestTicksDiffer(t *testing.T) {
	for _, r := range [][2]float64{{0, 1}, {0, 12e6}, {1e6, 1e6 + 3}, {0.123456, 0.1234565}, {-1e-9, 1e-9}, {1e15, 1e15 + 8}} {
		seen := map[string]bool{}
		for _, tick := range (Ticks{}).Ticks(r[0], r[1]) {
			if tick.Label != "" && seen[tick.Label] {
				t.Errorf("from %g to %g: %s stands twice", r[0], r[1], tick.Label)
			}
			seen[tick.Label] = true
		}
		if len(seen) < 3 {
			t.Errorf("from %g to %g: %d labels", r[0], r[1], len(seen))
		}
	}
}

// Neighbouring intervals are an area, one that stands alone is a line, and one without a bound a gap.
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	low := plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 1}, {X: 2, Y: -inf}, {X: 3, Y: 2}, {X: 4, Y: math.NaN()}, {X: 5, Y: 1}, {X: 6, Y: 1}, {X: 7, Y: 1}}
	high := plotter.XYs{{X: 0, Y: 2}, {X: 1, Y: 2}, {X: 2, Y: 3}, {X: 3, Y: 3}, {X: 4, Y: math.NaN()}, {X: 5, Y: 2}, {X: 6, Y: 2}, {X: 7, Y: inf}}
	list, err := Intervals(low, high, SeatColors[0])
	if err != nil || len(list) != 3 {
		t.Fatalf("%d areas and lines, %v", len(list), err)
	}
	area, _ := list[0].(*plotter.Polygon)
	line, _ := list[1].(*plotter.Line)
	last, _ := list[2].(*plotter.Polygon)
	if area == nil || line == nil || last == nil || line.XYs[0] != low[3] || line.XYs[1] != high[3] {
		t.Errorf("%+v", list)
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
	if err := Learning(dir.On(nil), game.Must(game.New("go:size=5,players=3"))); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(dir.Picture(".svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range regexp.MustCompile(">([^<>]*)</text>").FindAllStringSubmatch(string(svg), -1) {
		if strings.HasPrefix(label[1], "-") {
			t.Errorf("an axis has the label %s", label[1])
		}
	}
	if !strings.Contains(string(svg), "Black") {
		t.Error("the seats have no curves")
	}
}
