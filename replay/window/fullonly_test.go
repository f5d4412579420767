package window

import (
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"testing"
)

// TestFullOnly: without the positions of cheap searches, the samples are those of the searches in
// full and of the other seats, policy target or not.
func TestFullOnly(t *testing.T) {
	games := recordtest.PlayMany(60, 9)
	plain := newWindow(t, Config{Capacity: 40, HeldOut: 0.2, Seed: 5})
	full := newWindow(t, Config{Capacity: 40, HeldOut: 0.2, Seed: 5, FullOnly: true})
	for _, g := range games {
		for _, w := range []*Window{plain, full} {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, held := range []bool{false, true} {
		var want []Sample
		others := 0
		for _, s := range plain.Samples(held) {
			m := &s.Game.Moves[s.Ply]
			network := s.Game.Seats[m.Mover].Kind == record.Network
			if !network && len(m.Visits) == 0 {
				others++
			}
			if !network || len(m.Visits) > 0 {
				want = append(want, s)
			}
		}
		got := full.Samples(held)
		if len(got) != len(want) || len(got) == plain.Positions(held) || others == 0 {
			t.Fatalf("%d samples of %d, want %d; %d of other seats without a policy",
				len(got), plain.Positions(held), len(want), others)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("sample %d is ply %d of game %d, want ply %d of game %d",
					i, got[i].Ply, got[i].Game.Number, want[i].Ply, want[i].Game.Number)
			}
		}
	}
}
