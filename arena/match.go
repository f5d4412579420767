package arena

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"tengen/game"
	"tengen/player"
)

// Match is a number of games among players.
type Match struct {
	Game    game.Game
	Players []player.Player
	// Seatings says who sits where: element p of a seating is the index in
	// Players of the player in seat p. Game i has seating i mod len(Seatings).
	Seatings [][]int
	Games    int // in all
	Seed     uint64
	// Workers play on goroutines of their own, and each plays Slate games side
	// by side. With a player who thinks for a measured time (player.Timed) the
	// games are played one after the other, whatever these say: a move that
	// waits for other games would lose its time.
	Workers        int
	GamesPerWorker int
	// Opening is the number of decisions at the start of each game that nobody
	// makes: they are drawn, each legal action as likely as the others, so that
	// games among players who draw little differ. Sole legal actions and chance
	// do not count.
	Opening int
}

// Result is one finished game.
type Result struct {
	Number  int       // 0 to Games-1
	Seating int       // index in Match.Seatings
	Scores  []float32 // raw scores by seat
	Returns []float32 // utilities by seat
	Plies   int
	Line    uint64 // equal for games of the same actions, within one process

	actions []game.Action // where fixtures.keep asks for them
}

// lines is the seed of Result.Line.
var lines = maphash.MakeSeed()

// Play plays all games and returns their results in order of number. progress,
// if not nil, is told after each game how many are finished, by one goroutine
// at a time. When ctx ends, Play returns its error, and where a player's evaluator fails
// (search.Failing) that one's.
func (m *Match) Play(ctx context.Context, progress func(finished int)) ([]Result, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	var number atomic.Int64
	f := fixtures{
		game: m.Game, players: m.Players, seatings: m.Seatings, seed: m.Seed, opening: m.Opening,
		workers: m.Workers, slate: m.GamesPerWorker, games: m.Games,
		next: func() (fixture, bool) {
			i := int(number.Add(1) - 1)
			return fixture{number: i, seating: i % len(m.Seatings), opening: i}, i < m.Games
		},
	}
	results := make([]Result, m.Games)
	n := 0
	err := f.play(ctx, func(finished []Result) {
		for _, r := range finished {
			results[r.Number] = r
			n++
			if progress != nil {
				progress(n)
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

func (m *Match) validate() error {
	if m.Games < 1 || len(m.Seatings) == 0 {
		return fmt.Errorf("match of %s: no games to play", m.Game.Name())
	}
	if m.Opening < 0 {
		return fmt.Errorf("match of %s: an opening of %d decisions; 0 or more are wanted", m.Game.Name(), m.Opening)
	}
	for _, seating := range m.Seatings {
		if len(seating) != m.Game.Players() {
			return fmt.Errorf("match of %s: %d seats are filled, but the game has %d", m.Game.Name(), len(seating), m.Game.Players())
		}
		for _, p := range seating {
			if p < 0 || p >= len(m.Players) {
				return fmt.Errorf("match of %s: no player has number %d", m.Game.Name(), p)
			}
		}
	}
	return nil
}

// Distinct is the number of games that differ in at least one action.
func Distinct(results []Result) int {
	seen := map[uint64]bool{}
	for _, r := range results {
		seen[r.Line] = true
	}
	return len(seen)
}
