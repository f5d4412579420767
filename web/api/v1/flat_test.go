package v1

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tengen/run/runtest"
)

// TestFlatPage: what the page asks for first is as long in a long run as in a short one, and is
// made with as many allocations.
func TestFlatPage(t *testing.T) {
	paths := []string{"/api/v1/run", "/api/v1/history", "/api/v1/games", "/api/v1/log"}
	load := func(iterations int) (length, allocations float64) {
		dir := runtest.MakeRun(t, runtest.Run{
			Game: "tictactoe", Iterations: 1, All: iterations, Games: 2,
		})
		var text strings.Builder
		for i := 2; i <= iterations; i++ {
			fmt.Fprintf(&text, `{"time":"2026-03-01T12:00:00Z","event":"iteration","iteration":%d,"games":%d,"plies":7,"losses":{"policy":1.25}}`+"\n",
				i, 2*i)
		}
		f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
		runtest.Must(t, err)
		_, err = f.WriteString(text.String())
		runtest.Must(t, err)
		runtest.Must(t, f.Close())
		first := func() {
			length = 0
			handler := newAPI(t, Options{Folder: string(dir)}).Handler()
			for _, path := range paths {
				w := runtest.Request(handler, "GET", path, "")
				if w.Code != 200 {
					t.Fatalf("%s: %d %s", path, w.Code, w.Body)
				}
				length += float64(w.Body.Len())
			}
		}
		allocations = testing.AllocsPerRun(1, first)
		return length, allocations
	}
	length, allocations := load(16_000)
	longer, more := load(64_000)
	if length < 1000 || longer > 1.1*length {
		t.Errorf("%v bytes, but %v in a run of a quarter of the length", longer, length)
	}
	if more > 1.1*allocations {
		t.Errorf("%v allocations, but %v in a run of a quarter of the length", more, allocations)
	}
}
