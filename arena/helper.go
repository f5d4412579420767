package arena

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/nn"
	"tengen/player"
)

// Helper plays games of a Match beside its workers, such as on other machines. A game depends on
// the match and its number alone, so the results are the same.
type Helper interface {
	// Help takes games from d and hands in finished ones until ctx ends: then the match needs no
	// more games.
	Help(ctx context.Context, d *Desk)
}

// Contestant describes a player of a match to those who play it elsewhere: a network with its
// simulations, which plays as the run's networks do or as those of Config, or another player.
type Contestant struct {
	Params      *nn.Params
	Simulations int
	// as player.Elsewhere describes it, with Params if it has a network; "" for a network of the
	// run
	Player string
	// configuration of the network's run, as YAML; "": none, or without Player that of this run
	Config string
}

// Desk hands the games of a Match to its Helper. It is safe for concurrent use.
type Desk struct {
	match   *Match
	numbers []int // of the games to play, in order
	deliver func([]Result)

	delivering sync.Mutex // held while deliver is called; taken before mu
	closed     bool       // deliver is called no more

	mu      sync.Mutex
	next    int   // index of the first game that nobody has
	back    []int // that the Helper has given back
	lent    map[int]bool
	over    []bool        // by number
	changed chan struct{} // receives a value when a game is finished or given back
}

// newDesk returns a Desk of some games of a match. deliver is called with results of games that
// were not finished before, from one goroutine at a time.
func newDesk(m *Match, numbers []int, deliver func([]Result)) *Desk {
	return &Desk{
		match: m, numbers: numbers, deliver: deliver, lent: map[int]bool{},
		over: make([]bool, m.Games), changed: make(chan struct{}, 1),
	}
}

// play plays the games, with a helper if that is not nil. It returns once nobody plays any more:
// all games are finished, ctx has ended, or an evaluator has failed, whose error it returns.
func (d *Desk) play(ctx context.Context, helper Helper, keep bool) (err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var beside sync.WaitGroup
	if helper != nil {
		beside.Go(func() {
			helper.Help(inner, d)
			d.GiveBack(d.taken())
		})
	}
	for more := true; more && err == nil; more = d.wait(ctx) {
		s := d.match.schedule(d.begin)
		s.games, s.keep = len(d.numbers), keep
		err = s.play(ctx, func(finished []Result) { d.record(finished) })
	}
	cancel()
	beside.Wait()
	d.delivering.Lock()
	d.closed = true // the Helper may still hand in games
	d.delivering.Unlock()
	return err
}

// Match returns the match. It must not be changed.
func (d *Desk) Match() *Match { return d.match }

// Left returns the number of games that nobody has begun.
func (d *Desk) Left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.numbers) - d.next + len(d.back)
}

// Take returns the numbers of at most n games to play; none are left if it returns none.
func (d *Desk) Take(n int) (numbers []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(numbers) < n && d.next < len(d.numbers) {
		number := d.numbers[d.next]
		numbers = append(numbers, number)
		d.lent[number] = true
		d.next++
	}
	return numbers
}

// taken returns the games that the Helper has.
func (d *Desk) taken() (numbers []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n := range d.lent {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// Wanted reports whether a game was taken and is neither finished nor given back.
func (d *Desk) Wanted(number int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lent[number]
}

// GiveBack gives games that were taken and are not finished to the workers of the match. If the
// Helper finishes one nevertheless, whichever ends first counts.
func (d *Desk) GiveBack(numbers []int) {
	d.mu.Lock()
	for _, n := range numbers {
		if d.lent[n] {
			delete(d.lent, n)
			d.back = append(d.back, n)
		}
	}
	d.mu.Unlock()
	d.signal()
}

// Finish hands in a game by its actions, outcomes of chance included. It returns false if the game
// is not wanted (any more), and an error if the actions are no finished game, or not one of this
// number: its opening and its outcomes of chance follow from that. What players decided is not
// checked.
func (d *Desk) Finish(number int, actions []game.Action) (wanted bool, err error) {
	if number < 0 || number >= d.match.Games {
		return false, fmt.Errorf("game %d of a match of %d games", number, d.match.Games)
	}
	r, err := d.match.resultOf(number, actions)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	// Nobody has a game that is finished.
	wanted = d.lent[number] || slices.Contains(d.back, number)
	d.mu.Unlock()
	if wanted {
		wanted = d.record([]Result{r}) > 0
	}
	return wanted, nil
}

// record notes finished games, those of the match's own workers too, and returns how many were not
// finished before.
func (d *Desk) record(list []Result) int {
	d.delivering.Lock()
	defer d.delivering.Unlock()
	if d.closed {
		return 0
	}
	d.mu.Lock()
	var fresh []Result
	for _, r := range list {
		if d.over[r.Number] {
			continue
		}
		d.over[r.Number] = true
		fresh = append(fresh, r)
		delete(d.lent, r.Number)
		d.back = slices.DeleteFunc(d.back, func(n int) bool { return n == r.Number })
	}
	d.mu.Unlock()
	if len(fresh) > 0 {
		d.deliver(fresh)
	}
	d.signal()
	return len(fresh)
}

func (d *Desk) signal() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// begin returns the next game for a worker of the match.
func (d *Desk) begin() (scheduledGame, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	number := 0
	switch {
	case len(d.back) > 0:
		number = d.back[0]
		d.back = d.back[1:]
	case d.next < len(d.numbers):
		number = d.numbers[d.next]
		d.next++
	default:
		return scheduledGame{}, false
	}
	return d.match.scheduled(number), true
}

// wait waits until the Helper has finished or given back what it has. It returns true if there are
// games for the workers of the match then.
func (d *Desk) wait(ctx context.Context) bool {
	for {
		d.mu.Lock()
		more, lent := len(d.back) > 0 || d.next < len(d.numbers), len(d.lent)
		d.mu.Unlock()
		if more || lent == 0 || ctx.Err() != nil {
			return more && ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
		case <-d.changed:
		}
	}
}

// scheduled returns a game of the match.
func (m *Match) scheduled(i int) scheduledGame {
	n := len(m.Seatings)
	g := scheduledGame{index: i, number: i, seating: i % n, opening: i}
	switch {
	case m.Drawn:
		g.seating, g.opening = seatingOrder(m.Seed, i/n, n)[i%n], i-i%n
	case m.Paired:
		g.number = i / n
		g.opening = g.number
	}
	return g
}

// Some plays some games of the match for a Helper, and returns the actions of each, outcomes of
// chance included.
func (m *Match) Some(ctx context.Context, numbers []int) ([][]game.Action, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	at := map[int]int{}
	for i, n := range numbers {
		if n < 0 || n >= m.Games {
			return nil, fmt.Errorf("match of %s: game %d of %d", m.Game.Name(), n, m.Games)
		}
		at[n] = i
	}
	var taken atomic.Int64
	s := m.schedule(func() (scheduledGame, bool) {
		i := int(taken.Add(1) - 1)
		if i >= len(numbers) {
			return scheduledGame{}, false
		}
		return m.scheduled(numbers[i]), true
	})
	s.games, s.keep = len(numbers), true
	list := make([][]game.Action, len(numbers))
	n := 0
	err := s.play(ctx, func(finished []Result) {
		for _, r := range finished {
			list[at[r.Number]] = r.actions
			n++
		}
	})
	if err == nil && n < len(numbers) {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// schedule returns what plays games of the match.
func (m *Match) schedule(next func() (scheduledGame, bool)) schedule {
	return schedule{
		game: m.Game, players: m.Players, seatings: m.Seatings, seed: m.Seed, opening: m.Opening,
		rounds:  m.Drawn,
		workers: m.Workers, gamesPerWorker: m.GamesPerWorker, games: m.Games, next: next,
	}
}

// helper returns the Helper if it may play games: a move that is limited by time is another one
// elsewhere.
func (m *Match) helper() Helper {
	if slices.ContainsFunc(m.Players, player.IsTimed) {
		return nil
	}
	return m.Helper
}
