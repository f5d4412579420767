package window

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// anyMoves draws the moves of a game with chance, forced moves and UCT's seat. They obey no rules.
func anyMoves(rng *rand.Rand) *record.Game {
	g := &record.Game{
		Name: "any", Seats: []record.SeatRecord{
			{Kind: record.Network, Step: 1}, {Kind: record.UCT}, {Kind: record.Network, Step: 1},
		}, Scores: make([]float32, 3),
	}
	vector := func() []float32 { return []float32{rng.Float32(), rng.Float32(), rng.Float32()} }
	for range 1 + rng.IntN(12) {
		m := record.Move{Mover: game.Player(rng.IntN(3))}
		switch rng.IntN(5) {
		case 0, 1:
			m.Mover = game.Chance
		case 2: // forced
		default:
			m.Value = vector()
		}
		g.Moves = append(g.Moves, m)
	}
	g.Returns = vector()
	return g
}

// slowReturn is the λ-return of a player from a ply on, by its definition.
func slowReturn(g *record.Game, ply, p int, lambda float64) float64 {
	sum, k := 0.0, 0
	for _, m := range g.Moves[ply:] {
		if len(m.Value) > 0 && g.Seats[m.Mover].Kind == record.Network {
			sum += (1 - lambda) * math.Pow(lambda, float64(k)) * float64(m.Value[p])
			k++
		}
	}
	return sum + math.Pow(lambda, float64(k))*float64(g.Returns[p])
}

func TestReturns(t *testing.T) {
	rng := random.New(1, random.Test)
	for range 5000 {
		g := anyMoves(rng)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		bootstrap := []float64{0, 0.1, 0.5, 1}[rng.IntN(4)]
		r, p := newReturns(3, bootstrap), opened(t, g)
		for ply := range g.Moves {
			r.compute(p, ply)
			for p := range 3 {
				got := r.searched[p] + r.left*float64(g.Returns[p])
				want := slowReturn(g, ply, p, 1-bootstrap)
				if math.Abs(got-want) > 1e-12 {
					t.Fatalf("λ %v, ply %d, player %d: %v, want %v\n%+v",
						1-bootstrap, ply, p, got, want, g)
				}
			}
		}
	}
}

// TestReturnsByHand: with λ of ½ each search counts half as much as the one before it.
func TestReturnsByHand(t *testing.T) {
	g := &record.Game{
		Name: "any", Scores: make([]float32, 2),
		Seats: []record.SeatRecord{
			{Kind: record.Network, Step: 1}, {Kind: record.Network, Step: 1},
		}, Returns: []float32{1, 0},
		Moves: []record.Move{
			{Mover: 0, Value: []float32{0.4, 0.6}},
			{Mover: game.Chance, Action: 1},
			{Mover: 0}, // forced
			{Mover: 1, Value: []float32{0.9, 0.1}},
		},
	}
	for _, test := range []struct{ bootstrap, want float64 }{
		{0, 1},
		{0.5, 0.5*0.4 + 0.25*0.9 + 0.25*1},
		{1, 0.4},
	} {
		r := newReturns(2, test.bootstrap)
		r.compute(opened(t, g), 0)
		if got := r.searched[0] + r.left; math.Abs(got-test.want) > 1e-7 {
			t.Errorf("λ %v: %v, want %v", 1-test.bootstrap, got, test.want)
		}
	}
}

// TestReturnRows: rows learn the λ-return mixed with the ply's own value.
func TestReturnRows(t *testing.T) {
	const bootstrap, mix = 0.2, 0.25
	support := recordtest.Pairs{}.Support()
	changed := 0
	games := recordtest.PlayMany(30, 7)
	w := unchecked(t, recordtest.Pairs{}, Config{}, games...)
	e := newEncoder(t, w, EncoderConfig{Support: support, Mix: mix, Bootstrap: bootstrap})
	linear := newEncoder(t, w, EncoderConfig{Mix: mix, Bootstrap: bootstrap})
	for _, rec := range games {
		for _, s := range naiveSamples([]*record.Game{rec}) {
			var got, scalar row
			if err := got.encode(e, s, 0); err != nil {
				t.Fatal(err)
			}
			if err := scalar.encode(linear, s, 0); err != nil {
				t.Fatal(err)
			}
			for p := range 2 {
				want := slowReturn(rec, int(s.Ply), p, 1-bootstrap)
				if v := rec.Moves[s.Ply].Value; len(v) > 0 {
					want = (1-mix)*want + mix*float64(v[p])
				}
				if math.Abs(want-float64(rec.Returns[p])) > 0.01 {
					changed++
				}
				mean, mass := 0.0, 0.0
				for i, x := range got.value[p*len(support):][:len(support)] {
					mean += float64(x) * float64(support[i])
					mass += float64(x)
				}
				if math.Abs(mean-want) > 1e-5 || math.Abs(mass-1) > 1e-5 ||
					math.Abs(float64(scalar.value[p])-want) > 1e-6 {
					t.Fatalf("game %d, ply %d, player %d: mean %v of mass %v, linear %v, want %v",
						rec.Number, s.Ply, p, mean, mass, scalar.value[p], want)
				}
			}
		}
	}
	if changed == 0 {
		t.Fatal("no target differs from the result")
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := NewEncoder(w, EncoderConfig{Bootstrap: bad}); err == nil {
			t.Errorf("a bootstrap of %v is accepted", bad)
		}
	}
}

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
		for _, s := range samplesOf(plain, held) {
			g := recordOf(plain, s)
			m := &g.Moves[s.Ply]
			network := g.Seats[m.Mover].Kind == record.Network
			if !network && len(m.Visits) == 0 {
				others++
			}
			if !network || len(m.Visits) > 0 {
				want = append(want, s)
			}
		}
		got := samplesOf(full, held)
		if len(got) != len(want) || len(got) == plain.Positions(held) || others == 0 {
			t.Fatalf("%d samples of %d, want %d; %d of other seats without a policy",
				len(got), plain.Positions(held), len(want), others)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("sample %d is ply %d of game %d, want ply %d of game %d",
					i, got[i].Ply, got[i].Game, want[i].Ply, want[i].Game)
			}
		}
	}
}
