package arena

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/nn"
	"tengen/player"
	"tengen/search"
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

// naiveSeatings tries every assignment of players to seats.
func naiveSeatings(players, seats int) [][]int {
	var all [][]int
	seating := make([]int, seats)
	for {
		times := make([]int, players)
		for _, p := range seating {
			times[p]++
		}
		if players >= seats && slices.Max(times) == 1 || players < seats && slices.Min(times) >= 1 {
			all = append(all, slices.Clone(seating))
		}
		seat := seats - 1
		for ; seat >= 0 && seating[seat] == players-1; seat-- {
			seating[seat] = 0
		}
		if seat < 0 {
			return all
		}
		seating[seat]++
	}
}

func TestSeatings(t *testing.T) {
	for players := 1; players <= 5; players++ {
		for seats := 1; seats <= 5; seats++ {
			got, err := Seatings(players, seats)
			if err != nil {
				t.Fatal(err)
			}
			if want := naiveSeatings(players, seats); !reflect.DeepEqual(got, want) {
				t.Errorf("%d players, %d seats: %v, want %v", players, seats, got, want)
			}
			if n := countSeatings(players, seats); n != len(got) {
				t.Errorf("%d players, %d seats: %d are counted, want %d",
					players, seats, n, len(got))
			}
			// Each player has each seat equally often, and each pair of players each pair of
			// seats.
			alone, together := map[[2]int]int{}, map[[4]int]int{}
			for _, seating := range got {
				for a, p := range seating {
					alone[[2]int{a, p}]++
					for b, q := range seating {
						if p != q {
							together[[4]int{a, b, p, q}]++
						}
					}
				}
			}
			for _, n := range alone {
				if len(alone) != players*seats || n != alone[[2]int{0, 0}] {
					t.Errorf("%d players, %d seats: not balanced: %v", players, seats, alone)
					break
				}
			}
			for _, n := range together {
				if len(together) != players*(players-1)*seats*(seats-1) ||
					n != together[[4]int{0, 1, 0, 1}] {
					t.Errorf("%d players, %d seats: pairs are not balanced: %v",
						players, seats, together)
					break
				}
			}
		}
	}
}

func TestSeatingsRefuses(t *testing.T) {
	for _, c := range [][2]int{{8, 8}, {7, 8}, {101, 2}, {1 << 40, 8}} {
		if _, err := Seatings(c[0], c[1]); err == nil ||
			!strings.Contains(err.Error(), "fewer players") {
			t.Errorf("%d players at %d seats: %v", c[0], c[1], err)
		}
	}
	if _, err := Seatings(0, 2); err == nil {
		t.Error("no error without players")
	}
}

func TestSeatingOrder(t *testing.T) {
	const rounds, seatings = 3000, 6
	first := make([]int, seatings)
	for round := range rounds {
		order := seatingOrder(4, round, seatings)
		first[order[0]]++
		if again := seatingOrder(4, round, seatings); !slices.Equal(order, again) {
			t.Fatalf("round %d: %v, then %v", round, order, again)
		}
		slices.Sort(order)
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("round %d: seatings %v", round, order)
		}
	}
	squares := 0.0
	for _, n := range first {
		d := float64(n) - rounds/seatings
		squares += d * d / (rounds / seatings)
	}
	// χ² of 5 degrees is above 25.7 once in 10,000 times.
	if squares > 25.7 {
		t.Errorf("first seatings come %v times", first)
	}
}

// first plays the first legal action, and draws nothing. It records what had been played when
// it was first asked in each game.
type first struct {
	timed    bool
	mu       sync.Mutex
	asked    map[string]int
	told     int // actions
	thinking int // agents that think now
	most     int // the most that thought at the same time
}

func (f *first) Name() string                                 { return "first" }
func (f *first) Timed() bool                                  { return f.timed }
func (f *first) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (f *first) NewAgent(game.Game) player.Agent              { return &firstAgent{player: f} }

type firstAgent struct {
	player *first
	line   []byte
	asked  bool
	twice  bool // Think has asked to be called again
}

func (f *firstAgent) Begin(*rand.Rand) { f.line, f.asked = nil, false }

func (f *firstAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	p := f.player
	p.mu.Lock()
	defer p.mu.Unlock()
	if !f.asked {
		f.asked = true
		p.asked[string(f.line)]++
	}
	// Every decision takes two calls, as with a search.
	if f.twice = !f.twice; f.twice {
		p.thinking++
		p.most = max(p.most, p.thinking)
		return game.NoAction, false
	}
	p.thinking--
	return s.LegalActions(nil)[0], true
}

func (f *firstAgent) Deliver(search.Evaluations) {}

func (f *firstAgent) Played(a game.Action) {
	f.line = append(f.line, byte('0'+a))
	f.player.mu.Lock()
	f.player.told++
	f.player.mu.Unlock()
}

// TestOpening: the first decisions are drawn, each legal action as likely as the others; the
// players are not asked for them, but told of them.
func TestOpening(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	const games = 7200
	for _, c := range []struct{ opening, distinct int }{{0, 1}, {1, 9}, {2, 72}} {
		f := &first{asked: map[string]int{}}
		m := Match{
			Game: g, Players: []player.Player{f}, Seatings: [][]int{{0, 0}},
			Games: games, Seed: 2, Workers: 2, GamesPerWorker: 3, Opening: c.opening,
		}
		results, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		plies := 0
		for _, r := range results {
			plies += r.Plies
		}
		if f.told != 2*plies {
			t.Errorf("opening of %d: the two seats are told of %d actions of %d",
				c.opening, f.told, plies)
		}
		if n := Distinct(results); n != c.distinct {
			t.Errorf("opening of %d: %d distinct games, want %d", c.opening, n, c.distinct)
		}
		// One seat is asked right after the opening, the other one action later.
		kinds, mean := 0, float64(games)/float64(c.distinct)
		squares := 0.0
		for line, n := range f.asked {
			switch len(line) - c.opening {
			case 0:
				kinds++
				squares += (float64(n) - mean) * (float64(n) - mean) / mean
			case 1:
			default:
				t.Errorf("opening of %d: a seat is first asked after the actions %q",
					c.opening, line)
			}
		}
		// χ² of 71 degrees is above 125 once in 10,000 times.
		if kinds != c.distinct || squares > 125 {
			t.Errorf("opening of %d: %d openings, χ² %.1f", c.opening, kinds, squares)
		}
	}
}

// TestOpeningIsTheMatchs: the opening of a game does not depend on its players or on the number
// of workers; forced actions do not count as decisions of the opening, and later decisions are
// not drawn.
func TestOpeningIsTheMatchs(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	play := func(workers int, p player.Player) map[string]int {
		f := &first{asked: map[string]int{}}
		m := Match{
			Game: g, Players: []player.Player{f, p}, Seatings: [][]int{{0, 1, 1}},
			Games: 40, Seed: 3, Workers: workers, GamesPerWorker: 2, Opening: 3,
		}
		if _, err := m.Play(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		return f.asked
	}
	want := play(1, player.Random{})
	for name, got := range map[string]map[string]int{
		"other players": play(1, player.UCT{Simulations: 5, C: 0.8, Utility: player.Points}),
		"more workers":  play(3, player.Random{}),
	} {
		if len(got) != len(want) || len(want) < 30 {
			t.Errorf("%s: %d openings, want %d", name, len(got), len(want))
		}
		for line, n := range want {
			if got[line] != n {
				t.Errorf("%s: the opening %q comes %d times, want %d", name, line, got[line], n)
			}
		}
	}
}

// TestTimedPlayersPlayAlone: a match with a timed player plays one game at a time.
func TestTimedPlayersPlayAlone(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, timed := range []bool{false, true} {
		f := &first{asked: map[string]int{}, timed: timed}
		m := Match{
			Game: g, Players: []player.Player{player.Random{}, f}, Seatings: [][]int{{1, 0}},
			Games: 30, Workers: 3, GamesPerWorker: 5,
		}
		if _, err := m.Play(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if alone := f.most == 1; alone != timed {
			t.Errorf("timed %v: %d agents think at once", timed, f.most)
		}
	}
}

// TestLongMatchesBeginAtOnce: what a match takes before and between its games does not depend on
// their number.
func TestLongMatchesBeginAtOnce(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	const games, played = 1 << 40, 100
	players := []player.Player{player.Random{}, player.Random{}}
	for name, play := range map[string]func(context.Context, func(int)) error{
		"match": func(ctx context.Context, progress func(int)) error {
			m := Match{Game: g, Players: players, Seatings: [][]int{{0, 1}, {1, 0}}, Games: games}
			_, err := m.Play(ctx, progress)
			return err
		},
		"tournament": func(ctx context.Context, progress func(int)) error {
			m := Tournament{Game: g, Players: players, Games: games}
			_, err := m.Play(ctx, func(played, _ int) { progress(played) })
			return err
		},
		"versus": func(ctx context.Context, progress func(int)) error {
			v := Versus{Game: g, Player: players[0], Baseline: players[1], Games: games}
			_, err := v.Play(ctx, func(played, _ int) { progress(played) })
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := play(ctx, func(n int) {
			if n >= played {
				cancel()
			}
		})
		runtime.ReadMemStats(&after)
		cancel()
		i := InterruptedBy(err)
		if i == nil || i.Games+i.LeftOut < played || i.Games+i.LeftOut > 100*waiting {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%s: %d games took %d bytes", name, played, n)
		}
	}
}
