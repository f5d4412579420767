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

// RemoteWorkers play games of a Match beside its own workers, such as on other machines. A game
// depends on the match and its number alone, so the results are the same.
type RemoteWorkers interface {
	// Play takes games from q and hands in finished ones until ctx ends: then the match needs no
	// more games.
	Play(ctx context.Context, q *WorkQueue)
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

// WorkQueue hands the games of a Match to RemoteWorkers. It is safe for concurrent use.
type WorkQueue struct {
	match   *Match
	store   *Store // whose games are not played; may be nil
	all     int    // games to play
	deliver func([]Result)

	delivering sync.Mutex // held while deliver is called; taken before mu
	closed     bool       // deliver is called no more

	mu      sync.Mutex
	next    int           // number of the first game that nobody had
	left    int           // games that nobody had
	back    []int         // that RemoteWorkers have given back
	leased  map[int]bool  // RemoteWorkers have it
	over    []bool        // by number, up to the last that is
	changed chan struct{} // receives a value when a game is finished or given back
}

// newWorkQueue returns a WorkQueue of the games of a match that a store, which may be nil, does not
// have. deliver is called with results of games that were not finished before, from one goroutine
// at a time.
func newWorkQueue(m *Match, store *Store, deliver func([]Result)) *WorkQueue {
	q := &WorkQueue{
		match: m, store: store, all: m.Games, deliver: deliver, leased: map[int]bool{},
		changed: make(chan struct{}, 1),
	}
	for range store.below(m.Games) {
		q.all--
	}
	q.left = q.all
	return q
}

// first returns the number of the first game that nobody had, false if there is none.
func (q *WorkQueue) first() (number int, ok bool) {
	if q.left == 0 {
		return 0, false
	}
	for ; ; q.next++ {
		if _, kept := q.store.game(q.next); !kept {
			q.next++
			q.left--
			return q.next - 1, true
		}
	}
}

// play plays the games, with remote workers if they are not nil. It returns once nobody plays any
// more: all games are finished, ctx has ended, or an evaluator has failed, whose error it returns.
func (q *WorkQueue) play(ctx context.Context, remote RemoteWorkers, keep bool) (err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var beside sync.WaitGroup
	if remote != nil {
		beside.Go(func() {
			remote.Play(inner, q)
			q.GiveBack(q.taken())
		})
	}
	for more := true; more && err == nil; more = q.wait(ctx) {
		s := q.match.schedule(q.begin)
		s.games, s.keep = q.all, keep
		err = s.play(ctx, func(finished []Result) { q.record(finished) })
	}
	cancel()
	beside.Wait()
	q.delivering.Lock()
	q.closed = true // RemoteWorkers may still hand in games
	q.delivering.Unlock()
	return err
}

// Match returns the match. It must not be changed.
func (q *WorkQueue) Match() *Match { return q.match }

// Left returns the number of games that nobody has begun.
func (q *WorkQueue) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.left + len(q.back)
}

// Take returns the numbers of at most n games to play; none are left if it returns none.
func (q *WorkQueue) Take(n int) (numbers []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(numbers) < n {
		number, ok := q.first()
		if !ok {
			break
		}
		numbers = append(numbers, number)
		q.leased[number] = true
	}
	return numbers
}

// taken returns the games that RemoteWorkers have.
func (q *WorkQueue) taken() (numbers []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range q.leased {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// Wanted reports whether a game was taken and is neither finished nor given back.
func (q *WorkQueue) Wanted(number int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.leased[number]
}

// GiveBack gives games that were taken and are not finished to the workers of the match. If
// RemoteWorkers finish one nevertheless, whichever ends first counts.
func (q *WorkQueue) GiveBack(numbers []int) {
	q.mu.Lock()
	for _, n := range numbers {
		if q.leased[n] {
			delete(q.leased, n)
			q.back = append(q.back, n)
		}
	}
	q.mu.Unlock()
	q.signal()
}

// Finish hands in a game by its actions, outcomes of chance included. It returns false if the game
// is not wanted (any more), and an error if the actions are no finished game, or not one of this
// number: its opening and its outcomes of chance follow from that. What players decided is not
// checked.
func (q *WorkQueue) Finish(number int, actions []game.Action) (wanted bool, err error) {
	if number < 0 || number >= q.match.Games {
		return false, fmt.Errorf("game %d of a match of %d games", number, q.match.Games)
	}
	r, err := q.match.resultOf(number, actions)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	// Nobody has a game that is finished.
	wanted = q.leased[number] || slices.Contains(q.back, number)
	q.mu.Unlock()
	if wanted {
		wanted = q.record([]Result{r}) > 0
	}
	return wanted, nil
}

// record notes finished games, those of the match's own workers too, and returns how many were not
// finished before.
func (q *WorkQueue) record(list []Result) int {
	q.delivering.Lock()
	defer q.delivering.Unlock()
	if q.closed {
		return 0
	}
	q.mu.Lock()
	var fresh []Result
	for _, r := range list {
		if more := r.Number + 1 - len(q.over); more > 0 {
			q.over = append(q.over, make([]bool, more)...)
		}
		if q.over[r.Number] {
			continue
		}
		q.over[r.Number] = true
		fresh = append(fresh, r)
		delete(q.leased, r.Number)
		q.back = slices.DeleteFunc(q.back, func(n int) bool { return n == r.Number })
	}
	q.mu.Unlock()
	if len(fresh) > 0 {
		q.deliver(fresh)
	}
	q.signal()
	return len(fresh)
}

func (q *WorkQueue) signal() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// begin returns the next game for a worker of the match.
func (q *WorkQueue) begin() (scheduledGame, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.back) > 0 {
		number := q.back[0]
		q.back = q.back[1:]
		return q.match.scheduled(number), true
	}
	number, ok := q.first()
	if !ok {
		return scheduledGame{}, false
	}
	return q.match.scheduled(number), true
}

// wait waits until RemoteWorkers have finished or given back what they have. It returns true if
// there are games for the workers of the match then.
func (q *WorkQueue) wait(ctx context.Context) bool {
	for {
		q.mu.Lock()
		more, leased := len(q.back) > 0 || q.left > 0, len(q.leased)
		q.mu.Unlock()
		if more || leased == 0 || ctx.Err() != nil {
			return more && ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
		case <-q.changed:
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

// Some plays some games of the match for RemoteWorkers, and returns the actions of each, outcomes
// of chance included.
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

// remote returns Remote if it may play games: a move that is limited by time is another one
// elsewhere.
func (m *Match) remote() RemoteWorkers {
	if slices.ContainsFunc(m.Players, player.IsTimed) {
		return nil
	}
	return m.Remote
}
