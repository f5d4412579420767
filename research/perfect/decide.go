package perfect

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// concurrent is the number of positions that a worker decides at once, so that batches are filled.
const concurrent = 32

// decide returns the actions of a player on the positions of set number k. Each is a decision of
// its own.
func (m *Measurement) decide(
	ctx context.Context, p player.Player, k int, progress func(done, all int),
) ([]game.Action, error) {
	positions := m.Sets[k].Positions
	actions := make([]game.Action, len(positions))
	workers := max(1, min(runtime.GOMAXPROCS(0), len(positions)/concurrent))
	each := m.Device.GamesPerWorker(concurrent)
	var next, done atomic.Int64
	var mu sync.Mutex
	finished := func(i int, a game.Action) {
		actions[i] = a
		n := int(done.Add(1))
		mu.Lock()
		defer mu.Unlock()
		progress(n, len(positions))
	}
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			var evaluators []search.Evaluator
			if e := p.NewEvaluator(m.Game, each); e != nil {
				defer search.Close(e)
				evaluators = append(evaluators, e)
			}
			var tasks []search.Task
			for range each {
				tasks = append(tasks, &decisions{
					ctx: ctx, agent: p.NewAgent(m.Game), positions: positions, next: &next,
					finished: finished, seed: m.Seed, set: uint64(k),
				})
			}
			errs[w] = search.Drive(ctx, tasks, evaluators)
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return actions, ctx.Err()
}

// decisions decides one position after another.
type decisions struct {
	ctx       context.Context
	agent     player.Agent
	positions []Position
	next      *atomic.Int64
	finished  func(i int, a game.Action)
	seed, set uint64
	i         int
	thinking  bool
}

// Advance implements search.Task.
func (d *decisions) Advance(requests []search.Requests) int {
	var own search.Requests
	if len(requests) > 0 {
		own = requests[0]
	}
	for {
		if !d.thinking {
			d.i = int(d.next.Add(1)) - 1
			if d.i >= len(d.positions) || d.ctx.Err() != nil {
				return search.Done
			}
			d.agent.Begin(random.New(d.seed, random.Arena, d.set, uint64(d.i), 1))
		}
		a, decided := d.agent.Think(d.positions[d.i].State, own)
		if d.thinking = !decided; d.thinking {
			return 0
		}
		d.finished(d.i, a)
	}
}

// Deliver implements search.Task.
func (d *decisions) Deliver(evaluations search.Evaluations) { d.agent.Deliver(evaluations) }
