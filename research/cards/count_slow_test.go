//go:build slow

package cards

import (
	"context"
	"testing"

	"tengen/game"
)

// The readings of Table 3 with a draw in every turn, to depth 3.
func TestReadings(t *testing.T) {
	for i, want := range []int64{263607691, 263833654} {
		if n, err := countLeaves(context.Background(), game.Must(game.New(readings[i].Game)),
			3); n != want || err != nil {
			t.Errorf("%s: %d leaves, %v; want %d", readings[i].Name, n, err, want)
		}
	}
}
