package inspect

import (
	"testing"

	"tengen/replay/record"
)

func TestNetworks(t *testing.T) {
	network := func(step uint64) record.SeatRecord {
		return record.SeatRecord{Kind: record.Network, Step: step}
	}
	uct := record.SeatRecord{Kind: record.UCT}
	f := &Replay{}
	for _, seats := range [][]record.SeatRecord{
		{uct, uct}, {uct, network(20)}, {network(31), network(31)}, {network(20), uct},
	} {
		f.played(&record.Game{Seats: seats})
	}
	if f.Networks != 2 || *f.FirstStep != 20 || *f.LastStep != 31 {
		t.Errorf("all together: %+v", f)
	}
}
