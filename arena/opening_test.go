package arena

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

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
