package cards

import (
	"context"
	"testing"

	"tengen/game"
)

// The paper's Table 2 has 3,100, 62,400 and 238,100 leaves. In the game, whose values are whole
// numbers, fewer ties are decided by rounding, which first shows at depth 5.
func TestRealRoot(t *testing.T) {
	for _, c := range []struct {
		depth           int
		want, inTheGame int64
	}{{1, 15, 15}, {2, 180, 180}, {3, 3066, 3066}, {4, 62394, 62394}, {5, 2318133, 2317488}} {
		if n, err := countReading(context.Background(), c.depth); n != c.want || err != nil {
			t.Errorf("%d leaves at depth %d, %v; want %d", n, c.depth, err, c.want)
		}
		if n, err := countRealRoot(context.Background(), c.depth); n != c.inTheGame || err != nil {
			t.Errorf("in the game %d leaves at depth %d, %v; want %d", n, c.depth, err, c.inTheGame)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := countReading(ended, 4); err == nil {
		t.Error("a count goes on after the context has ended")
	}
}

// Merged, alike targets give the counts of the search.
func TestCountApart(t *testing.T) {
	g := game.Must(game.New(benchmark))
	x := g.(game.Abstracted).Abstraction()
	image := x.Game().NewState()
	x.Abstract(image, g.NewState())
	for depth, want := range map[int]int64{1: 10, 2: 127, 3: 4828, 4: 227941} {
		if n, err := countApart(context.Background(), x.Game(), image, depth); n != want ||
			err != nil {
			t.Errorf("%d leaves at depth %d, %v; want %d", n, depth, err, want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := countApart(ended, x.Game(), image, 4); err == nil {
		t.Error("a count goes on after the context has ended")
	}
}
