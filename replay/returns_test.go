package replay

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
)

// anyMoves draws the moves of a game with chance, forced moves and UCT's seat. They obey no rules.
func anyMoves(rng *rand.Rand) *Game {
	g := &Game{Name: "any", Seats: []SeatRecord{{Kind: Network, Step: 1}, {Kind: UCT}, {Kind: Network, Step: 1}}, Scores: make([]float32, 3)}
	vector := func() []float32 { return []float32{rng.Float32(), rng.Float32(), rng.Float32()} }
	for range 1 + rng.IntN(12) {
		m := Move{Mover: game.Player(rng.IntN(3))}
		switch rng.IntN(5) {
		case 0, 1:
			m.Mover = game.Chance
		case 2: // forced
		default:
			m.Value = vector()
			if m.Mover != 1 && rng.IntN(4) > 0 {
				m.Expected = vector()
			}
		}
		g.Moves = append(g.Moves, m)
	}
	g.Returns = vector()
	return g
}

// slowReturn is the λ-return of a player from a ply on, by its definition.
func slowReturn(g *Game, ply, p int, lambda float64, noLuck bool) float64 {
	recorded := func(i int) bool { m := &g.Moves[i]; return len(m.Value) > 0 && g.Seats[m.Mover].Kind == Network }
	// luck is what chance changed between two recorded plies, or the last and the end.
	luck := func(a, b int, after float32) float64 {
		drawn := false
		for i := a + 1; i < b; i++ {
			switch m := &g.Moves[i]; {
			case m.Mover == game.Chance:
				drawn = true
			case len(m.Value) > 0:
				return 0 // somebody else decided
			}
		}
		if !drawn || !noLuck || len(g.Moves[a].Expected) == 0 {
			return 0
		}
		return float64(after) - float64(g.Moves[a].Expected[p])
	}
	sum, all, last, k := 0.0, 0.0, -1, 0
	for i := ply; i < len(g.Moves); i++ {
		if !recorded(i) {
			continue
		}
		v := g.Moves[i].Value[p]
		if last >= 0 {
			all += luck(last, i, v)
		}
		sum += (1 - lambda) * math.Pow(lambda, float64(k)) * (float64(v) - all)
		last = i
		k++
	}
	z := g.Returns[p]
	if last >= 0 {
		all += luck(last, len(g.Moves), z)
	}
	return sum + math.Pow(lambda, float64(k))*(float64(z)-all)
}

func TestReturns(t *testing.T) {
	rng := stream.New(1, stream.Test)
	for range 5000 {
		g := anyMoves(rng)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		bootstrap, noLuck := []float64{0, 0.1, 0.5, 1}[rng.IntN(4)], rng.IntN(2) == 0
		r := newReturns(3, bootstrap, noLuck)
		for ply := range g.Moves {
			if err := r.compute(g, ply); err != nil {
				t.Fatal(err)
			}
			for p := range 3 {
				got, want := r.searched[p]+r.left*(float64(g.Returns[p])-r.luck[p]), slowReturn(g, ply, p, 1-bootstrap, noLuck)
				if math.Abs(got-want) > 1e-12 {
					t.Fatalf("λ %v, no luck %v, ply %d, player %d: %v, want %v\n%+v", 1-bootstrap, noLuck, ply, p, got, want, g)
				}
			}
			if math.Abs(r.weight+r.left-1) > 1e-12 {
				t.Fatalf("the weights sum to %v", r.weight+r.left)
			}
		}
	}
}

// TestReturnsByHand: a coin decides a game that was even before: without luck nothing was learned
// about the position. With λ of ½ the searches after the coin count too.
func TestReturnsByHand(t *testing.T) {
	even, won := []float32{0.5, 0.5}, []float32{1, 0}
	g := &Game{
		Seats: []SeatRecord{{Kind: Network, Step: 1}, {Kind: Network, Step: 1}}, Returns: won,
		Moves: []Move{
			{Mover: 0, Value: []float32{0.4, 0.6}, Expected: even},
			{Mover: game.Chance, Action: 1},
			{Mover: 0}, // forced
			{Mover: 1, Value: []float32{0.9, 0.1}},
		},
	}
	for _, test := range []struct {
		bootstrap float64
		noLuck    bool
		want      float64
	}{
		{0, false, 1},
		{0, true, 1 - (0.9 - 0.5)},
		{0.5, false, 0.5*0.4 + 0.25*0.9 + 0.25*1},
		{0.5, true, 0.5*0.4 + 0.25*0.5 + 0.25*0.6},
		{1, true, 0.4},
	} {
		r := newReturns(2, test.bootstrap, test.noLuck)
		if err := r.compute(g, 0); err != nil {
			t.Fatal(err)
		}
		if got := r.searched[0] + r.left*(1-r.luck[0]); math.Abs(got-test.want) > 1e-7 {
			t.Errorf("λ %v, no luck %v: %v, want %v", 1-test.bootstrap, test.noLuck, got, test.want)
		}
	}
}

// TestReturnRows: rows learn the λ-return mixed with the ply's own value, whatever the projection.
func TestReturnRows(t *testing.T) {
	const bootstrap, mix = 0.2, 0.25
	support := pairs{}.Support()
	for _, tilted := range []bool{false, true} {
		e := newEncoder(t, EncoderConfig{Support: support, Mix: mix, Bootstrap: bootstrap, NoLuck: true, Tilted: tilted})
		linear := newEncoder(t, EncoderConfig{Mix: mix, Bootstrap: bootstrap, NoLuck: true})
		changed := 0
		for _, rec := range playMany(30, 7) {
			for _, s := range naiveSamples([]*Game{rec}) {
				var got, scalar row
				if err := got.encode(e, s, 0); err != nil {
					t.Fatal(err)
				}
				if err := scalar.encode(linear, s, 0); err != nil {
					t.Fatal(err)
				}
				for p := range 2 {
					want := slowReturn(rec, int(s.Ply), p, 1-bootstrap, true)
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
					if math.Abs(mean-want) > 1e-5 || math.Abs(mass-1) > 1e-5 || math.Abs(float64(scalar.value[p])-want) > 1e-6 {
						t.Fatalf("tilted %v, game %d, ply %d, player %d: mean %v of mass %v, linear %v, want %v", tilted, rec.Number, s.Ply, p, mean, mass, scalar.value[p], want)
					}
				}
			}
		}
		if changed == 0 {
			t.Fatal("no target differs from the result")
		}
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := NewEncoder(pairs{}, EncoderConfig{Bootstrap: bad}); err == nil {
			t.Errorf("a bootstrap of %v is accepted", bad)
		}
	}
}

// TestGuestsHideLuck: what chance changed is not known where a guest without a recorded value may
// have decided in between; a forced move of another seat hides nothing.
func TestGuestsHideLuck(t *testing.T) {
	for _, kind := range []SeatKind{Network, Past, Guest} {
		rec := &Game{
			Seats: []SeatRecord{{Kind: Network}, {Kind: kind}},
			Moves: []Move{
				{Mover: 0, Value: []float32{0.5, 0.5}, Expected: []float32{0.6, 0.4}},
				{Mover: 1},
				{Mover: game.Chance},
			},
			Returns: []float32{1, 0},
		}
		r := newReturns(2, 0.25, true)
		if err := r.compute(rec, 0); err != nil {
			t.Fatal(err)
		}
		if r.lucky != (kind != Guest) {
			t.Errorf("after a %v without a value luck is known: %v", kind, r.lucky)
		}
	}
}
