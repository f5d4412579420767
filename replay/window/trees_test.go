package window

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// stateByRules plays from the start to a state of a tree that passes Check, directly
// from the definition of Tree, and returns an error about an illegal step.
func stateByRules(
	g game.Game, rec *record.Game, t *record.Tree, i int,
) (s game.State, implied int, err error) {
	s = recordtest.PositionBefore(g, rec, t.Ply)
	if s.CurrentPlayer() < 0 || len(s.LegalActions(nil)) < 2 {
		return nil, 0, fmt.Errorf("the root is not a decision")
	}
	var path []int
	for t.Depths[i] > 0 {
		path = append(path, i)
		depth := t.Depths[i]
		for t.Depths[i] != depth-1 {
			i--
		}
	}
	slices.Reverse(path)
	for _, k := range path {
		if s.CurrentPlayer() < 0 || !slices.Contains(s.LegalActions(nil), t.Actions[k]) {
			return nil, 0, fmt.Errorf("state %d: action %d is not legal", k, t.Actions[k])
		}
		s.Apply(t.Actions[k])
		for s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) == 1 {
			s.Apply(s.LegalActions(nil)[0])
			implied++
		}
		if s.CurrentPlayer() == game.Chance {
			return nil, 0, fmt.Errorf("state %d: chance is to move", k)
		}
	}
	return s, implied, nil
}

// naiveTreeSamples returns the samples that a window with trees should make of games,
// as text, since only a window can make samples of trees.
func naiveTreeSamples(g game.Game, games []*record.Game) (list []string) {
	for _, rec := range games {
		s := g.NewState()
		for ply, m := range rec.Moves {
			if s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) > 1 {
				if len(rec.Trees) == 0 || rec.Seats[s.CurrentPlayer()].Kind != record.Network {
					list = append(list, fmt.Sprint(rec.Number, " ply ", ply))
				}
			}
			s.Apply(m.Action)
		}
		for k, t := range rec.Trees {
			for i := range t.Depths {
				list = append(list, fmt.Sprint(rec.Number, " tree ", k, " state ", i))
			}
		}
	}
	return list
}

func sampleText(w *Window, s Sample) string {
	rec := recordOf(w, s)
	if s.Tree() < 0 {
		return fmt.Sprint(rec.Number, " ply ", s.Ply)
	}
	if int(s.Ply) != rec.Trees[s.Tree()].Ply {
		return fmt.Sprintf("a tree at another ply: %+v", s)
	}
	return fmt.Sprint(rec.Number, " tree ", s.Tree(), " state ", s.State)
}

// shuffleTrees permutes a record's trees; their order does not matter.
func shuffleTrees(rec *record.Game, rng *rand.Rand) {
	rng.Shuffle(len(rec.Trees), func(i, j int) {
		rec.Trees[i], rec.Trees[j] = rec.Trees[j], rec.Trees[i]
	})
}

// For all kinds of games, records with trees can be written to a segment and read
// again, samples are the listed states, and rows equal those of replaying by the
// rules, for every symmetry.
func TestRowsOfTrees(t *testing.T) {
	games := []game.Game{recordtest.Pairs{}}
	for _, name := range []string{
		"tictactoe", "tictactoe:players=3", "mnk:rows=4,columns=3,in_row=3,players=3",
		"go:rows=2,columns=3,players=3", "go:rows=1,columns=5,players=2", "go:size=5,players=3",
	} {
		games = append(games, game.Must(game.New(name)))
	}
	for _, g := range games {
		t.Run(g.Name(), func(t *testing.T) {
			all := []game.Symmetry{{}}
			if s, ok := g.(game.Symmetric); ok {
				all = s.Symmetries()
			}
			rng := random.New(5, random.Test)
			walks := 60
			if g.Planes().Size() > 100 {
				walks = 12
			}
			var recs []*record.Game
			for number := range uint64(3) {
				rec := playGame(t, g, number)
				rec.Seats[0] = record.SeatRecord{Kind: record.UCT}
				if number > 0 {
					recordtest.GrowTrees(g, rec, walks, rng)
					shuffleTrees(rec, rng)
				}
				recs = append(recs, rec)
			}
			back, err := record.DecodeAll(encoded(t, recs), len(recs))
			if diff := recordtest.Difference(recs, back); diff != "" || err != nil {
				t.Fatalf("%v: %s", err, diff)
			}
			w, err := New(g, Config{Capacity: 3, Trees: true})
			if err != nil {
				t.Fatal(err)
			}
			e, err := NewEncoder(w, EncoderConfig{Mix: 0.4})
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range back {
				if err := w.Add(rec); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, s := range samplesOf(w, false) {
				got = append(got, sampleText(w, s))
			}
			if want := naiveTreeSamples(g, recs); !slices.Equal(got, want) {
				t.Fatalf("%d samples, want %d:\n%v\n%v", len(got), len(want), got, want)
			}
			players, size := g.Players(), g.Planes().Size()
			obs, plain, want := make([]float32, size), make([]float32, size), make([]float32, size)
			policy, value := make([]float32, g.Actions()), make([]float32, players)
			states, finished, forced := 0, 0, 0
			for n, s := range samplesOf(w, false) {
				tree := treeOf(w, s)
				if tree == nil {
					continue
				}
				state, implied, err := stateByRules(g, recordOf(w, s), tree, int(s.State))
				if err != nil {
					t.Fatal(err)
				}
				states++
				if state.CurrentPlayer() == game.Nobody {
					finished++
				}
				if implied > 0 {
					forced++
				}
				state.Observation(plain)
				for k := range all {
					if states > 1000 && (n+k)%7 != 0 {
						continue // test only some of many states
					}
					dirty(obs, size)
					dirty(policy, g.Actions())
					dirty(value, players)
					weight := float32(77)
					if err := e.Row(s, k, obs, policy, &weight, value); err != nil {
						t.Fatal(err)
					}
					utilities := slices.Clone(tree.Values[int(s.State)*players:][:players])
					copy(want, plain)
					if k > 0 {
						all[k].Transform(want, plain)
						for p, u := range tree.Values[int(s.State)*players:][:players] {
							utilities[all[k].Players[p]] = u
						}
					}
					if !slices.Equal(obs, want) || !slices.Equal(value, utilities) || weight != 0 ||
						slices.Max(policy) != 0 || slices.Min(policy) != 0 {
						t.Fatalf("%s, symmetry %d: observation %v\nwant %v\nvalue %v, want %v, weight %v, policy %v", sampleText(w, s), k, obs, want, value, utilities, weight, policy)
					}
				}
			}
			t.Logf("%d states, %d of finished games, %d after sole actions", states, finished, forced)
			if states < 100 || finished == 0 || forced == 0 {
				t.Error("too little is tested")
			}
		})
	}
}

func TestTreeRowsByHand(t *testing.T) {
	support := []float32{0, 0.5, 1}
	w := newWindow(t, Config{Capacity: 1, Trees: true})
	if err := w.Add(recordtest.HandTreeRecord()); err != nil {
		t.Fatal(err)
	}
	samples := samplesOf(w, false)
	var got []string
	for _, s := range samples {
		got = append(got, sampleText(w, s))
	}
	// UCT plays seat 1; the samples of seat 0, the network's, are the states of its trees.
	if want := []string{"300 ply 1", "300 ply 3", "300 ply 5", "300 tree 0 state 0",
		"300 tree 1 state 0", "300 tree 1 state 1", "300 tree 1 state 2", "300 tree 1 state 3",
		"300 tree 1 state 4"}; !slices.Equal(got, want) {
		t.Fatalf("samples %v, want %v", got, want)
	}
	for _, c := range []struct {
		config     EncoderConfig
		sample     int
		obs, value []float32 // nil: any
		weight     float32
	}{
		// Plies: the outcome, mixed with the root value if there is one.
		{EncoderConfig{Mix: 0.25}, 0, nil, []float32{-1.0625, 2.4375}, 1},
		{EncoderConfig{Mix: 0.25}, 1, nil, []float32{-1.5, 3}, 1},
		{EncoderConfig{}, 2, nil, []float32{-1.5, 3}, 0},
		{EncoderConfig{Support: support}, 1, nil, []float32{1, 0, 0, 0, 0, 1}, 1},
		// States: their values, whatever Mix is.
		{EncoderConfig{Mix: 1}, 4, []float32{
			0, 1, 0, 0, 0, 0,
			1, 0, 1, 0, 0, 0,
			1, 1, 1, 1, 1, 1,
			0, 0, 0, 0, 0, 0,
		}, []float32{1, 0}, 0},
		{EncoderConfig{}, 7, []float32{ // finished: forced moves took cell 4 and ended the game
			0, 1, 0, 1, 1, 0,
			1, 0, 1, 0, 0, 1,
			0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0,
		}, []float32{2, -1}, 0},
		{EncoderConfig{Mix: 0.5, Support: support}, 8, []float32{
			0, 1, 0, 0, 0, 1,
			1, 0, 1, 0, 0, 0,
			0, 0, 0, 0, 0, 0,
			1, 1, 1, 1, 1, 1,
		}, []float32{0.5, 0.5, 0, 0.5, 0.5, 0}, 0},
	} {
		var r, without row
		e := newEncoder(t, w, c.config)
		if err := r.encode(e, samples[c.sample], 0); err != nil {
			t.Errorf("sample %d: %v", c.sample, err)
			continue
		}
		if c.obs != nil && !slices.Equal(r.obs, c.obs) || !near(r.value, c.value) ||
			r.weight != c.weight {
			t.Errorf("sample %d: got %+v, want %+v", c.sample, r, c)
		}
		if c.weight == 0 && slices.Max(r.policy) != 0 {
			t.Errorf("sample %d: policy %v", c.sample, r.policy)
		}
		// A network without a policy head.
		without.obs, without.value = dirty(nil, len(r.obs)), dirty(nil, len(r.value))
		if err := e.Row(samples[c.sample], 0, without.obs, nil, nil, without.value); err != nil {
			t.Fatal(err)
		}
		without.weight = 77
		if err := e.Row(samples[c.sample], 0, without.obs, nil, &without.weight,
			without.value); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(without.obs, r.obs) || !slices.Equal(without.value, r.value) ||
			without.weight != 0 {
			t.Errorf("sample %d without a policy: got %+v, want %+v", c.sample, without, r)
		}
	}
	s := samples[8]
	for _, n := range []int32{-1, 5} {
		s.State = n
		var r row
		if err := r.encode(newEncoder(t, w, EncoderConfig{}), s, 0); err == nil {
			t.Errorf("state %d of 5 gives a row", n)
		}
	}
}

func TestTreeRowAllocatesNothing(t *testing.T) {
	g := game.Must(game.New("go:rows=2,columns=3,players=3"))
	w, e, rec := treesOf(t, g, 1, 40)
	obs, value := make([]float32, g.Planes().Size()), make([]float32, g.Players())
	samples := samplesOf(w, false)
	if len(rec) != 1 || len(samples) < 100 {
		t.Fatalf("%d games, %d samples", len(rec), len(samples))
	}
	job := func() {
		for i, s := range samples {
			if err := e.Row(s, i%e.Symmetries(), obs, nil, nil, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	job()
	if n := testing.AllocsPerRun(10, job); n != 0 {
		t.Errorf("%v allocations in %d rows", n, len(samples))
	}
}

// treesOf returns a window of games with trees at every second decision, and an encoder.
func treesOf(t testing.TB, g game.Game, games, walks int) (*Window, *Encoder, []*record.Game) {
	t.Helper()
	w, err := New(g, Config{Capacity: games, Trees: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(w, EncoderConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var recs []*record.Game
	for number := range uint64(games) {
		rec := playGame(t, g, number)
		recordtest.GrowTrees(g, rec, walks, random.New(2, random.Test, number))
		if err := w.Add(rec); err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return w, e, recs
}

func BenchmarkEncodeTree(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	w, e, _ := treesOf(b, g, 8, 100)
	n := w.Positions(false)
	obs, value := make([]float32, g.Planes().Size()), make([]float32, g.Players())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := w.At(false, i*7919%n)
		if err := e.Row(s, i%e.Symmetries(), obs, nil, nil, value); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "states")
}

func BenchmarkAddTrees(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	_, _, recs := treesOf(b, g, 1, 100)
	states := 0
	for _, t := range recs[0].Trees {
		states += len(t.Depths)
	}
	for b.Loop() {
		w, _ := New(g, Config{Capacity: 1, Trees: true})
		if err := w.Add(recs[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*states), "ns/state")
}

func BenchmarkRecordTrees(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	_, _, recs := treesOf(b, g, 1, 100)
	states := 0
	for _, t := range recs[0].Trees {
		states += len(t.Depths)
	}
	var data []byte
	b.Run("append", func(b *testing.B) {
		for b.Loop() {
			var err error
			if data, err = record.Append(data[:0], recs[0]); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(data))/float64(states), "B/state")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*states), "ns/state")
	})
	data = encoded(b, recs)
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got, _ := record.DecodeAll(data, 1); len(got) != 1 {
				b.Fatal(len(got))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*states), "ns/state")
	})
}
