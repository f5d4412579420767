package player

import (
	"os"
	"path/filepath"
	"testing"

	"tengen/game"
	"tengen/nn"
)

// TestWrappersHaveTheAbilitiesWithin: a wrapper has the abilities of the inner player: drawing,
// a time limit, a network and damaged checkpoints.
func TestWrappersHaveTheAbilitiesWithin(t *testing.T) {
	g := game.Must(game.New(cards))
	whole, image := newRun(t, g), newRun(t, g.(game.Abstracted).Abstraction().Game())
	for _, dir := range []string{whole, image} {
		damaged := filepath.Join(dir, "checkpoints", "000009")
		if err := os.MkdirAll(damaged, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(damaged, "meta.json"), []byte("{"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		game, text           string
		damaged              int
		draws, timed, loaded bool
	}{
		{cards, "az:" + image + ",simulations=2,temperature=1,plies=3,rm=true",
			1, true, false, true},
		{cards, "az:" + whole + ",simulations=2,rm=clusters", 1, false, false, true},
		{cards, "uct:simulations=2,rm=true", 0, true, false, false},
		{"turtle:players=3", "uct:simulations=2,open=true", 0, true, false, false},
		{"turtle:players=3", "uct:time=1s,open=true", 0, true, true, false},
		{"turtle:players=3", "alphabeta:depth=1,open=true", 0, false, false, false},
	} {
		p := parsed(t, game.Must(game.New(c.game)), c.text)
		loaded := 0
		if err := On(p, func(p *nn.Params) (nn.Network, error) {
			loaded++
			return nn.Fold(p), nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := len(PassedOver(p)); n != c.damaged || Draws(p) != c.draws ||
			IsTimed(p) != c.timed || (loaded == 1) != c.loaded {
			t.Errorf("%s: %d damaged checkpoints, draws %v, timed %v, %d networks loaded; want %+v",
				p.Name(), n, Draws(p), IsTimed(p), loaded, c)
		}
	}
}
