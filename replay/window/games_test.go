package window

import (
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// playGame plays a game at random, with random visits for all legal actions.
func playGame(t testing.TB, g game.Game, number uint64) *record.Game {
	t.Helper()
	rng := random.New(1, random.Test, number)
	rec := &record.Game{
		Number: number, Name: g.Name(), Scores: make([]float32, g.Players()),
		Returns: make([]float32, g.Players()),
	}
	for range g.Players() {
		rec.Seats = append(rec.Seats, record.SeatRecord{Kind: record.Network, Step: 1})
	}
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := record.Move{Mover: s.CurrentPlayer()}
		if c, ok := s.(game.Chancer); ok && m.Mover == game.Chance {
			m.Action = c.Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action, m.Choice = legal[rng.IntN(len(legal))], len(legal) > 1
			if len(legal) > 1 {
				for _, a := range legal {
					m.Visits = append(m.Visits, record.Visit{Action: a, N: 1 + rng.Uint32N(9)})
				}
			}
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	game.Scores(s, rec.Scores)
	s.Returns(rec.Returns)
	return rec
}

// For real games, records can be written to a segment and read again, and rows equal
// those computed from the game's own states, for every symmetry.
func TestRowsOfRealGames(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:rows=2,columns=3,players=2", "go:size=9,players=2", "mnk",
	} {
		g, err := game.New(name)
		if err != nil {
			t.Fatal(err)
		}
		all := []game.Symmetry{{}}
		if s, ok := g.(game.Symmetric); ok {
			all = s.Symmetries()
		}
		w, err := New(g, Config{Capacity: 5})
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEncoder(w, EncoderConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Symmetries() != len(all) {
			t.Fatalf("%s: %d symmetries, want %d", name, e.Symmetries(), len(all))
		}
		var games []*record.Game
		for number := range uint64(4) {
			games = append(games, playGame(t, g, number))
		}
		back, err := record.DecodeAll(encoded(t, games), len(games))
		if diff := recordtest.Difference(games, back); diff != "" || err != nil {
			t.Fatalf("%s: %v: %s", name, err, diff)
		}
		for _, rec := range back {
			if err := w.Add(rec); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		size, actions := g.Planes().Size(), g.Actions()
		obs, want, plain := make([]float32, size), make([]float32, size), make([]float32, size)
		policy, value := make([]float32, actions), make([]float32, g.Players())
		samples := samplesOf(w, false)
		next := 0
		for _, rec := range games {
			s := g.NewState()
			for ply, m := range rec.Moves {
				if s.CurrentPlayer() != game.Chance && len(s.LegalActions(nil)) > 1 {
					if next == len(samples) || samples[next].Game != int(rec.Number) ||
						int(samples[next].Ply) != ply {
						t.Fatalf("%s: sample %d is not game %d, ply %d",
							name, next, rec.Number, ply)
					}
					s.Observation(plain)
					var total float32
					for _, v := range m.Visits {
						total += float32(v.N)
					}
					for k := range all {
						if len(samples) > 300 && (next+k)%11 != 0 {
							// test only some pairs of a position and a symmetry in long games
							continue
						}
						var weight float32
						if err := e.Row(samples[next], k, obs, policy, &weight, value); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						copy(want, plain)
						if len(all) > 1 {
							all[k].Transform(want, plain)
						}
						if !slices.Equal(obs, want) || weight != 1 {
							t.Fatalf("%s, game %d, ply %d, symmetry %d: the observation differs",
								name, rec.Number, ply, k)
						}
						expected := make([]float32, actions)
						for _, v := range m.Visits {
							a := v.Action
							if len(all) > 1 {
								a = all[k].Actions[a]
							}
							expected[a] = float32(v.N) / total
						}
						utilities := slices.Clone(rec.Returns)
						for p, u := range rec.Returns {
							if len(all) > 1 {
								utilities[all[k].Players[p]] = u
							}
						}
						if !near(policy, expected) || !slices.Equal(value, utilities) {
							t.Fatalf("%s, game %d, ply %d, symmetry %d: policy %v, value %v; want %v, %v", name, rec.Number, ply, k, policy, value, expected, utilities)
						}
					}
					next++
				}
				s.Apply(m.Action)
			}
		}
		if next != len(samples) || next == 0 {
			t.Fatalf("%s: %d samples, %d expected", name, len(samples), next)
		}
	}
}

func threePlayerGo(b *testing.B) (game.Game, []*record.Game) {
	g, err := game.New("go:size=5,players=3")
	if err != nil {
		b.Fatal(err)
	}
	var games []*record.Game
	for number := range uint64(200) {
		games = append(games, playGame(b, g, number))
	}
	return g, games
}

func BenchmarkRowOfGo(b *testing.B) {
	g, games := threePlayerGo(b)
	w, _ := New(g, Config{Capacity: 1000})
	for _, rec := range games {
		if err := w.Add(rec); err != nil {
			b.Fatal(err)
		}
	}
	e, _ := NewEncoder(w, EncoderConfig{Support: g.Support()})
	n := w.Positions(false)
	obs, policy, value := make([]float32, g.Planes().Size()), make([]float32, g.Actions()),
		make([]float32, g.Players()*e.Outputs())
	var weight float32
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := e.Row(w.At(false, i*7919%n), i%e.Symmetries(), obs, policy, &weight,
			value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendGoRecord(b *testing.B) {
	_, games := threePlayerGo(b)
	var data []byte
	n := 0
	for i := 0; b.Loop(); i++ {
		var err error
		if data, err = record.Append(data[:0], games[i%len(games)]); err != nil {
			b.Fatal(err)
		}
		n += len(data)
	}
	b.ReportMetric(float64(n)/float64(b.N), "B/game")
}

func BenchmarkReadGoRecord(b *testing.B) {
	_, games := threePlayerGo(b)
	data := encoded(b, games)
	for b.Loop() {
		if got, _ := record.DecodeAll(data, len(games)); len(got) != len(games) {
			b.Fatal(len(got))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(games)), "µs/game")
}

// encoded returns games as records of a segment.
func encoded(t testing.TB, games []*record.Game) (data []byte) {
	t.Helper()
	for _, g := range games {
		var err error
		if data, err = record.Append(data, g); err != nil {
			t.Fatal(err)
		}
	}
	return data
}
