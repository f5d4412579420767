package inspect

import (
	"testing"

	"tengen/replay"
)

func TestNetworks(t *testing.T) {
	network := func(step uint64) replay.SeatRecord {
		return replay.SeatRecord{Kind: replay.Network, Step: step}
	}
	uct := replay.SeatRecord{Kind: replay.UCT}
	f := &Replay{}
	for _, seats := range [][]replay.SeatRecord{
		{uct, uct}, {uct, network(20)}, {network(31), network(31)}, {network(20), uct},
	} {
		f.played(&replay.Game{Seats: seats})
	}
	if f.Networks != 2 || *f.FirstStep != 20 || *f.LastStep != 31 {
		t.Errorf("all together: %+v", f)
	}
}
