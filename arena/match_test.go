package arena

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
)

func network(t *testing.T, g game.Game, simulations int) *player.AlphaZero {
	t.Helper()
	spec, err := nneval.Spec(g, nneval.Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(1, random.Test))
	return &player.AlphaZero{
		Label: "random", Weights: nn.Fold(params),
		PUCT: mcts.PUCT{Simulations: simulations, C: 0.8, Reuse: true},
	}
}

// TestAnyWorkers: a match gives the same results on any number of workers and with any number
// of concurrent games.
func TestAnyWorkers(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	m := Match{
		Game: g,
		Players: []player.Player{
			network(t, g, 12), player.UCT{Simulations: 20, C: 0.8, Utility: player.Points},
			player.Random{},
		},
		Seatings: [][]int{{0, 1, 2}, {1, 0, 0}, {2, 0, 1}}, Games: 20, Seed: 5, Workers: 1,
		GamesPerWorker: 1,
	}
	want, err := m.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int{{1, 7}, {3, 2}, {8, 40}} {
		m.Workers, m.GamesPerWorker = c[0], c[1]
		calls := 0
		got, err := m.Play(context.Background(), func(n int) {
			if calls++; n != calls {
				t.Errorf("progress says %d at call %d", n, calls)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || calls != 20 {
			t.Errorf("%d workers, groups of %d: other games than with one of each (progress %d)",
				c[0], c[1], calls)
		}
	}
}

func TestCancel(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	ctx, cancel := context.WithCancel(context.Background())
	m := Match{
		Game: g, Players: []player.Player{player.Random{}}, Seatings: [][]int{{0, 0}},
		Games: 100_000, Workers: 2, GamesPerWorker: 4,
	}
	_, err := m.Play(ctx, func(n int) {
		if n == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled match returns %v", err)
	}
}

func TestMatchRefuses(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for name, m := range map[string]Match{
		"no games": {Game: g, Players: []player.Player{player.Random{}},
			Seatings: [][]int{{0, 0}}},
		"a seat short": {Game: g, Players: []player.Player{player.Random{}},
			Seatings: [][]int{{0}}, Games: 1},
		"nobody": {Game: g, Players: []player.Player{player.Random{}},
			Seatings: [][]int{{0, 1}}, Games: 1},
	} {
		if _, err := m.Play(context.Background(), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRandomTicTacToe: between random players the first wins 58.5 %, the second
// 28.8 %, and 12.7 % are draws (known from the enumeration of the game).
func TestRandomTicTacToe(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	v := Versus{
		Game: g, Player: player.Random{}, Baseline: player.Random{}, Games: 4000, BaselineGames: -1,
		Seed: 3, Workers: 2, GamesPerWorker: 1,
	}
	r, err := v.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for seat, want := range []float64{0.585 + 0.127/2, 0.288 + 0.127/2} {
		if got := r.Seats[seat].Wins; math.Abs(got.Mean-want) > 2*got.CI() {
			t.Errorf("seat %d wins %v, want %.3f", seat, got, want)
		}
	}
	if r.Games != 8000 || r.Distinct < 1000 || r.Distinct > 8000 {
		t.Errorf("%d games, %d distinct", r.Games, r.Distinct)
	}
}

// TestStrongerPlayerWins: the report credits points to the right player and seat.
func TestStrongerPlayerWins(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	v := Versus{
		Game: g, Player: player.UCT{Simulations: 60, C: 0.8, Utility: player.Unit},
		Baseline: player.Random{},
		Games:    60, Seed: 1, Workers: 2, GamesPerWorker: 4,
	}
	r, err := v.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Seats {
		if s.Points.Mean-s.Points.CI() < s.Base.Mean+s.Base.CI() {
			t.Errorf("%s: UCT gets %v, random players among themselves %v",
				s.Name, s.Points, s.Base)
		}
	}
}

// TestPaired: each game of a round equals the game of the same number in a match of its seating
// alone with the same seed.
func TestPaired(t *testing.T) {
	m := Match{
		Game: game.Must(game.New("go:size=3,players=3")),
		Players: []player.Player{
			player.UCT{Simulations: 8, C: 0.8, Utility: player.Unit}, player.Random{},
		},
		Seatings: [][]int{{0, 1, 1}, {1, 0, 1}}, Paired: true, Games: 10, Seed: 5, Opening: 2,
		Workers: 2, GamesPerWorker: 3,
	}
	paired, err := m.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, seating := range m.Seatings {
		alone := m
		alone.Seatings, alone.Paired, alone.Games = [][]int{seating}, false, 5
		results, err := alone.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for round, want := range results {
			got := paired[2*round+i]
			if got.Number != 2*round+i || got.Seating != i || got.Line != want.Line {
				t.Errorf("seating %d, round %d: %+v, want the game of %+v", i, round, got, want)
			}
		}
	}
}
