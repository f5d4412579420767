package window

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// row is the output of Row.
type row struct {
	obs, policy, value []float32
	weight             float32
}

func (r *row) encode(e *Encoder, s Sample, symmetry int) error {
	r.obs = dirty(r.obs, recordtest.Pairs{}.Planes().Size())
	r.policy = dirty(r.policy, recordtest.Pairs{}.Actions())
	r.value = dirty(r.value, recordtest.Pairs{}.Players()*e.Outputs())
	r.weight = 77
	return e.Row(s, symmetry, r.obs, r.policy, &r.weight, r.value)
}

// dirty returns n values, all of which Row must overwrite.
func dirty(b []float32, n int) []float32 {
	if len(b) != n {
		b = make([]float32, n)
	}
	for i := range b {
		b[i] = -99
	}
	return b
}

func newEncoder(t testing.TB, w *Window, config EncoderConfig) *Encoder {
	t.Helper()
	e, err := NewEncoder(w, config)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(float64(a[i]-b[i])) < 1e-6) {
			return false
		}
	}
	return true
}

func TestRowByHand(t *testing.T) {
	support := []float32{0, 0.25, 0.5, 1}
	for _, c := range []struct {
		name   string
		config EncoderConfig
		ply    int
		policy []float32
		weight float32
		value  []float32
	}{
		{"result alone", EncoderConfig{Support: support}, 1,
			[]float32{0.75, 0, 0, 0, 0, 0.25}, 1, []float32{0, 0, 1, 0, 0, 0, 1, 0}},
		{"linear", EncoderConfig{}, 1,
			[]float32{0.75, 0, 0, 0, 0, 0.25}, 1, []float32{0.5, 0.5}},
		// 0.25 and, half-way from 0.5 to 1, 0.75
		{"root value alone", EncoderConfig{Mix: 1, Support: support}, 1,
			[]float32{0.75, 0, 0, 0, 0, 0.25}, 1, []float32{0, 1, 0, 0, 0, 0, 0.5, 0.5}},
		// 0.4375: a quarter from 0.5 to 0.25; 0.5625: an eighth from 0.5 to 1
		{"a quarter root value", EncoderConfig{Mix: 0.25, Support: support}, 1,
			[]float32{0.75, 0, 0, 0, 0, 0.25}, 1, []float32{0, 0.25, 0.75, 0, 0, 0, 0.875, 0.125}},
		{"a quarter, linear", EncoderConfig{Mix: 0.25}, 1,
			[]float32{0.75, 0, 0, 0, 0, 0.25}, 1, []float32{0.4375, 0.5625}},
		{"no visits", EncoderConfig{}, 2, make([]float32, 6), 0, []float32{0.5, 0.5}},
		{"no root value",
			EncoderConfig{Mix: 1}, 3, []float32{0, 0, 1, 0, 0, 0}, 1, []float32{0.5, 0.5}},
		{"a narrow support", EncoderConfig{Support: []float32{0.6, 0.7}}, 2, make([]float32, 6), 0,
			[]float32{1, 0, 1, 0}},
		{"a low support", EncoderConfig{Support: []float32{0.1, 0.2}}, 2, make([]float32, 6), 0,
			[]float32{0, 1, 0, 1}},
	} {
		var r row
		w := unchecked(t, recordtest.Pairs{}, Config{}, recordtest.HandRecord())
		if err := r.encode(newEncoder(t, w, c.config), plySample(0, c.ply), 0); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !near(r.policy, c.policy) || r.weight != c.weight || !near(r.value, c.value) {
			t.Errorf("%s: policy %v, weight %v, value %v\nwant %v, %v, %v",
				c.name, r.policy, r.weight, r.value, c.policy, c.weight, c.value)
		}
	}
}

// A recorded policy is the target in place of the visits, for any symmetry.
func TestRowWithPolicy(t *testing.T) {
	g := recordtest.HandPolicyRecord()
	g.Moves[1].Policy = []uint16{32768, 65535, 6553}
	e := newEncoder(t, unchecked(t, recordtest.Pairs{}, Config{}, g), EncoderConfig{})
	for symmetry := range e.Symmetries() {
		var r row
		if err := r.encode(e, plySample(0, 1), symmetry); err != nil {
			t.Fatal(err)
		}
		want := make([]float32, 6)
		for i, p := range g.Moves[1].Probabilities() {
			want[recordtest.Pairs{}.Symmetries()[symmetry].Actions[g.Moves[1].Visits[i].Action]] = p
		}
		if !near(r.policy, want) || r.weight != 1 {
			t.Errorf("symmetry %d: policy %v of weight %v, want %v",
				symmetry, r.policy, r.weight, want)
		}
	}
}

func TestObservationByHand(t *testing.T) {
	var r row
	w := unchecked(t, recordtest.Pairs{}, Config{}, recordtest.HandRecord())
	if err := r.encode(newEncoder(t, w, EncoderConfig{}), plySample(0, 3), 0); err != nil {
		t.Fatal(err)
	}
	// Before ply 3: player 1 on cell 0, player 0 on cell 1, player 1 to move.
	want := []float32{
		0, 1, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
		1, 1, 1, 1, 1, 1,
	}
	if !slices.Equal(r.obs, want) {
		t.Fatalf("got %v, want %v", r.obs, want)
	}
}

// The result of project has mass one on at most two neighbours, and its expectation is
// the utility.
func TestProject(t *testing.T) {
	rng := random.New(1, random.Test)
	for range 10_000 {
		support := make([]float32, 2+rng.IntN(6))
		for i := range support {
			support[i] = rng.Float32()
		}
		slices.Sort(support)
		if len(slices.Compact(slices.Clone(support))) < len(support) {
			continue
		}
		u := support[0] + rng.Float32()*(support[len(support)-1]-support[0])
		if rng.IntN(4) == 0 {
			u = support[rng.IntN(len(support))]
		}
		dst := dirty(nil, len(support))
		project(dst, support, u)
		var mass, mean float64
		first, last := -1, -1
		for i, p := range dst {
			mass += float64(p)
			mean += float64(p) * float64(support[i])
			if p < 0 || p > 1 {
				t.Fatalf("probability %v", p)
			}
			if p > 0 {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if math.Abs(mass-1) > 1e-6 || math.Abs(mean-float64(u)) > 1e-6 || last-first > 1 {
			t.Fatalf("support %v, utility %v: %v", support, u, dst)
		}
	}
}

// A row encoded with a symmetry equals the transformed row, and also the row of the
// transformed game.
func TestSymmetricRows(t *testing.T) {
	all := recordtest.Pairs{}.Symmetries()
	for _, rec := range recordtest.PlayMany(20, 7) {
		// The game, and the transformed ones after it.
		games := []*record.Game{rec}
		for i, sym := range all {
			games = append(games, transformed(rec, sym))
			games[i+1].Number = rec.Number + uint64(i) + 1
		}
		e := newEncoder(t, unchecked(t, recordtest.Pairs{}, Config{}, games...),
			EncoderConfig{Support: recordtest.Pairs{}.Support(), Mix: 0.3})
		if e.Symmetries() != len(all) {
			t.Fatalf("%d symmetries, want %d", e.Symmetries(), len(all))
		}
		for _, s := range naiveSamples(games[:1]) {
			s.Game = 0
			for k, sym := range all {
				var plain, got, turned row
				if err := plain.encode(e, s, 0); err != nil {
					t.Fatal(err)
				}
				if err := got.encode(e, s, k); err != nil {
					t.Fatal(err)
				}
				want := row{
					make([]float32, len(plain.obs)), make([]float32, len(plain.policy)),
					make([]float32, len(plain.value)), plain.weight,
				}
				sym.Transform(want.obs, plain.obs)
				for a, x := range plain.policy {
					want.policy[sym.Actions[a]] = x
				}
				n := e.Outputs()
				for p := range 2 {
					copy(want.value[int(sym.Players[p])*n:], plain.value[p*n:(p+1)*n])
				}
				if !slices.Equal(got.obs, want.obs) || !slices.Equal(got.policy, want.policy) ||
					got.weight != want.weight || !slices.Equal(got.value, want.value) {
					t.Fatalf("symmetry %d: got %+v, want %+v", k, got, want)
				}
				if err := turned.encode(e, plySample(k+1, int(s.Ply)), 0); err != nil {
					t.Fatalf("symmetry %d: %v", k, err)
				}
				if !slices.Equal(got.obs, turned.obs) || !slices.Equal(got.policy, turned.policy) ||
					got.weight != turned.weight || !slices.Equal(got.value, turned.value) {
					t.Fatalf("symmetry %d: got %+v, but the transformed game gives %+v",
						k, got, turned)
				}
			}
		}
	}
}

// transformed returns the record of a game of pairs, transformed by a symmetry.
func transformed(rec *record.Game, sym game.Symmetry) *record.Game {
	g := *rec
	vector := func(v []float32) []float32 {
		if len(v) == 0 {
			return nil
		}
		return []float32{v[sym.Players[0]], v[sym.Players[1]]} // swapping twice is the identity
	}
	g.Returns, g.Scores = vector(rec.Returns), vector(rec.Scores)
	g.Moves = slices.Clone(rec.Moves)
	for i := range g.Moves {
		m := &g.Moves[i]
		m.Value = vector(m.Value)
		switch {
		case m.Mover == game.Chance:
			m.Action = game.Action(sym.Players[m.Action])
			continue
		case m.Action != recordtest.PairsEnd:
			m.Action = sym.Actions[m.Action]
		}
		m.Mover = sym.Players[m.Mover]
		m.Visits = slices.Clone(m.Visits)
		for j := range m.Visits {
			m.Visits[j].Action = sym.Actions[m.Visits[j].Action]
		}
		slices.SortFunc(m.Visits, func(a, b record.Visit) int { return int(a.Action - b.Action) })
	}
	return &g
}

func TestNoSuchSymmetry(t *testing.T) {
	e := newEncoder(t, unchecked(t, recordtest.Pairs{}, Config{}, recordtest.HandRecord()),
		EncoderConfig{})
	var r row
	for _, k := range []int{-1, e.Symmetries()} {
		if err := r.encode(e, plySample(0, 1), k); err == nil ||
			!strings.Contains(err.Error(), "symmetry") {
			t.Errorf("symmetry %d: got error %v", k, err)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	for _, config := range []EncoderConfig{
		{Mix: -0.1}, {Mix: 1.1}, {Mix: float32(math.NaN())},
		{Support: []float32{1}}, {Support: []float32{0, 1, 0.5}},
		{Support: []float32{0, float32(math.NaN())}},
	} {
		if _, err := NewEncoder(newWindow(t, Config{Capacity: 1}), config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
	w := newWindow(t, Config{Capacity: 2})
	for i := range uint64(3) {
		g := recordtest.HandRecord()
		g.Number = i
		if err := w.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	e := newEncoder(t, w, EncoderConfig{})
	for want, s := range map[string]Sample{
		"the sample is of game 0 of the window, which holds 1 to 2": plySample(0, 1),
		"the sample is of game 3 of the window, which holds 1 to 2": plySample(3, 1),
		"the sample is of ply -1":                                   plySample(1, -1),
		"game 2 has 8 plies, but the sample is of ply 8":            plySample(2, 8),
		"game 1 has 0 trees, but the sample is of tree 0":           {Game: 1},
	} {
		var r row
		if err := r.encode(e, s, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want %q", s, err, want)
		}
	}
}

// Records with random numbers in them never cause a panic, and records that a window
// accepts can be encoded.
func TestSpoiltRecordsDoNotPanic(t *testing.T) {
	rng := random.New(8, random.Test)
	w := newWindow(t, Config{Capacity: 1})
	e := newEncoder(t, w, EncoderConfig{Support: recordtest.Pairs{}.Support()})
	refused := 0
	for i := range 20_000 {
		g := recordtest.PlayPairs(uint64(i), rng)
		for range rng.IntN(3) {
			m := &g.Moves[rng.IntN(len(g.Moves))]
			switch rng.IntN(6) {
			case 0:
				m.Action = game.Action(rng.IntN(9))
			case 1:
				m.Mover = game.Player(rng.IntN(4) - 2)
			case 2:
				g.Moves = g.Moves[:1+rng.IntN(len(g.Moves))]
			case 3:
				m.Visits = []record.Visit{{Action: game.Action(rng.IntN(9)), N: rng.Uint32N(3)}}
			case 4:
				m.Policy = make([]uint16, rng.IntN(len(m.Visits)+2))
				for i := range m.Policy {
					m.Policy[i] = []uint16{0, 1, record.MaxWeight}[rng.IntN(3)]
				}
			case 5:
				m.Choice = !m.Choice
			}
		}
		before := w.Len()
		if w.Add(g) != nil {
			refused++
			continue
		}
		if before == 1 && w.Game(0).Number != g.Number {
			t.Fatalf("game %d is in the window after game %d", w.Game(0).Number, g.Number)
		}
		for _, s := range samplesOf(w, false) {
			var r row
			if err := r.encode(e, s, rng.IntN(8)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused < 1000 || refused > 19_000 {
		t.Errorf("%d of 20000 records are refused", refused)
	}
}

func TestRowAllocatesNothing(t *testing.T) {
	w := newWindow(t, Config{Capacity: 100})
	for _, g := range recordtest.PlayMany(100, 9) {
		if err := w.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	e := newEncoder(t, w, EncoderConfig{
		Support: recordtest.Pairs{}.Support(), Mix: 0.5, Bootstrap: 0.1,
	})
	samples := samplesOf(w, false)
	var r row
	rng := random.New(1, random.Test)
	job := func() {
		for _, s := range samples {
			if err := r.encode(e, s, rng.IntN(e.Symmetries())); err != nil {
				t.Fatal(err)
			}
		}
	}
	job()
	if n := testing.AllocsPerRun(10, job); n != 0 {
		t.Errorf("%v allocations in %d rows", n, w.Positions(false))
	}
}

func BenchmarkRow(b *testing.B) {
	w := newWindow(b, Config{Capacity: 1000})
	for _, g := range recordtest.PlayMany(1000, 10) {
		if err := w.Add(g); err != nil {
			b.Fatal(err)
		}
	}
	e := newEncoder(b, w, EncoderConfig{Support: recordtest.Pairs{}.Support()})
	samples := samplesOf(w, false)
	var r row
	for i := 0; b.Loop(); i++ {
		if err := r.encode(e, samples[i%len(samples)], i%8); err != nil {
			b.Fatal(err)
		}
	}
}
