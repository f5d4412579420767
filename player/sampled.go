package player

import (
	"context"
	"fmt"
	"math"
	"sync"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nash"
	"tengen/search"
)

// PolicyOptions say how PolicyOf asks players.
type PolicyOptions struct {
	Samples int    // of each set
	Seed    uint64 // of all that is drawn; the policy depends on nothing else
	Workers int    // goroutines; 0: one
	// Progress, if not nil, is called from time to time with the decisions that have been made.
	// Calls are not concurrent.
	Progress func(done, all int)
}

// concurrent is the number of decisions that a worker has under way, whose evaluations are one
// batch.
const concurrent = 32

// Exact reports whether a player's policy is known without samples.
func Exact(p Player) bool {
	_, ok := p.(Explicit)
	return ok
}

// PolicyOf returns the policy of players, one for each seat; a Player may have several. It returns
// an error of an evaluator, the context's when ctx ends, and one for a player that sees what its
// seat can't see.
//
// Of an Explicit player the probabilities are taken as they are. Any other is asked several times
// in each set, each time as in a game of its own: its agent begins with another random stream, and
// gets another determinized copy of a state of the set (Observer), since it sees nothing else of a
// game with hidden information. The share of each action is its policy. It is the policy of a
// player that decides by what it sees at the time alone; an agent that keeps a search from one
// decision to the next may play another.
//
// A sampled policy has noise, of which a best response takes advantage: NashConv is too high rather
// than too low, by an amount that falls with the square root of the number of samples. A player
// that chooses the same action whatever its random stream is measured exactly.
func PolicyOf(
	ctx context.Context, tree *nash.Tree, players []Player, o PolicyOptions,
) (nash.Policy, error) {
	g, sets := tree.Game(), tree.Sets()
	if len(players) != g.Players() {
		return nil, fmt.Errorf("%d players for the %d seats of %s",
			len(players), g.Players(), g.Name())
	}
	for _, p := range players {
		if SeesAll(p.NewAgent(g)) {
			return nil,
				fmt.Errorf("%s sees what is hidden from its seat, so that it has no policy",
					p.Name())
		}
	}
	s := &sampler{game: g, sets: sets, players: players, o: o, policy: tree.Uniform()}
	// Sets with one key look the same to an agent.
	type view struct {
		seat game.Player
		key  uint64
	}
	first := map[view]int{}
	same := make([]int, len(sets))
	for i := range sets {
		v := view{sets[i].Player, sets[i].Key}
		if _, ok := first[v]; !ok {
			first[v] = i
			if len(sets[i].Actions) > 1 {
				if Exact(players[v.seat]) {
					s.exact = append(s.exact, i)
				} else {
					s.ask = append(s.ask, i)
				}
			}
		}
		same[i] = first[v]
	}
	if err := s.explicit(); err != nil {
		return nil, err
	}
	if err := s.sample(ctx); err != nil {
		return nil, err
	}
	for i, k := range same {
		copy(s.policy[i], s.policy[k])
	}
	return s.policy, nil
}

// sampler asks players.
type sampler struct {
	game    game.Game
	sets    []nash.Set
	players []Player
	o       PolicyOptions
	exact   []int // sets of explicit players
	ask     []int // sets of others
	policy  nash.Policy

	mu   sync.Mutex
	done int
}

// at returns a state of a set.
func (s *sampler) at(set int) game.State {
	state := s.game.NewState()
	for _, a := range s.sets[set].Path {
		state.Apply(a)
	}
	return state
}

// explicit fills in the policies of explicit players.
func (s *sampler) explicit() error {
	evaluators := make([]search.Evaluator, len(s.players))
	for _, i := range s.exact {
		x := &s.sets[i]
		p := s.players[x.Player].(Explicit)
		if evaluators[x.Player] == nil {
			evaluators[x.Player] = p.NewEvaluator(s.game, 1)
		}
		if err := p.Probabilities(s.at(i), evaluators[x.Player], x.Actions,
			s.policy[i]); err != nil {
			return fmt.Errorf("%s: %w", p.Name(), err)
		}
		for k, v := range s.policy[i] {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("%s plays %s with probability %v",
					p.Name(), game.ActionName(s.game, s.at(i), x.Actions[k]), v)
			}
		}
	}
	return nil
}

// sample asks the other players.
func (s *sampler) sample(ctx context.Context) error {
	for _, i := range s.ask {
		clear(s.policy[i])
	}
	workers := min(max(1, s.o.Workers), max(1, len(s.ask)))
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() { errs[w] = s.work(ctx, w, workers) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, i := range s.ask {
		for k := range s.policy[i] {
			s.policy[i][k] /= float64(s.o.Samples)
		}
	}
	return nil
}

// work asks in every set of which the index among all that are asked, divided by workers, leaves w.
func (s *sampler) work(ctx context.Context, w, workers int) error {
	q := &queue{sampler: s, next: w, step: workers}
	index, evaluators := make([]int, len(s.players)), []search.Evaluator(nil)
	n := concurrent
	for p, x := range s.players {
		if IsTimed(x) {
			n = 1 // a search by time has a core of its own
		}
		index[p] = len(evaluators)
		if e := x.NewEvaluator(s.game, concurrent); e != nil {
			evaluators = append(evaluators, e)
		} else {
			index[p] = -1
		}
	}
	if len(evaluators) == 0 {
		n = 1
	}
	tasks := make([]search.Task, n)
	for i := range tasks {
		tasks[i] = &asker{
			queue: q, evaluators: index, agents: make([]Agent, len(s.players)),
			state: s.game.NewState(), observer: NewObserver(s.game), ctx: ctx,
		}
	}
	if err := search.Drive(ctx, tasks, evaluators); err != nil {
		return err
	}
	return ctx.Err()
}

// queue hands out a worker's samples.
type queue struct {
	*sampler
	next, step, sample int
	state              game.State // of the set
}

// take returns the next sample, false if there is none.
func (q *queue) take() (set, sample int, ok bool) {
	if q.next >= len(q.ask) {
		return 0, 0, false
	}
	set, sample = q.ask[q.next], q.sample
	if sample == 0 {
		q.state = q.at(set)
	}
	if q.sample++; q.sample == q.o.Samples {
		q.next, q.sample = q.next+q.step, 0
	}
	return set, sample, true
}

// count adds a decision.
func (s *sampler) count(set int, a game.Action) {
	for k, b := range s.sets[set].Actions {
		if a == b {
			s.policy[set][k]++
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.o.Progress != nil {
		s.o.Progress(s.done, len(s.ask)*s.o.Samples)
	}
}

// asker asks agents for one decision after another.
type asker struct {
	*queue
	ctx        context.Context
	evaluators []int // by player
	agents     []Agent
	state      game.State // to decide in
	observer   *Observer
	set        int
	busy       bool
}

// Advance implements search.Task.
func (a *asker) Advance(requests []search.Requests) int {
	for a.ctx.Err() == nil {
		if !a.busy && !a.begin() {
			break
		}
		seat := a.sets[a.set].Player
		var r search.Requests
		e := a.evaluators[seat]
		if e >= 0 {
			r = requests[e]
		}
		action, decided := a.agents[seat].Think(a.view(), r)
		if !decided {
			return e
		}
		a.busy = false
		a.count(a.set, action)
	}
	return search.Done
}

// view is what the agent sees of the state.
func (a *asker) view() game.State { return a.observer.Observe(a.state, len(a.sets[a.set].Path)) }

// begin begins the next sample: a game of its own, whose number follows from set and sample.
func (a *asker) begin() bool {
	set, sample, ok := a.take()
	if !ok {
		return false
	}
	a.set, a.busy = set, true
	a.state.CopyFrom(a.queue.state)
	x := &a.sets[set]
	if a.agents[x.Player] == nil {
		a.agents[x.Player] = a.players[x.Player].NewAgent(a.game)
	}
	number := uint64(set)<<32 | uint64(sample)
	a.observer.Begin(a.o.Seed, random.Arena, number, x.Player)
	agent := a.agents[x.Player]
	agent.Begin(random.New(a.o.Seed, random.Arena, number, uint64(x.Player)+1))
	for _, action := range x.Path {
		if a.observer.Hides() {
			action = game.NoAction
		}
		agent.Played(action)
	}
	return true
}

// Deliver implements search.Task.
func (a *asker) Deliver(rows search.Evaluations) { a.agents[a.sets[a.set].Player].Deliver(rows) }
