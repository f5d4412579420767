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

// Helper plays games of a Match beside its workers, such as on other machines. A game depends on the match and its number
// alone, so the results are the same.
type Helper interface {
	// Help takes games from d and hands in finished ones until ctx ends: then the match needs no more games.
	Help(ctx context.Context, d *Desk)
}

// Contestant describes a player of a match to those who play it elsewhere: a network with its simulations, or another player.
type Contestant struct {
	Params      *nn.Params
	Simulations int
	Player      string // as player.Parse reads it; "" for a network
}

// Desk hands the games of a Match to its Helper. It is safe for concurrent use.
type Desk struct {
	match    *Match
	progress func(int)

	mu       sync.Mutex
	next     int   // the first game that nobody has
	back     []int // that the Helper has given back
	lent     map[int]bool
	results  []Result
	finished int
	changed  chan struct{} // receives a value when a game is finished or given back
}

func newDesk(m *Match, progress func(int)) *Desk {
	return &Desk{match: m, progress: progress, lent: map[int]bool{}, results: make([]Result, m.Games), changed: make(chan struct{}, 1)}
}

// Match returns the match. It must not be changed.
func (d *Desk) Match() *Match { return d.match }

// Left returns the number of games that nobody has begun.
func (d *Desk) Left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.match.Games - d.next + len(d.back)
}

// Take returns the numbers of at most n games to play; none are left if it returns none.
func (d *Desk) Take(n int) (numbers []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(numbers) < n && d.next < d.match.Games {
		numbers = append(numbers, d.next)
		d.lent[d.next] = true
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

// GiveBack gives games that were taken and are not finished to the workers of the match. If the Helper finishes one nevertheless, whichever
// ends first counts.
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

// Finish hands in a game by its actions, outcomes of chance included. It returns false if the game is not wanted (any more), and an error
// if the actions are no finished game.
func (d *Desk) Finish(number int, actions []game.Action) (wanted bool, err error) {
	if number < 0 || number >= d.match.Games {
		return false, fmt.Errorf("game %d of a match of %d games", number, d.match.Games)
	}
	r, err := resultOf(d.match.Game, number, number%len(d.match.Seatings), actions)
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

// resultOf returns the result of a game by its actions.
func resultOf(g game.Game, number, seating int, actions []game.Action) (Result, error) {
	record := Record{Number: number, Actions: actions}
	r := record.result(seating)
	last := g.NewState()
	err := record.Replay(g, func(s game.State, ply int) {
		if t, ok := s.(game.Turned); ok && ply < len(actions) {
			r.Turns = t.Turn() + 1
		}
		if ply == len(actions) {
			last.CopyFrom(s)
		}
	})
	if err != nil {
		return r, err
	}
	if last.CurrentPlayer() != game.Nobody {
		return r, fmt.Errorf("game %d: after its %d actions it is not over", number, len(actions))
	}
	r.Scores, r.Returns = make([]float32, g.Players()), make([]float32, g.Players())
	game.Scores(last, r.Scores)
	last.Returns(r.Returns)
	return r, nil
}

// record notes finished games, those of the match's own workers too, and returns how many were not finished before.
func (d *Desk) record(list []Result) (fresh int) {
	d.mu.Lock()
	for _, r := range list {
		if d.results[r.Number].Scores != nil {
			continue
		}
		fresh++
		d.results[r.Number] = r
		delete(d.lent, r.Number)
		d.back = slices.DeleteFunc(d.back, func(n int) bool { return n == r.Number })
		d.finished++
		if d.progress != nil {
			d.progress(d.finished)
		}
	}
	d.mu.Unlock()
	d.signal()
	return fresh
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
	i := d.next
	switch {
	case len(d.back) > 0:
		i = d.back[0]
		d.back = d.back[1:]
	case i < d.match.Games:
		d.next++
	default:
		return scheduledGame{}, false
	}
	return d.match.scheduled(i), true
}

// wait waits until the Helper has finished or given back what it has. It returns true if there are games for the workers of the
// match then.
func (d *Desk) wait(ctx context.Context) bool {
	for {
		d.mu.Lock()
		more, lent := len(d.back) > 0 || d.next < d.match.Games, len(d.lent)
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
	g := scheduledGame{index: i, number: i, seating: i % len(m.Seatings), opening: i}
	if m.Paired {
		g.number = i / len(m.Seatings)
		g.opening = g.number
	}
	return g
}

// Some plays some games of the match for a Helper, and returns the actions of each, outcomes of chance included.
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
		workers: m.Workers, gamesPerWorker: m.GamesPerWorker, games: m.Games, next: next,
	}
}

// helps reports whether the Helper may play games: a move that is limited by time is another one elsewhere.
func (m *Match) helps() bool {
	return m.Helper != nil && !slices.ContainsFunc(m.Players, player.IsTimed)
}
