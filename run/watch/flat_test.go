package watch

import (
	"fmt"
	"strings"
	"testing"

	"tengen/run/runtest"
)

// TestFlatScreen: the first screen of a long run is made with as many allocations as that of a
// short one.
func TestFlatScreen(t *testing.T) {
	look := func(iterations int) float64 {
		dir := runtest.MakeRun(t, runtest.Run{
			Game: "tictactoe", Iterations: 1, All: iterations, Games: 2,
		})
		var text strings.Builder
		for i := 2; i <= iterations; i++ {
			fmt.Fprintf(&text, `{"time":"2026-03-01T12:00:00Z","event":"iteration","iteration":%d,"games":%d,"plies":7,"losses":{"policy":1.25}}`+"\n",
				i, 2*i)
		}
		appendTo(t, dir.Events(), text.String())
		return testing.AllocsPerRun(1, func() {
			s, err := Open(string(dir))
			runtest.Must(t, err)
			x, err := s.Look(t.Context(), runtest.Began)
			runtest.Must(t, err)
			if x.Iteration != iterations || len(Lines(x, 100, false)) < 5 {
				t.Fatalf("iteration %d is shown, not %d", x.Iteration, iterations)
			}
		})
	}
	if short, long := look(16_000), look(64_000); short == 0 || long > 1.1*short {
		t.Errorf("%v allocations, but %v in a run of a quarter of the length", long, short)
	}
}
