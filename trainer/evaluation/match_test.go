package evaluation

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// first plays the first legal action, always.
type first struct{}

func (first) Name() string                                 { return "first" }
func (first) NewAgent(game.Game) player.Agent              { return first{} }
func (first) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (first) Begin(*rand.Rand)                             {}
func (first) Deliver(search.Evaluations)                   {}
func (first) Played(game.Action)                           {}
func (first) Think(s game.State, _ search.Requests) (game.Action, bool) {
	return s.LegalActions(nil)[0], true
}

func TestPairedMatchSeatings(t *testing.T) {
	for name, want := range map[string][][]int{
		"tictactoe":           {{0, 1}, {1, 0}},
		"go:size=3,players=3": {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"go:size=3,players=4": {
			{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0},
			{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
		},
	} {
		d := pairedMatch{game: game.Must(game.New(name))}
		if got := d.seatings(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The games of a round have the same opening: where both players do alike, they
// are one game, and no player is better. Other rounds have other openings.
func TestPairedMatchRounds(t *testing.T) {
	for _, name := range []string{"tictactoe", "go:size=3,players=3"} {
		d := pairedMatch{
			game: game.Must(game.New(name)), players: [2]player.Player{first{}, first{}},
			rounds: 40, seed: 3, workers: 2, gamesPerWorker: 4,
		}
		told := 0
		r, err := d.play(context.Background(), func() { told++ })
		if err != nil {
			t.Fatal(err)
		}
		if told != r.games() || r.games() != 40*len(r.seatings) || r.opening != d.game.Players()+1 {
			t.Errorf("%s: %d games told of %d, an opening of %d", name, told, r.games(), r.opening)
		}
		lines := map[uint64]bool{}
		for i, round := range r.rounds {
			for _, g := range round {
				if g.Line != round[0].Line {
					t.Fatalf("%s: round %d has games that differ", name, i)
				}
			}
			if repeat := lines[round[0].Line]; repeat != (r.first[i] != i) {
				t.Errorf("%s: round %d repeats %d; seen before: %v", name, i, r.first[i], repeat)
			}
			lines[round[0].Line] = true
		}
		if len(lines) < 20 {
			t.Errorf("%s: 40 rounds have %d openings", name, len(lines))
		}
		for _, x := range r.differences() {
			if math.Abs(x) > 1e-6 {
				t.Errorf("%s: a player is better than itself by %g", name, x)
			}
		}
		if len(r.differences()) != len(lines) {
			t.Errorf("%s: %d rounds count of %d different ones",
				name, len(r.differences()), len(lines))
		}
	}
}

// Results are the same on any number of workers.
func TestPairedMatchWorkers(t *testing.T) {
	var want []float64
	for _, workers := range []int{1, 2, 5, 17} {
		d := pairedMatch{
			game: game.Must(game.New("go:size=3,players=3")),
			players: [2]player.Player{
				player.UCT{Simulations: 8, C: 1, Utility: player.Unit}, player.Random{},
			},
			rounds: 5, seed: 9, workers: workers, gamesPerWorker: 3,
		}
		r, err := d.play(context.Background(), func() {})
		if err != nil {
			t.Fatal(err)
		}
		got := r.differences()
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || len(got) != 5 {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
}

// A round's difference is the mean over the seats that one player held, less
// that over the other's.
func TestDifferences(t *testing.T) {
	game := func(line uint64, returns ...float32) arena.Result {
		return arena.Result{Line: line, Returns: returns}
	}
	r := &pairedResult{
		seatings: [][]int{{0, 1, 1}, {1, 1, 0}}, opening: 2,
		rounds: [][]arena.Result{
			{game(1, 0.9, 0.1, 0), game(2, 0.3, 0.3, 0.4)},
			{game(1, 0.9, 0.1, 0), game(2, 0.3, 0.3, 0.4)}, // the same again
			{game(1, 0, 0.5, 0.5), game(3, 0.25, 0.75, 0)},
		},
	}
	r.findRepeats()
	if !slices.Equal(r.first, []int{0, 0, 2}) {
		t.Errorf("rounds repeat %v", r.first)
	}
	want := []float64{(0.9+0.4)/2 - (0.1+0+0.3+0.3)/4, 0 - (0.5+0.5+0.25+0.75)/4}
	for i, got := range r.differences() {
		if math.Abs(got-want[i]) > 1e-6 {
			t.Errorf("round %d: %g, want %g", i, got, want[i])
		}
	}
	r.opening, r.first = 0, nil
	r.findRepeats()
	if got := r.differences(); len(got) != 3 {
		t.Errorf("%d of 3 rounds of players who draw are counted", len(got))
	}
}

// Rounds that all end alike have an interval, and a single one has none.
func TestMeanDifference(t *testing.T) {
	if mean, half := meanDifference([]float64{0.2, 0.4, 0.6}); math.Abs(mean-0.4) > 1e-12 ||
		half < 0.5 || half > 1.4 {
		t.Errorf("%g ± %g", mean, half)
	}
	for _, x := range []float64{-1, 0, 1} {
		if mean, half := meanDifference([]float64{x, x, x, x}); mean != x ||
			half < 0.5 || half > 2 {
			t.Errorf("four times %g: %g ± %g", x, mean, half)
		}
	}
	if mean, half := meanDifference([]float64{0.5}); mean != 0.5 || !math.IsInf(half, 1) {
		t.Errorf("of one number: %g ± %g", mean, half)
	}
}
