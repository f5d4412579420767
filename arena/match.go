package arena

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"tengen/game"
	"tengen/internal/random"
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
	// Remote, if not nil, plays games beside the workers. Nobody helps with a player whose moves
	// have a time limit.
	Remote RemoteWorkers
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
	var results []Result
	n := 0
	enter := func(r Result) {
		if more := r.Number + 1 - len(results); more > 0 {
			results = append(results, make([]Result, more)...)
		}
		results[r.Number] = r
		n++
	}
	for r := range m.Store.below(m.Games) {
		enter(r)
	}
	var failed error
	err := newWorkQueue(m, m.Store, func(finished []Result) {
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
			r.actions = nil // saved, or of a game played elsewhere
			if enter(r); progress != nil {
				progress(n)
			}
		}
	}).play(inner, m.remote(), m.Store != nil)
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
	return len(results) / seatings * seatings
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

// maxSeatings bounds the games of a round.
const maxSeatings = 10_000

// Seatings lists every way in which players can fill seats, in lexicographic order: element p
// of a seating is the number of the player in seat p. If there are at least as many players as
// seats, no player has two seats: the seatings are the permutations of len(seats) players out
// of all. Otherwise every player has at least one seat. In both cases every player has each
// seat equally often. It returns an error if there are more than 10,000 seatings.
func Seatings(players, seats int) ([][]int, error) {
	if players < 1 || seats < 1 {
		return nil, fmt.Errorf("%d players at %d seats: at least one of each is wanted",
			players, seats)
	}
	if n := countSeatings(players, seats); n > maxSeatings {
		return nil, fmt.Errorf("%d players can fill %d seats in %d ways, and a round plays each; at most %d are possible: fewer players are wanted", players, seats, n, maxSeatings)
	}
	var all [][]int
	seating := make([]int, seats)
	times := make([]int, players) // seats that each has so far
	absent := players
	var sit func(seat int)
	sit = func(seat int) {
		if seat == seats {
			all = append(all, append([]int(nil), seating...))
			return
		}
		for p := range players {
			if players >= seats && times[p] > 0 {
				continue
			}
			if players < seats && times[p] > 0 && seats-seat == absent {
				continue // the remaining seats are for players without one
			}
			seating[seat] = p
			if times[p]++; times[p] == 1 {
				absent--
			}
			sit(seat + 1)
			if times[p]--; times[p] == 0 {
				absent++
			}
		}
	}
	sit(0)
	return all, nil
}

// countSeatings returns the number of seatings, or any number above maxSeatings if there are
// more.
func countSeatings(players, seats int) int {
	n := 1
	if players >= seats {
		for i := range seats {
			if n *= players - i; n > maxSeatings {
				break
			}
		}
		return n
	}
	// Count surjections of s seats onto m players by the player of the last seat: f(s, m) =
	// m·(f(s−1, m) + f(s−1, m−1)). There are at most 8 seats.
	f := make([]int, players+1)
	f[0] = 1
	for range seats {
		for m := players; m > 0; m-- {
			f[m] = m * (f[m] + f[m-1])
		}
		f[0] = 0
	}
	return f[players]
}

// seatingOrder returns the order in which the seatings of a round are played.
func seatingOrder(seed uint64, round, seatings int) []int {
	return random.New(seed, random.Seats, uint64(round)).Perm(seatings)
}

// openingWithoutDraws is the default number of opening decisions for deterministic players.
const openingWithoutDraws = 2

// DefaultOpening returns the default number of decisions drawn at the start of each game: 0 if
// the game has chance moves or all players draw, since their games differ anyway; else 2.
func DefaultOpening(g game.Game, players []player.Player) int {
	if game.HasChance(g) {
		return 0
	}
	for _, p := range players {
		if !player.Draws(p) {
			return openingWithoutDraws
		}
	}
	return 0
}

// Interrupted is the error of a match that ended before its last game, because its context ended
// or an evaluator failed. The results so far come with it. A game counts if all games of its round
// and of earlier rounds have ended: among the games in progress short ones end first, so that
// counting whatever has ended would favour them.
type Interrupted struct {
	Games   int `json:"games"` // that count
	Planned int `json:"planned_games"`
	LeftOut int `json:"left_out_games"` // that have ended and don't count

	cause error
}

// Interrupt returns the interruption by cause of a match of which so many games count.
func Interrupt(games, planned int, cause error) *Interrupted {
	return &Interrupted{Games: games, Planned: planned, cause: cause}
}

// Error implements error. If an evaluator failed it is that error's text.
func (i *Interrupted) Error() string {
	if errors.Is(i.cause, context.Canceled) || errors.Is(i.cause, context.DeadlineExceeded) {
		return fmt.Sprintf("stopped after %d of %d games", i.Games, i.Planned)
	}
	return i.cause.Error()
}

// Unwrap returns the context's or the evaluator's error.
func (i *Interrupted) Unwrap() error { return i.cause }

// Note says in a line for people which games count.
func (i *Interrupted) Note() string {
	text := fmt.Sprintf("%d of %d games; interrupted", i.Games, i.Planned)
	if i.LeftOut > 0 {
		text += fmt.Sprintf("; left out: %d that ended before earlier ones", i.LeftOut)
	}
	return text
}

// And returns the interruption of a longer series of games: of all that were planned, before of
// them had ended before this match began.
func (i *Interrupted) And(before, planned int) *Interrupted {
	return &Interrupted{
		Games: before + i.Games, Planned: planned, LeftOut: i.LeftOut, cause: i.cause,
	}
}

// InterruptedBy returns the Interrupted that err is or wraps, nil if there is none.
func InterruptedBy(err error) *Interrupted {
	var i *Interrupted
	errors.As(err, &i)
	return i
}
