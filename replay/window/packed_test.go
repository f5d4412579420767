package window

import (
	"fmt"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// A game that was checked before gives the same samples and rows as one that the window checks, for
// all kinds of games and windows.
func TestAddChecked(t *testing.T) {
	games := []game.Game{recordtest.Pairs{}}
	for _, name := range []string{
		"go:size=5,players=3", "mnk", "turtle:players=3", "tcg", "backgammon:checkers=3", "kuhn",
		"connect-four", "leduc",
	} {
		games = append(games, game.Must(game.New(name)))
	}
	configs := []Config{
		{}, {HeldOut: 0.3}, {Trees: true}, {FullOnly: true}, {Afterstates: true},
		{Auxiliary: true, Trees: true},
	}
	for _, g := range games {
		_, chance := g.NewState().(game.Chancer)
		rng := random.New(11, random.Test)
		var recs []*record.Game
		for number := range uint64(8) {
			rec := playGame(t, g, number)
			rec.Seats[rng.IntN(g.Players())] = record.SeatRecord{Kind: record.UCT}
			for i := range rec.Moves {
				m := &rec.Moves[i]
				switch n := len(m.Visits); {
				case n == 0:
				case rng.IntN(3) == 0:
					m.Visits = nil
				case rng.IntN(2) == 0:
					m.Policy = make([]uint16, n)
					for k := range m.Policy {
						m.Policy[k] = uint16(rng.UintN(1 << 16))
					}
					m.Policy[rng.IntN(n)] = record.MaxWeight
				}
				if m.Choice && rng.IntN(2) == 0 {
					for range g.Players() {
						m.Value = append(m.Value, rng.Float32())
					}
				}
			}
			if number%2 == 0 && !chance && g.Planes().Size() < 1000 {
				recordtest.GrowTrees(g, rec, 3, rng)
			}
			recs = append(recs, rec)
		}
		for _, config := range configs {
			if config.Afterstates && !game.ObservesAfterstates(g) {
				continue
			}
			config.Capacity = 5 // drops some
			checked, err := New(g, config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(checked.Close)
			trusted, err := New(g, config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(trusted.Close)
			for _, rec := range recs {
				if err := checked.Add(rec); err != nil {
					t.Fatal(err)
				}
				if err := trusted.AddChecked(opened(t, rec)); err != nil {
					t.Fatal(err)
				}
			}
			a, b := encoderOf(t, checked), encoderOf(t, trusted)
			for i := range checked.Len() {
				recordtest.Same(t, checked.Game(i), recs[3+i])
				recordtest.Same(t, trusted.Game(i), recs[3+i])
			}
			for _, held := range []bool{false, true} {
				samples := samplesOf(checked, held)
				if !slices.Equal(samples, samplesOf(trusted, held)) ||
					checked.Added(held) != trusted.Added(held) {
					t.Fatalf("%s, %+v: other samples", g.Name(), config)
				}
				for _, s := range samples {
					if x, y := rowText(t, a, s), rowText(t, b, s); x != y {
						t.Fatalf("%s, %+v, sample %+v: %s\nwant %s", g.Name(), config, s, y, x)
					}
				}
			}
		}
	}
}

func rowText(t *testing.T, e *Encoder, s Sample) string {
	t.Helper()
	g := e.replay.Game
	obs, policy := make([]float32, g.Planes().Size()), make([]float32, g.Actions())
	value, weight, known := make([]float32, g.Players()), float32(0), float32(0)
	if err := e.Row(s, 0, obs, policy, &weight, value); err != nil {
		t.Fatal(err)
	}
	cells, seats := make([]int8, len(e.cells)), make([]float32, len(e.seats))
	if err := e.Auxiliary(s, 0, cells, seats, &known); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(obs, policy, weight, value, cells, seats, known)
}

// Games of another name, with other seats, or out of order are refused.
func TestAddCheckedRefuses(t *testing.T) {
	w := unchecked(t, recordtest.Pairs{}, Config{}, recordtest.HandRecord())
	if err := w.AddChecked(opened(t, recordtest.HandRecord())); err == nil {
		t.Error("a game enters twice")
	}
	other := recordtest.HandRecord()
	other.Number, other.Name = 301, "go:size=5"
	if err := w.AddChecked(opened(t, other)); err == nil {
		t.Error("a game of another name enters")
	}
	if w.Len() != 1 {
		t.Errorf("%d games", w.Len())
	}
}

// Memory is freed with the games in it, and pieces stay what they are until then.
func TestStore(t *testing.T) {
	rng := random.New(12, random.Test)
	var s store
	t.Cleanup(s.close)
	type kept struct {
		place place
		seed  byte
		size  int
	}
	var list []kept
	for i := range 400 {
		n := 1 + rng.IntN(slabSize/10)
		if i%50 == 7 {
			n = slabSize + rng.IntN(1000)
		}
		piece := slices.Repeat([]byte{byte(i)}, n)
		list = append(list, kept{s.add(piece), byte(i), n})
		for len(list) > 30 {
			s.drop(list[0].place)
			list = list[1:]
		}
		if k := list[rng.IntN(len(list))]; !slices.Equal(s.at(k.place),
			slices.Repeat([]byte{k.seed}, k.size)) {
			t.Fatalf("piece %d is not what it was", k.seed)
		}
		if len(s.slabs) > 12 {
			t.Fatalf("%d slabs for %d pieces", len(s.slabs), len(list))
		}
	}
	for _, k := range list {
		s.drop(k.place)
	}
	if len(s.slabs) > 0 {
		t.Errorf("%d slabs are left", len(s.slabs))
	}
}
