package arena

import (
	"context"
	"fmt"
	"hash/maphash"

	"tengen/game"
	"tengen/player"
)

// Match plays a number of games among players.
type Match struct {
	Game    game.Game
	Players []player.Player
	// Element p of a seating is the index in Players of the player in seat p.
	// Game i has seating i mod len(Seatings).
	Seatings [][]int
	Games    int // total
	// Paired says that the games of a round (one game of each seating) have the same streams:
	// equal openings, outcomes of chance and draws of the agents in each seat. The value of an
	// opening or of a seat then cancels out within a round.
	Paired bool
	// Drawn says that the games are those of a [Tournament]: the order of the seatings in a round
	// is drawn, and the games of a round have the same opening, outcomes of chance before its end
	// included.
	Drawn bool
	Seed  uint64
	// Workers is the number of goroutines, each of which plays GamesPerWorker games
	// concurrently. With a player whose moves have a time limit (player.Timed) games are played
	// one after another: a move that waits for other games would lose its time.
	Workers        int
	GamesPerWorker int
	// Opening is the number of decisions at the start of each game that are drawn uniformly
	// from the legal actions, so that games among nearly deterministic players differ. Forced
	// moves and outcomes of chance do not count.
	Opening int
	// Store, if not nil, saves the games; those that it holds are not played again. It is
	// OpenMatchStore's.
	Store *Store
	// Helper, if not nil, plays games beside the workers. Nobody helps with a player whose moves
	// have a time limit.
	Helper Helper
}

// Result is one finished game.
type Result struct {
	Number  int       // 0 to Games-1
	Seating int       // index in Match.Seatings
	Scores  []float32 // raw scores by seat
	Returns []float32 // utilities by seat
	Plies   int
	Turns   int    // if the game counts them (game.Turned)
	Line    uint64 // equal for games of the same actions, within one process

	actions []game.Action // if schedule.keep is set
}

// lines is the seed of Result.Line.
var lines = maphash.MakeSeed()

// Play plays the games that the store does not have, and returns the results of all in order of
// number. It calls progress, if not nil, after each game with the number of finished games, those
// in the store included, from one goroutine at a time. If ctx ends or an evaluator fails it returns
// an *Interrupted, and the results of the rounds (one game of each seating) that are complete up to
// the first that is not.
func (m *Match) Play(ctx context.Context, progress func(finished int)) ([]Result, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	results := make([]Result, m.Games)
	var missing []int
	for i := range results {
		if kept, ok := m.Store.game(i); ok {
			results[i] = kept
		} else {
			missing = append(missing, i)
		}
	}
	n := m.Games - len(missing)
	var failed error
	err := newDesk(m, missing, func(finished []Result) {
		if failed != nil {
			return
		}
		if m.Store != nil {
			if failed = m.Store.add(m, finished); failed != nil {
				stop()
				return
			}
		}
		for _, r := range finished {
			r.actions = nil // saved, or of a Helper's game
			results[r.Number] = r
			if n++; progress != nil {
				progress(n)
			}
		}
	}).play(inner, m.helper(), m.Store != nil)
	if failed != nil {
		return nil, failed
	}
	if err == nil && n < m.Games {
		err = ctx.Err()
	}
	if err != nil {
		results = results[:wholeRounds(results, len(m.Seatings))]
		return results, &Interrupted{
			Games: len(results), Planned: m.Games, LeftOut: n - len(results), cause: err,
		}
	}
	return results, nil
}

// wholeRounds returns the number of games of the rounds that are complete up to the first that is
// not. Games that have not ended have no scores.
func wholeRounds(results []Result, seatings int) int {
	for i := range results {
		if results[i].Scores == nil {
			return i / seatings * seatings
		}
	}
	return len(results)
}

func (m *Match) validate() error {
	if m.Games < 1 || len(m.Seatings) == 0 {
		return fmt.Errorf("match of %s: no games to play", m.Game.Name())
	}
	if m.Opening < 0 {
		return fmt.Errorf("match of %s: an opening of %d decisions; 0 or more are wanted",
			m.Game.Name(), m.Opening)
	}
	for _, seating := range m.Seatings {
		if len(seating) != m.Game.Players() {
			return fmt.Errorf("match of %s: %d seats are filled, but the game has %d",
				m.Game.Name(), len(seating), m.Game.Players())
		}
		for _, p := range seating {
			if p < 0 || p >= len(m.Players) {
				return fmt.Errorf("match of %s: no player has number %d", m.Game.Name(), p)
			}
		}
	}
	return nil
}

// Distinct returns the number of games that differ in at least one action from all earlier
// ones.
func Distinct(results []Result) int {
	seen := map[uint64]bool{}
	for _, r := range results {
		seen[r.Line] = true
	}
	return len(seen)
}
