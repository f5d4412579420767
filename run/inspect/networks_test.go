package inspect

import (
	"slices"
	"testing"

	"tengen/replay"
)

func TestNetworks(t *testing.T) {
	network := replay.SeatRecord{Kind: replay.Network, Step: 20}
	uct := replay.SeatRecord{Kind: replay.UCT}
	changes := []replay.Refresh{{Ply: 4, Step: 25}, {Ply: 9, Step: 31}}
	f := &Replay{}
	for _, c := range []struct {
		game replay.Game
		want []Network
	}{
		{replay.Game{Seats: []replay.SeatRecord{uct, uct}}, nil},
		{replay.Game{Seats: []replay.SeatRecord{uct, network}}, []Network{{20, 1}}},
		{replay.Game{Seats: []replay.SeatRecord{network, network}, Prefix: 3, Refreshes: changes}, []Network{{20, 4}, {25, 5}, {31, 10}}},
	} {
		if got := networks(&c.game); !slices.Equal(got, c.want) {
			t.Errorf("networks %v, want %v", got, c.want)
		}
		for _, n := range c.want[:min(1, len(c.want))] {
			if got := c.game.Step(n.From - 1); got != n.Step {
				t.Errorf("action %d is decided by the network of step %d, want %d", n.From, got, n.Step)
			}
		}
		f.played(&c.game)
	}
	if f.Networks != 3 || *f.FirstStep != 20 || *f.LastStep != 31 || f.Refreshed != 1 {
		t.Errorf("all together: %+v", f)
	}
}
