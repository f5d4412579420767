package cards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
	"tengen/research"
	"tengen/vfs"
)

// Match is a match of two players that swap seats after every game.
type Match struct {
	Players       [2]Side `json:"players"`
	Games         int     `json:"games"`
	Wins          int     `json:"wins"` // of the first player
	Draws         int     `json:"draws"`
	Distinct      int     `json:"distinct_games"`
	research.Rate         // of the first player, a draw counted as half a win
	Turns         float64 `json:"turns"` // mean of a game, of both players
	// Test is the sequential test, nil if there was none.
	Test *arena.SPRTReport `json:"sprt,omitempty"`
}

// Side is one player of a match.
type Side struct {
	Name         string  `json:"player"`
	HP           float64 `json:"hp"`           // mean at the end
	Milliseconds float64 `json:"milliseconds"` // mean time of a decision; a turn has several
	// For players that search to a depth, Depth is the median of the depths completed, and
	// Depths counts decisions by depth; its last element counts those of depth 20 or more.
	Depth  int   `json:"depth,omitempty"`
	Depths []int `json:"decisions_by_depth,omitempty"`
}

// strongerTest tests whether the first player is 100 Elo stronger (64 % of wins) against its being
// equal.
var strongerTest = rating.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}

// batchPairs is the number of pairs of games between evaluations of the sequential test. It is
// fixed so that the result does not depend on the machine.
const batchPairs = 4

// match plays at most the given number of games between two players, in pairs with swapped seats.
// With a test it stops when the test has decided. If it is interrupted, it returns
// the match so far, nil without a pair of games, and an error, which it notes in made.
func (e *Experiments) match(
	ctx context.Context, first, second string, games int, test *rating.SPRT, made *research.Made,
) (*Match, error) {
	g, err := game.New(e.Game)
	if err != nil {
		return nil, err
	}
	if n := g.Players(); n != 2 {
		return nil, fmt.Errorf("%s has %d players: the matches are of two", g.Name(), n)
	}
	var sides [2]research.Measured
	for i, text := range [2]string{first, second} {
		p, err := e.Device.Parse(g, text)
		if err != nil {
			return nil, err
		}
		sides[i] = research.Measure(p)
	}
	what := sides[0].Name() + " against " + sides[1].Name()
	games += games % 2
	batch := games
	if test != nil {
		batch = min(games, 2*batchPairs)
	}
	r := &Match{}
	var results []arena.Result
	var pairs []float64
	var interrupted error
	for len(results) < games && interrupted == nil {
		found,
			err := e.pairs(ctx,
			g, sides, min(batch,
				games-len(results)), e.Seed+uint64(len(results)), func(finished int) {
				e.progress(what, "games", len(results)+finished, games)
			})
		if err != nil {
			ended := arena.InterruptedBy(err)
			if ended == nil {
				return nil, err
			}
			interrupted = made.Interrupt(what, ended.And(len(results), games))
		}
		results = append(results, found...)
		for i := 0; i < len(found); i += 2 {
			pairs = append(pairs, (research.Won(&found[i])+research.Won(&found[i+1]))/2)
		}
		if test == nil || len(pairs) == 0 {
			continue
		}
		llr, lower, upper, verdict := test.Test(pairs)
		r.Test = &arena.SPRTReport{
			Elo0: test.Elo0, Elo1: test.Elo1, Alpha: test.Alpha, Beta: test.Beta,
			LLR: llr, Lower: lower, Upper: upper, Verdict: verdict.String(),
		}
		if verdict != rating.Continue {
			break
		}
	}
	e.progress(what, "games", games, games)
	if len(results) == 0 {
		return nil, interrupted
	}
	made.Count(len(results), arena.Distinct(results))
	r.sum(results)
	r.Turns = research.Turns(results)
	for i := range sides {
		usage := sides[i].Usage
		s := &r.Players[i]
		s.Name, s.Depth, s.Depths = sides[i].Name(), usage.Depth(), usage.Depths
		s.Milliseconds = usage.Milliseconds()
	}
	return r, interrupted
}

// pairs plays games in pairs with swapped seats: on all cores, or one after another if a player
// thinks for a measured time.
func (e *Experiments) pairs(
	ctx context.Context, g game.Game, sides [2]research.Measured, games int, seed uint64,
	progress func(finished int),
) ([]arena.Result, error) {
	match := arena.Match{
		Game: g, Players: []player.Player{sides[0], sides[1]}, Seatings: [][]int{{0, 1}, {1, 0}},
		Games: games, Seed: seed, Workers: runtime.GOMAXPROCS(0), GamesPerWorker: 1,
	}
	if player.IsTimed(sides[0]) || player.IsTimed(sides[1]) {
		return research.Rows(ctx, match, 1, progress)
	}
	return match.Play(ctx, progress)
}

// sum sets the totals and means of the games.
func (r *Match) sum(results []arena.Result) {
	r.Games, r.Distinct = len(results), arena.Distinct(results)
	total := 0.0
	for i := range results {
		won := research.Won(&results[i])
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
	r.Rate = research.NewRate(rate, r.Games)
}

// Table4 is the paper's Table 4, representative moves against all cards at
// equal depth, with a match at equal time, which the paper does not have.
type Table4 struct {
	research.Made `json:"made"`
	Game          string `json:"game"`
	Depth         *Match `json:"depth"`
	Time          *Match `json:"time,omitempty"`
	// Losses are what choosing by representative moves costs.
	Losses *Losses `json:"losses,omitempty"`
}

// Table4 plays the matches. If it is interrupted, it returns those so far and an error.
func (e *Experiments) Table4(ctx context.Context, made research.Made) (*Table4, error) {
	t := &Table4{Made: made, Game: e.Game}
	var err error
	if t.Depth, err = e.byDepth(ctx, 3, 3, &t.Made); err != nil {
		return t, err
	}
	if e.Games > 0 {
		if t.Time, err = e.match(ctx, e.timed("expectiminimax")+",rm=true",
			e.timed("expectiminimax"), e.Games, nil, &t.Made); err != nil {
			return t, err
		}
	}
	if e.Decisions > 0 {
		if t.Losses, err = e.losses(ctx, "depth=3,rm=true", 3, e.Decisions); err != nil {
			return t, t.Interrupt("the decisions of representative moves", err)
		}
	}
	return t, nil
}

// Table5 is the paper's Table 5: representative moves to depth 5 against all
// cards to depth 3.
type Table5 struct {
	research.Made `json:"made"`
	Game          string `json:"game"`
	Depth         *Match `json:"depth"`
}

// Table5 plays the match. If it is interrupted, it returns the games so far and an error.
func (e *Experiments) Table5(ctx context.Context, made research.Made) (*Table5, error) {
	t := &Table5{Made: made, Game: e.Game}
	var err error
	t.Depth, err = e.byDepth(ctx, 5, 3, &t.Made)
	return t, err
}

// byDepth plays representative moves to one depth against all cards to another.
func (e *Experiments) byDepth(
	ctx context.Context, representative, full int, made *research.Made,
) (*Match, error) {
	return e.match(ctx, fmt.Sprintf("expectiminimax:depth=%d,rm=true", representative),
		fmt.Sprintf("expectiminimax:depth=%d", full), 2*e.Pairs, &strongerTest, made)
}

// timed returns a kind of player with the time of a move.
func (e *Experiments) timed(kind string) string { return fmt.Sprintf("%s:time=%v", kind, e.Time) }

// chunkGames is the number of games of a chunk. It is fixed, and the seed of a chunk follows from
// its number, so that a match is the same however often it was interrupted.
const chunkGames = 10

// chunked plays a match by depth in chunks. With e.Save finished chunks are kept there as files,
// and are not played again. If it is interrupted, it returns the chunks so far and an error.
func (e *Experiments) chunked(
	ctx context.Context, first, second string, games int, made *research.Made,
) (*Match, error) {
	var whole *Match
	for number := 0; number*chunkGames < games; number++ {
		part := *e
		part.Seed = e.Seed + uint64(number)<<32
		n := min(chunkGames, games-number*chunkGames)
		path := e.chunkPath(first, second, n, number)
		m, err := readChunk(path)
		switch {
		case err != nil:
			return whole, err
		case m != nil:
			made.Count(m.Games, m.Distinct)
			made.Kept += m.Games
		default:
			part.Progress = func(what, unit string, finished, _ int) {
				e.progress(what, unit, number*chunkGames+finished, games)
			}
			m, err = part.match(ctx, first, second, n, nil, made)
			if err == nil && path != "" {
				err = writeChunk(path, m)
			}
		}
		if m != nil {
			whole = whole.and(m)
		}
		if err != nil {
			return whole, err
		}
		e.progress(m.Players[0].Name+" against "+m.Players[1].Name, "games",
			whole.Games, max(games, whole.Games))
	}
	return whole, nil
}

// chunkPath returns the file of a chunk, "" without e.Save. Its name depends on everything that the
// games depend on.
func (e *Experiments) chunkPath(first, second string, games, number int) string {
	if e.Save == "" {
		return ""
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s\n%s\n%d\n%d", e.Game, first, second, e.Seed, games)
	return filepath.Join(e.Save, fmt.Sprintf("%016x-%03d.json", h.Sum64(), number))
}

// chunkVersion is that of the files of chunks.
const chunkVersion = 1

// chunk is the content of such a file.
type chunk struct {
	Version int `json:"version"`
	Match
}

// readChunk returns nil if there is no such file.
func readChunk(path string) (*Match, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m *Match
	if err == nil {
		m, err = parseChunk(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; remove the file to play these games again", path, err)
	}
	return m, nil
}

func parseChunk(data []byte) (*Match, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Version != chunkVersion {
		return nil, fmt.Errorf("version %d; this program reads version %d", c.Version, chunkVersion)
	}
	m := &c.Match
	if m.Games < 1 || m.Games > chunkGames {
		return nil, fmt.Errorf("%d games, of at most %d", m.Games, chunkGames)
	}
	if m.Wins < 0 || m.Draws < 0 || m.Wins+m.Draws > m.Games || m.Distinct < 1 ||
		m.Distinct > m.Games {
		return nil, fmt.Errorf("%d wins, %d draws and %d distinct games of %d",
			m.Wins, m.Draws, m.Distinct, m.Games)
	}
	for _, s := range m.Players {
		if len(s.Depths) > research.MostDepth+1 ||
			slices.ContainsFunc(s.Depths, func(n int) bool { return n < 0 || n > math.MaxInt32 }) {
			return nil, fmt.Errorf("decisions by depth of %s: %d counts, of at most %d",
				s.Name, len(s.Depths), research.MostDepth+1)
		}
	}
	return m, nil
}

func writeChunk(path string, m *Match) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(chunk{chunkVersion, *m})
	if err != nil {
		return err
	}
	return vfs.WriteBytes(vfs.OS{}, path, data)
}

// and returns the two matches of the same players, which search to a depth, as one. m may be nil.
func (m *Match) and(n *Match) *Match {
	if m == nil {
		return n
	}
	games := m.Games + n.Games
	of := func(a, b float64, k, l int) float64 {
		return (a*float64(k) + b*float64(l)) / float64(max(1, k+l))
	}
	both := &Match{
		Games: games, Wins: m.Wins + n.Wins, Draws: m.Draws + n.Draws,
		Distinct: m.Distinct + n.Distinct,
		Turns:    of(m.Turns, n.Turns, m.Games, n.Games),
	}
	both.Rate = research.NewRate((float64(both.Wins)+float64(both.Draws)/2)/float64(games), games)
	for i := range both.Players {
		a, b, s := &m.Players[i], &n.Players[i], &both.Players[i]
		s.Name = a.Name
		s.HP = of(a.HP, b.HP, m.Games, n.Games)
		usage := research.Usage{Depths: make([]int, max(len(a.Depths), len(b.Depths)))}
		decisions := [2]int{}
		for k, depths := range [][]int{a.Depths, b.Depths} {
			for depth, count := range depths {
				usage.Depths[depth] += count
				decisions[k] += count
			}
		}
		s.Depth, s.Depths = usage.Depth(), usage.Depths
		s.Milliseconds = of(a.Milliseconds, b.Milliseconds, decisions[0], decisions[1])
	}
	return both
}
