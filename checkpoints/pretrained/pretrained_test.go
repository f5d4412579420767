package pretrained_test

import (
	"os"
	"testing"

	"tengen/checkpoints/pretrained"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/search/nneval"
)

// Each network fits its game and its configuration, and is small enough to embed.
func TestNetworks(t *testing.T) {
	for _, n := range pretrained.Networks {
		m, err := n.Model()
		if err != nil {
			t.Fatal(err)
		}
		c, err := n.Config()
		if err != nil {
			t.Fatal(err)
		}
		g, err := game.New(n.Game)
		if err != nil {
			t.Fatal(err)
		}
		if m.Game != g.Name() || n.Game != g.Name() {
			t.Errorf("%s: for %q, trained on %q", n.Name, n.Game, m.Game)
		}
		if err := nneval.Fits(g, m.Params.Spec); err != nil {
			t.Errorf("%s: %v", n.Name, err)
		}
		if s := m.Params.Spec; s.Blocks != c.Network.Blocks || s.Filters != c.Network.Filters ||
			m.Iteration != c.Training.Iterations {
			t.Errorf("%s: %d blocks × %d filters after %d iterations; its configuration says %d × %d, %d",
				n.Name, s.Blocks, s.Filters, m.Iteration, c.Network.Blocks, c.Network.Filters,
				c.Training.Iterations)
		}
		info, err := os.Stat(n.Name + ".safetensors")
		if err != nil || info.Size() > 3_000_000 {
			t.Errorf("%s: %v, %d bytes", n.Name, err, info.Size())
		}
		if found, ok := pretrained.Find(n.Name); !ok || found != n {
			t.Errorf("%s is not found", n.Name)
		}
	}
	if _, ok := pretrained.For("go:size=19,players=4"); ok {
		t.Error("found a network for a game without one")
	}
}
