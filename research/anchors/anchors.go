package anchors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
	"tengen/research"
	"tengen/vfs"
)

// Simulations are those of the anchors, in ascending order. The first is also that of the UCT of
// evaluations.
var Simulations = []int{180, 1_000, 10_000, 100_000}

// Measurement measures the anchor ladder of a game.
type Measurement struct {
	Game game.Game
	// Games are the numbers of games of the matches, each rounded up to whole rounds, by the
	// simulations of their stronger player. A match of 0 games is left out, with all above.
	Games map[int]int
	Seed  uint64
	// Dir is a folder that keeps the games, so that later calls play only the missing ones; "":
	// nothing is kept.
	Dir string
	// Progress, if not nil, is called as games finish.
	Progress func(what string, finished, all int)
	// Damaged, if not nil, is called with an error for each kept game that can't be used and is
	// played again.
	Damaged func(error)
}

// Table is the result of a measurement.
type Table struct {
	research.Made `json:"made"`
	arena.AnchorLadder
	Steps []Step `json:"steps"`
	// Unbounded is the match after the last step, if its games set no bound on the difference; its
	// stronger player is no anchor.
	Unbounded *Unbounded `json:"unbounded,omitempty"`
}

// Unbounded is a match in which one player was ahead in too many games for a rating.
type Unbounded struct {
	Stronger string `json:"stronger"`
	Weaker   string `json:"weaker"`
	Games    int    `json:"games"`
	// of meetings in which the stronger finished first, ties counted half
	Share float64 `json:"share_percent"`
}

// Step is the match of an anchor against the one below it.
type Step struct {
	Stronger string        `json:"stronger"`
	Weaker   string        `json:"weaker"`
	Games    int           `json:"games"`
	Distinct int           `json:"distinct_games"`
	Rating   rating.Rating `json:"difference"` // of the stronger over the weaker, Elo
	Share    float64       `json:"share_percent"`
}

// players returns the anchors as texts: the UCT of evaluations, and the same on utilities with more
// and more simulations. In games whose scores are utilities the two with the fewest simulations are
// one.
func (m *Measurement) players() (texts []string, simulations []int) {
	first := player.Baseline
	texts, simulations = []string{first.Name()}, []int{first.Simulations}
	for _, n := range Simulations {
		if n == first.Simulations && game.PointsPerUtility(m.Game) == 1 {
			continue
		}
		if m.Games[n] == 0 {
			break
		}
		u := first
		u.Simulations, u.Utility = n, player.Unit
		texts, simulations = append(texts, u.Name()), append(simulations, n)
	}
	return texts, simulations
}

// Run plays the matches, up to one whose games set no bound on the difference. If ctx ends, it
// returns the anchor ladder as far as matches are complete, and the context's error.
func (m *Measurement) Run(ctx context.Context, made research.Made) (*Table, error) {
	t := &Table{Made: made, AnchorLadder: arena.AnchorLadder{Game: m.Game.Name()}}
	texts, simulations := m.players()
	var players []player.Player
	for _, text := range texts {
		p, err := player.Parse(m.Game, text)
		if err != nil {
			return nil, err
		}
		players = append(players, p)
	}
	t.Opening = arena.DefaultOpening(m.Game, players)
	t.Anchors = []arena.Anchor{{Player: texts[0], Simulations: simulations[0]}}
	var below, above float64 // sums of squares of the distances to the interval's ends
	for i := 1; i < len(players); i++ {
		s, err := m.match(ctx, players[i], players[i-1], m.Games[simulations[i]], t.Opening)
		if s != nil {
			t.Count(s.Games, s.Distinct)
		}
		if err != nil {
			return t, t.Interrupt(texts[i], err)
		}
		r := s.Players[0].Rating
		if r == nil {
			return nil, fmt.Errorf("%s against %s: no rating: %s", texts[i], texts[i-1], s.Unfit)
		}
		share := 100 * s.Dominance[0][1].Mean()
		if math.IsInf(r.Low, 0) || math.IsInf(r.High, 0) {
			t.Unbounded = &Unbounded{texts[i], texts[i-1], s.Games, share}
			break
		}
		t.Steps = append(t.Steps, Step{texts[i], texts[i-1], s.Games, s.Distinct, *r, share})
		// The steps are independent of each other, so their variances add up.
		below += (r.Elo - r.Low) * (r.Elo - r.Low)
		above += (r.High - r.Elo) * (r.High - r.Elo)
		elo := t.Anchors[i-1].Elo + r.Elo
		t.Anchors = append(t.Anchors, arena.Anchor{
			Player: texts[i], Simulations: simulations[i],
			Elo: round(elo), Low: round(elo - math.Sqrt(below)),
			High: round(elo + math.Sqrt(above)),
		})
	}
	return t, nil
}

// round rounds to a tenth.
func round(x float64) float64 { return math.Round(10*x) / 10 }

func (m *Measurement) match(
	ctx context.Context, stronger, weaker player.Player, games, opening int,
) (_ *arena.Standings, err error) {
	t := &arena.Tournament{
		Game: m.Game, Players: []player.Player{stronger, weaker}, Anchor: 1,
		Games: games, Seed: m.Seed, Opening: opening, Workers: runtime.GOMAXPROCS(0),
		GamesPerWorker: 1,
	}
	if m.Dir != "" {
		folder := filepath.Join(m.Dir,
			strings.NewReplacer(":", "-", "=", "-", ",", "-").Replace(m.Game.Name()),
			stronger.Name())
		if t.Store, err = arena.OpenStore(vfs.OS{}, folder, t); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, t.Store.Close()) }()
		t.Store.EachDamaged(m.Damaged)
	}
	return t.Play(ctx, func(played, all int) {
		if m.Progress != nil {
			m.Progress(stronger.Name(), played, all)
		}
	})
}
