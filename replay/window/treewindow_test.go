package window

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// valid reports whether a record's trees are legal by the rules; it replays each state from the
// start.
func valid(g game.Game, rec *record.Game) bool {
	if rec.Check() != nil {
		return false
	}
	for k := range rec.Trees {
		for i := range rec.Trees[k].Depths {
			if _, _, err := stateByRules(g, rec, &rec.Trees[k], i); err != nil {
				return false
			}
		}
	}
	return true
}

// A window accepts a record with modified trees if and only if every state can be
// reached by the rules, and samples that it accepts can be encoded.
func TestWindowChecksTreesAgainstNaive(t *testing.T) {
	for _, name := range []string{"pairs", "tictactoe:players=3", "go:rows=2,columns=3,players=3"} {
		g := game.Game(recordtest.Pairs{})
		if name != "pairs" {
			g = game.Must(game.New(name))
		}
		rng := random.New(3, random.Test)
		verdicts := [2]int{}
		for i := range 1500 {
			rec := playGame(t, g, uint64(i))
			recordtest.GrowTrees(g, rec, 4, rng)
			if len(rec.Trees) == 0 {
				continue
			}
			shuffleTrees(rec, rng)
			for range rng.IntN(3) {
				modifyTree(rec, &rec.Trees[rng.IntN(len(rec.Trees))], g.Actions(), rng)
			}
			if rec.Check() == nil {
				_ = record.NewChecker(g).Mark(rec) // what is illegal can't be marked
			}
			w, err := New(g, Config{Capacity: 1, Trees: true})
			if err != nil {
				t.Fatal(err)
			}
			err = w.Add(rec)
			if want := valid(g, rec); want != (err == nil) {
				t.Fatalf("%s, game %d: valid is %v, but the window says %v: %+v",
					name, i, want, err, rec)
			}
			verdicts[index(err == nil)]++
			if err != nil {
				continue
			}
			e, err := NewEncoder(w, EncoderConfig{})
			if err != nil {
				t.Fatal(err)
			}
			obs, value := make([]float32, g.Planes().Size()), make([]float32, g.Players())
			for _, s := range samplesOf(w, false) {
				if err := e.Row(s, 0, obs, nil, nil, value); err != nil {
					t.Fatal(err)
				}
			}
		}
		if verdicts[0] < 200 || verdicts[1] < 200 {
			t.Errorf("%s: %d records are refused, %d taken", name, verdicts[0], verdicts[1])
		}
	}
}

// modifyTree changes something in a tree, which may still be legal.
func modifyTree(rec *record.Game, t *record.Tree, actions int, rng *rand.Rand) {
	n := len(t.Depths)
	if n == 0 {
		return
	}
	switch i := rng.IntN(n); rng.IntN(5) {
	case 0:
		t.Actions[i] = game.Action(rng.IntN(actions+3)) - 1
	case 1:
		t.Depths[i] += int32(rng.IntN(3)) - 1
	case 2:
		t.Ply = rng.IntN(len(rec.Moves)+2) - 1
	case 3:
		t.Depths, t.Actions = append(t.Depths, t.Depths[n-1]+1),
			append(t.Actions, game.Action(rng.IntN(actions)))
		for range len(t.Values) / n {
			t.Values = append(t.Values, 0.5)
		}
		t.Forced = append(t.Forced, false)
	case 4:
		players := len(t.Values) / n
		t.Depths, t.Actions = slices.Delete(t.Depths, i, i+1), slices.Delete(t.Actions, i, i+1)
		t.Values = slices.Delete(t.Values, i*players, (i+1)*players)
		t.Forced = slices.Delete(t.Forced, i, i+1)
	}
}

// wheel is a game of one player: a choice of two, then chance, then a choice of two
// again.
type wheel struct{}

func (wheel) Name() string         { return "wheel" }
func (wheel) Players() int         { return 1 }
func (wheel) Actions() int         { return 2 }
func (wheel) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (wheel) Support() []float32   { return nil }
func (wheel) NewState() game.State { return &wheelState{} }

type wheelState struct{ turns int }

func (s *wheelState) CurrentPlayer() game.Player {
	return []game.Player{0, game.Chance, 0, game.Nobody}[s.turns]
}
func (s *wheelState) LegalActions(dst []game.Action) []game.Action { return append(dst, 0, 1) }
func (s *wheelState) Apply(game.Action)                            { s.turns++ }
func (s *wheelState) Sample(*rand.Rand) game.Action                { return 0 }
func (s *wheelState) CopyFrom(src game.State)                      { *s = *src.(*wheelState) }
func (s *wheelState) Returns(dst []float32)                        { dst[0] = 1 }
func (s *wheelState) Observation(dst []float32)                    { dst[0] = float32(s.turns) }
func (s *wheelState) Hash() uint64                                 { return uint64(s.turns) }
func (s *wheelState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 1})
}

func TestTreesStopAtChance(t *testing.T) {
	w, err := New(wheel{}, Config{Capacity: 9, Trees: true})
	if err != nil {
		t.Fatal(err)
	}
	made := func(ply int, number uint64) *record.Game {
		return &record.Game{
			Number: number, Name: "wheel", Seats: []record.SeatRecord{{Kind: record.Network}},
			Scores: []float32{1}, Returns: []float32{1},
			Moves: []record.Move{
				{Action: 0, Choice: true}, {Action: 0, Mover: game.Chance},
				{Action: 0, Choice: true},
			},
			Trees: []record.Tree{
				{Ply: ply, Depths: []int32{0, 1}, Actions: []game.Action{game.NoAction, 1},
					Forced: []bool{false, false}, Values: []float32{0, 1}},
			},
		}
	}
	// After chance has moved there may be a tree.
	if err := w.Add(made(2, 0)); err != nil || w.Positions(false) != 2 {
		t.Fatal(err, w.Positions(false))
	}
	for ply, want := range []string{
		"game 1, tree 0, state 1: chance is to move; a tree has decisions and finished games only",
		"game 1, tree 0: there was no choice at its root, before ply 1",
	} {
		if err := w.Add(made(ply, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

func TestWindowRefusesTrees(t *testing.T) {
	w := newWindow(t, Config{Capacity: 3, Trees: true})
	if err := w.Add(recordtest.HandTreeRecord()); err != nil {
		t.Fatal(err)
	}
	before := samplesOf(w, false)
	for _, c := range []struct {
		want   string
		damage func(g *record.Game)
	}{
		{"game 301, tree 1, state 3: action 4 is not legal", func(g *record.Game) {
			g.Trees[1].Actions = []game.Action{game.NoAction, 4, 5, 4, 5}
		}},
		{"game 301, tree 1, state 4: action 2 is not legal", func(g *record.Game) {
			g.Trees[1].Actions[4] = 2
		}},
		{"game 301, tree 1, state 3: its parent, state 2, is the end of the game",
			func(g *record.Game) { g.Trees[1].Depths[3] = 3 }},
		{"game 301, tree 0: there was no choice at its root, before ply 0", func(g *record.Game) {
			g.Trees[0].Ply = 0
		}},
		{"game 301, tree 0: there was no choice at its root, before ply 7", func(g *record.Game) {
			g.Trees[0].Ply = 7
		}},
		{"game 301: tree 1: 3 values for 5 states and 2 players", func(g *record.Game) {
			g.Trees[1].Values = g.Trees[1].Values[:3]
		}},
		{"game 301: the recorded utilities", func(g *record.Game) { g.Returns[0] = 1 }},
	} {
		g := recordtest.HandTreeRecord()
		g.Number = 301
		c.damage(g)
		if err := w.Add(g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
	if !slices.Equal(before, samplesOf(w, false)) || w.Len() != 1 {
		t.Errorf("the window has changed: %d samples of %d games", w.Positions(false), w.Len())
	}
	// Without Config.Trees their states are no samples.
	plain := newWindow(t, Config{Capacity: 3})
	g := recordtest.HandTreeRecord()
	g.Number = 0
	if err := plain.Add(g); err != nil {
		t.Error(err)
	}
	if got, want := samplesOf(plain, false),
		naiveSamples([]*record.Game{g}); !slices.Equal(got, want) {
		t.Errorf("samples %v, want %v", got, want)
	}
}

// The samples are those of the games in the window, with trees and without; those for training and
// those held out are counted apart.
func TestWindowDropsTrees(t *testing.T) {
	w := newWindow(t, Config{Capacity: 5, HeldOut: 0.3, Seed: 2, Trees: true})
	games := recordtest.PlayManyTrees(40, 4)
	for _, g := range games[34:] {
		g.Trees = nil
	}
	games[33] = recordtest.HandTreeRecord()
	games[33].Number = 33
	for _, g := range games {
		if err := w.Add(g); err != nil {
			t.Fatal(err)
		}
		var parts [2][]*record.Game
		for k := range w.Len() {
			parts[index(w.Held(w.Game(k).Number))] = append(parts[index(w.Held(w.Game(k).Number))],
				w.Game(k))
		}
		for k, part := range parts {
			var got []string
			for _, s := range samplesOf(w, k == 1) {
				got = append(got, sampleText(w, s))
			}
			if want := naiveTreeSamples(recordtest.Pairs{}, part); !slices.Equal(got, want) {
				t.Fatalf("samples %v, want %v", got, want)
			}
		}
	}
}

// A sample is small, since a batch has hundreds.
func TestSampleIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Sample{}); n > 24 {
		t.Errorf("a sample takes %d bytes", n)
	}
}
