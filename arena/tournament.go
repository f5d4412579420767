package arena

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
)

// Tournament is a match in which every player meets every other in every seat.
// It is played in rounds: in each, every seating of [Seatings] has one game, in
// an order drawn for the round, and all of them have the same opening.
type Tournament struct {
	Game    game.Game
	Players []player.Player // 2 or more
	// Networks, where not nil, has a digest of each player's network, "" for
	// players without one. A saved match can't be resumed after one has changed.
	Networks []string
	Games    int // to be played; rounded up to whole rounds
	Seed     uint64
	// Opening is the number of decisions at the start of each round's games
	// that are drawn, as in Match; DefaultOpening where nobody says.
	Opening int
	Anchor  int // player whose rating is 0
	// Until, where above 0, ends the tournament after the first round, but not
	// before the tenth that counts, at which the 95 % intervals of all players' mean points
	// have at most this half-width.
	Until float64
	// SPRT, where not nil, ends the tournament after the first round at which it has a
	// verdict on the first player against the second. There must be two, in a game of two.
	SPRT                    *rating.SPRT
	Store                   *Store // keeps the games, and holds those that need not be played; may be nil
	Workers, GamesPerWorker int    // as in Match

	seatings [][]int
}

// untilRounds is how many rounds there must be before Until may end the
// tournament: the spread of fewer is hardly known.
const untilRounds = 10

// Play plays the games that the store does not have and returns the standings. It
// calls progress, if not nil, after each game, from one goroutine at a time, with the
// number of games that this call has played, and the number that it plays if nothing
// ends the tournament early. It returns the context's error when ctx ends; finished
// games are in the store. The standings are the same on any number of workers, in one
// call or several, unless a player thinks for a measured time: the tournament ends at
// the end of a round, tested in the order of rounds, and later games do not count.
func (t *Tournament) Play(ctx context.Context, progress func(played, all int)) (*Standings, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	c := newScheduler(t)
	if c.advance() {
		return t.standings(c), nil
	}
	before := c.finished
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s := schedule{
		game: t.Game, players: t.Players, seatings: t.seatings, seed: t.Seed, opening: t.Opening,
		rounds: true, keep: t.Store != nil, workers: t.Workers, gamesPerWorker: t.GamesPerWorker,
		games: len(c.results) - before, next: c.next,
	}
	var failed error
	ended := false
	lost := s.play(inner, func(results []Result) {
		if failed != nil || ended {
			return
		}
		if t.Store != nil {
			if failed = t.Store.add(t, results); failed != nil {
				stop()
				return
			}
		}
		for _, r := range results {
			c.enter(r)
		}
		if progress != nil {
			progress(c.finished-before, len(c.results)-before)
		}
		if c.advance() {
			ended = true
			stop()
		}
	})
	switch {
	case failed != nil:
		return nil, failed
	case !ended && lost != nil:
		return nil, lost
	case !ended:
		return nil, ctx.Err()
	}
	return t.standings(c), nil
}

// Validate says what is wrong with the tournament, in one line.
func (t *Tournament) Validate() error {
	refuse := func(form string, args ...any) error {
		return fmt.Errorf("tournament of %s: %s", t.Game.Name(), fmt.Sprintf(form, args...))
	}
	if len(t.Players) < 2 {
		return refuse("%d players; at least 2 are wanted", len(t.Players))
	}
	seatings, err := Seatings(len(t.Players), t.Game.Players())
	if err != nil {
		return refuse("%v", err)
	}
	switch {
	case t.Games < len(seatings):
		return refuse("%d games; the %d players can sit in %d ways, so at least as many games are wanted", t.Games, len(t.Players), len(seatings))
	case t.Opening < 0:
		return refuse("an opening of %d decisions; 0 or more are wanted", t.Opening)
	case t.Anchor < 0 || t.Anchor >= len(t.Players):
		return refuse("no player has number %d to be the anchor", t.Anchor)
	case !(t.Until >= 0):
		return refuse("intervals of ± %g; a number above 0 is wanted", t.Until)
	case t.SPRT != nil && (len(t.Players) != 2 || t.Game.Players() != 2):
		return refuse("a sequential test is of two players in a game of two; here are %d, in a game of %d", len(t.Players), t.Game.Players())
	case t.Networks != nil && len(t.Networks) != len(t.Players):
		return refuse("%d digests of networks for %d players", len(t.Networks), len(t.Players))
	}
	if t.SPRT != nil {
		if err := t.SPRT.Validate(); err != nil {
			return refuse("%v", err)
		}
	}
	t.seatings = seatings
	return nil
}

// drawsNothing says whether the same opening gives the same game: neither
// chance nor any player is known to draw.
func (t *Tournament) drawsNothing() bool {
	return !hasChance(t.Game) && !slices.ContainsFunc(t.Players, player.Draws)
}

// scheduler says which games of a tournament are played when, and how it stands.
type scheduler struct {
	tournament *Tournament
	kept       []bool   // by number: not to be played, since the store has it
	results    []Result // by number, in rounds
	missing    []int    // by round: games not finished
	finished   int
	tally      *tally
	stopped    string // what has ended the tournament before its last round

	mu    sync.Mutex
	ahead int   // the next number
	order []int // of the seatings in its round
}

func newScheduler(t *Tournament) *scheduler {
	n := len(t.seatings)
	rounds := (t.Games + n - 1) / n
	c := &scheduler{
		tournament: t, kept: make([]bool, rounds*n), results: make([]Result, rounds*n), missing: make([]int, rounds),
		tally: newTally(len(t.Players), t.Game.Players(), t.seatings, t.drawsNothing()),
	}
	for i := range c.missing {
		c.missing[i] = n
	}
	if t.Store == nil {
		return c
	}
	for number, r := range t.Store.games {
		if number < len(c.results) {
			seating := seatingOrder(t.Seed, number/n, n)[number%n]
			c.kept[number] = true
			c.enter(r.result(seating))
		}
	}
	return c
}

// next returns the games in their order. It is called by several goroutines.
func (c *scheduler) next() (scheduledGame, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.tournament.seatings)
	for c.ahead < len(c.kept) {
		number := c.ahead
		if number%n == 0 {
			c.order = seatingOrder(c.tournament.Seed, number/n, n)
		}
		c.ahead++
		if !c.kept[number] {
			return scheduledGame{index: number, number: number, seating: c.order[number%n], opening: number - number%n}, true
		}
	}
	return scheduledGame{}, false
}

// enter takes a finished game.
func (c *scheduler) enter(r Result) {
	r.actions = nil // saved
	c.results[r.Number] = r
	c.missing[r.Number/len(c.tournament.seatings)]--
	c.finished++
}

// advance counts the rounds that have become complete, in their order, up to
// the first at which the tournament ends. It says whether it has ended.
func (c *scheduler) advance() bool {
	n := len(c.tournament.seatings)
	round := make([]Result, n)
	for c.tally.rounds < len(c.missing) && c.missing[c.tally.rounds] == 0 {
		for _, r := range c.results[c.tally.rounds*n:][:n] {
			round[r.Seating] = r
		}
		counted := c.tally.counted
		c.tally.add(round)
		if c.tally.counted > counted && c.stop() {
			return true
		}
	}
	return c.tally.rounds == len(c.missing)
}

// stop asks, at the end of a round, whether it was the last.
func (c *scheduler) stop() bool {
	t := c.tournament
	if t.SPRT != nil {
		if _, _, _, verdict := t.SPRT.Test(c.tally.pairs); verdict != rating.Continue {
			c.stopped = "sprt"
			return true
		}
	}
	if t.Until > 0 && c.tally.counted >= untilRounds && c.tally.widest() <= t.Until {
		c.stopped = "until"
		return true
	}
	return false
}
