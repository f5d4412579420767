package arena

import (
	"context"
	"fmt"
	"slices"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
)

// Tournament is a match in which every player meets every other in every seat. In each of its
// rounds every seating of [Seatings] has one game. The games of a round have the same opening,
// and their order is drawn.
type Tournament struct {
	Game    game.Game
	Players []player.Player // 2 or more
	// Networks, if not nil, has a digest of each player's network, "" for players without one.
	// A saved match can't be resumed after one has changed.
	Networks []string
	Games    int // rounded up to whole rounds
	Seed     uint64
	// Opening is the number of decisions drawn at the start of each round's games, as in Match;
	// see DefaultOpening.
	Opening int
	// Alone plays, instead of all seatings, those in which the first of two players has one seat
	// and the second all others.
	Alone  bool
	Anchor int // player whose rating is 0
	// Until, if above 0, ends the tournament after the first round at which the 95 % intervals
	// of all players' mean points have at most this half-width, but not before ten rounds have
	// been counted.
	Until float64
	// SPRT, if not nil, ends the tournament after the first round at which it has a verdict on
	// the first player against the second. It requires two players and a game for two.
	SPRT *rating.SPRT
	// saves the games; those that it holds are not played again; may be nil
	Store                   *Store
	Workers, GamesPerWorker int           // as in Match
	Remote                  RemoteWorkers // as in Match

	seatings [][]int
}

// match returns the games of the tournament, which Validate has checked, as a Match.
func (t *Tournament) match() *Match {
	n := len(t.seatings)
	return &Match{
		Game: t.Game, Players: t.Players, Seatings: t.seatings, Games: (t.Games + n - 1) / n * n,
		Drawn: true, Seed: t.Seed,
		Workers: t.Workers, GamesPerWorker: t.GamesPerWorker, Opening: t.Opening, Remote: t.Remote,
	}
}

// untilRounds is the number of rounds before which Until can't end the tournament: the spread
// of fewer rounds is hardly known.
const untilRounds = 10

// Play plays the games that the store does not have and returns the standings. It calls
// progress, if not nil, after each game, from one goroutine at a time, with the number of games
// that this call has played and the number that it will play unless the tournament ends early.
// If ctx ends or an evaluator fails it returns the standings after the rounds that are complete up
// to the first that is not, and an *Interrupted; finished games are in the store. The standings do
// not depend on the number of workers or of calls, unless a player's moves have a time limit:
// stopping rules are tested at the end of each round in the order of rounds, and later games do
// not count.
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
	m := t.match()
	var failed error
	ended := false
	lost := newWorkQueue(m, t.Store, func(results []Result) {
		if failed != nil || ended {
			return
		}
		if t.Store != nil {
			if failed = t.Store.add(m, results); failed != nil {
				stop()
				return
			}
		}
		for _, r := range results {
			c.enter(r)
		}
		if progress != nil {
			progress(c.finished-before, c.games-before)
		}
		if c.advance() {
			ended = true
			stop()
		}
	}).play(inner, m.remote(), t.Store != nil)
	switch {
	case failed != nil:
		return nil, failed
	case !ended:
		if lost == nil {
			lost = ctx.Err()
		}
		s := t.standings(c)
		s.Interrupted = &Interrupted{
			Games: s.Games, Planned: c.games, LeftOut: c.finished - s.Games, cause: lost,
		}
		return s, s.Interrupted
	}
	return t.standings(c), nil
}

// Validate returns an error of one line if the tournament can't be played.
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
	if t.Alone {
		if len(t.Players) != 2 {
			return refuse(
				"one player against copies of another is a match of two players, not of %d",
				len(t.Players))
		}
		seatings = slices.DeleteFunc(seatings, func(s []int) bool {
			own := 0
			for _, p := range s {
				own += 1 - p
			}
			return own != 1
		})
	}
	switch {
	case t.Games < len(seatings):
		return refuse(
			"%d games; the %d players have %d seatings, so at least as many games are wanted",
			t.Games, len(t.Players), len(seatings))
	case t.Opening < 0:
		return refuse("an opening of %d decisions; 0 or more are wanted", t.Opening)
	case t.Anchor < 0 || t.Anchor >= len(t.Players):
		return refuse("the anchor is player %d, who does not exist", t.Anchor)
	case !(t.Until >= 0):
		return refuse("intervals of ± %g; a number above 0 is wanted", t.Until)
	case t.SPRT != nil && (len(t.Players) != 2 || t.Game.Players() != 2):
		return refuse("a sequential test compares two players in a game for two; here are %d, in a game for %d", len(t.Players), t.Game.Players())
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

// drawsNothing reports whether games with the same opening are equal: neither chance nor any
// player is known to draw.
func (t *Tournament) drawsNothing() bool {
	return !game.HasChance(t.Game) && !slices.ContainsFunc(t.Players, player.Draws)
}

// scheduler decides which game of a tournament is played next, and tracks the results.
type scheduler struct {
	tournament *Tournament
	games      int              // of all rounds
	open       map[int][]Result // by round: the finished games of those that are not counted yet
	finished   int
	tally      *tally
	stopped    string // what ended the tournament before its last round, or ""
}

func newScheduler(t *Tournament) *scheduler {
	n := len(t.seatings)
	rounds := (t.Games + n - 1) / n
	least, most := game.ScoreRange(t.Game)
	c := &scheduler{
		tournament: t, games: rounds * n, open: map[int][]Result{},
		tally: newTally(len(t.Players), t.Game.Players(), t.seatings, t.drawsNothing(),
			least, most),
	}
	for r := range t.Store.below(c.games) {
		c.enter(r)
	}
	return c
}

// enter records a finished game.
func (c *scheduler) enter(r Result) {
	r.actions = nil // saved
	round := r.Number / len(c.tournament.seatings)
	c.open[round] = append(c.open[round], r)
	c.finished++
}

// advance counts the rounds that have become complete, in their order, up to the one that ends
// the tournament. It reports whether the tournament has ended.
func (c *scheduler) advance() bool {
	n := len(c.tournament.seatings)
	round := make([]Result, n)
	for len(c.open[c.tally.rounds]) == n {
		for _, r := range c.open[c.tally.rounds] {
			round[r.Seating] = r
		}
		delete(c.open, c.tally.rounds)
		counted := c.tally.counted
		c.tally.add(round)
		if c.tally.counted > counted && c.stop() {
			return true
		}
	}
	return c.tally.rounds == c.games/n
}

// stop reports whether the tournament ends after the round just counted.
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
