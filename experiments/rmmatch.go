package experiments

import (
	"context"
	"fmt"
	"runtime"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
)

// RMMatch is a match of two players, who swap seats after every game.
type RMMatch struct {
	Players  [2]RMSide `json:"players"`
	Games    int       `json:"games"`
	Wins     int       `json:"wins"` // of the first player
	Draws    int       `json:"draws"`
	Distinct int       `json:"distinct_games"`
	Rate               // of the first player, a draw being half a win
	Turns    float64   `json:"turns"` // mean of a game, both players' counted
	// Test is the sequential test, where there was one.
	Test *arena.SPRTReport `json:"sprt,omitempty"`
}

// RMSide is one of the players.
type RMSide struct {
	Name         string  `json:"player"`
	HP           float64 `json:"hp"`           // mean at the end
	Milliseconds float64 `json:"milliseconds"` // mean time a decision, of which a turn has several
	// Depth is the median of the depths completed, of players that search to one,
	// and Depths counts the decisions by that depth, the last those of 20 or more.
	Depth  int   `json:"depth,omitempty"`
	Depths []int `json:"decisions_by_depth,omitempty"`
}

// rmTest decides whether the first player is 100 Elo stronger (64 %) rather than equal.
var rmTest = rating.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}

// rmBatch is the number of pairs between two looks at the sequential test: a
// fixed one, so that the result does not depend on the machine.
const rmBatch = 4

// match plays games of two players, at most so many, in pairs with swapped seats:
// all, or with a test until it has decided.
func (m *RMGames) match(ctx context.Context, first, second string, games int, test *rating.SPRT) (*RMMatch, error) {
	g, err := game.New(m.Game)
	if err != nil {
		return nil, err
	}
	if n := g.Players(); n != 2 {
		return nil, fmt.Errorf("%s has %d players: the matches are of two", g.Name(), n)
	}
	var sides [2]watched
	for i, text := range [2]string{first, second} {
		p, err := player.Parse(g, text)
		if err != nil {
			return nil, err
		}
		sides[i] = watch(p)
	}
	what := sides[0].Name() + " against " + sides[1].Name()
	games += games % 2
	batch := games
	if test != nil {
		batch = min(games, 2*rmBatch)
	}
	r := &RMMatch{}
	var results []arena.Result
	var pairs []float64
	for len(results) < games {
		found, err := m.pairs(ctx, g, sides, min(batch, games-len(results)), m.Seed+uint64(len(results)), func(finished int) {
			m.progress(what, "games", len(results)+finished, games)
		})
		if err != nil {
			return nil, err
		}
		results = append(results, found...)
		for i := 0; i < len(found); i += 2 {
			pairs = append(pairs, (wins(&found[i])+wins(&found[i+1]))/2)
		}
		if test == nil {
			continue
		}
		llr, lower, upper, verdict := test.Test(pairs)
		r.Test = &arena.SPRTReport{
			Elo0: test.Elo0, Elo1: test.Elo1, Alpha: test.Alpha, Beta: test.Beta,
			LLR: llr, Lower: lower, Upper: upper, Verdict: verdict.String(),
		}
		if verdict != rating.Continue && !m.Whole {
			break
		}
	}
	m.progress(what, "games", games, games)
	r.sum(results)
	r.Turns = meanTurns(results)
	for i := range sides {
		seen := sides[i].seen
		s := &r.Players[i]
		s.Name, s.Depth, s.Depths = sides[i].Name(), seen.depth(), seen.depths
		s.Milliseconds = 1000 * seen.spent.Seconds() / float64(max(1, seen.decisions))
	}
	return r, nil
}

// pairs plays games in pairs with swapped seats. Those of players who think for a
// measured time are played one after the other, in so many rows side by side as
// m.Parallel says; of the others, on all cores.
func (m *RMGames) pairs(ctx context.Context, g game.Game, sides [2]watched, games int, seed uint64, progress func(finished int)) ([]arena.Result, error) {
	match := arena.Match{
		Game: g, Players: []player.Player{sides[0], sides[1]}, Seatings: [][]int{{0, 1}, {1, 0}},
		Games: games, Seed: seed, Workers: runtime.NumCPU(), GamesPerWorker: 1,
	}
	if sides[0].Timed() || sides[1].Timed() {
		return inRows(ctx, match, m.Parallel, progress)
	}
	return match.Play(ctx, progress)
}

// sum adds the games up.
func (r *RMMatch) sum(results []arena.Result) {
	r.Games, r.Distinct = len(results), arena.Distinct(results)
	total := 0.0
	for i := range results {
		won := wins(&results[i])
		total += won
		switch won {
		case 1:
			r.Wins++
		case 0.5:
			r.Draws++
		}
		seat := results[i].Seating
		r.Players[0].HP += float64(results[i].Scores[seat]) / float64(len(results))
		r.Players[1].HP += float64(results[i].Scores[1-seat]) / float64(len(results))
	}
	rate := total / float64(r.Games)
	r.Rate = rateOf(rate, r.Games)
}

// RMTable4 is the paper's Table 4, representative moves against all cards at
// equal depth; and, which the paper lacks, at equal time.
type RMTable4 struct {
	Made  Made     `json:"made"`
	Game  string   `json:"game"`
	Depth *RMMatch `json:"depth"`
	Time  *RMMatch `json:"time,omitempty"`
	// Losses say what representative moves cost.
	Losses *RMLosses `json:"losses,omitempty"`
}

// Table4 plays the matches.
func (m *RMGames) Table4(ctx context.Context, made Made) (*RMTable4, error) {
	t := &RMTable4{Made: made, Game: m.Game}
	var err error
	if t.Depth, err = m.byDepth(ctx, 3, 3); err != nil {
		return nil, err
	}
	if m.Games > 0 {
		if t.Time, err = m.match(ctx, m.timed("expectiminimax")+",rm=true", m.timed("expectiminimax"), m.Games, nil); err != nil {
			return nil, err
		}
	}
	if m.Decisions > 0 {
		if t.Losses, err = m.losses(ctx, "depth=3,rm=true", 3, m.Decisions); err != nil {
			return nil, err
		}
	}
	t.Made.count(t.Depth, t.Time)
	return t, nil
}

// RMTable5 is the paper's Table 5: representative moves to depth 5 against all
// cards to depth 3.
type RMTable5 struct {
	Made  Made     `json:"made"`
	Game  string   `json:"game"`
	Depth *RMMatch `json:"depth"`
}

// Table5 plays the match.
func (m *RMGames) Table5(ctx context.Context, made Made) (*RMTable5, error) {
	t := &RMTable5{Made: made, Game: m.Game}
	var err error
	if t.Depth, err = m.byDepth(ctx, 5, 3); err != nil {
		return nil, err
	}
	t.Made.count(t.Depth)
	return t, nil
}

// byDepth plays representative moves to one depth against all cards to another.
func (m *RMGames) byDepth(ctx context.Context, representative, full int) (*RMMatch, error) {
	return m.match(ctx, fmt.Sprintf("expectiminimax:depth=%d,rm=true", representative), fmt.Sprintf("expectiminimax:depth=%d", full), 2*m.Pairs, &rmTest)
}

// timed is a kind of player with the time a move.
func (m *RMGames) timed(kind string) string { return fmt.Sprintf("%s:time=%v", kind, m.Time) }

// count adds up the games of matches.
func (made *Made) count(matches ...*RMMatch) {
	for _, r := range matches {
		if r != nil {
			made.Games += r.Games
			made.Distinct += r.Distinct
		}
	}
}
