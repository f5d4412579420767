package truth

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/research"
	"tengen/run"
	"tengen/search"
	"tengen/trainer"
)

// Game is the game of the page.
const Game = "connect-four"

// mostCheckpoints of a run are measured, evenly spread.
const mostCheckpoints = 8

// Measurement measures players on sets of positions.
type Measurement struct {
	Game        game.Game
	Sets        []Set
	Simulations []int // of searches, ascending; iterations of unbounded best-first minimax
	Seed        uint64
	Device      research.Device
	// Progress, if not nil, is called as decisions are made.
	Progress func(what string, done, all int)
}

// Table is what players do on the sets.
type Table struct {
	research.Made `json:"made"`
	Game          string  `json:"game"`
	Run           string  `json:"run,omitempty"`
	Positions     int     `json:"positions"` // of each set
	Stages        []Range `json:"stages"`
	Rows          []Row   `json:"rows"`
}

// Range is a stage of the table.
type Range struct {
	Name string `json:"name"`
	From int    `json:"from_plies"`
	To   int    `json:"to_plies"`
	Open int    `json:"open"` // positions in which the result can be thrown away
}

// Row is one player.
type Row struct {
	Player      string  `json:"player"`
	Simulations int     `json:"simulations"`      // 0: the network alone
	Proofs      bool    `json:"proofs,omitempty"` // the search proves values
	Iteration   int     `json:"iteration"`        // of the checkpoint; 0 without a run
	Games       int     `json:"games"`            // of self-play until then
	Hours       float64 `json:"hours"`            // of training until then
	Cells       []Cell  `json:"cells"`            // [stages]
}

// Cell is what a player does on a set.
type Cell struct {
	Outcome research.Rate  `json:"outcome"`        // moves that keep the result
	Exact   research.Rate  `json:"exact"`          // moves that also keep the number of plies to it
	Open    *research.Rate `json:"open,omitempty"` // of open positions, moves that keep the result
}

func (m *Measurement) table(made research.Made) *Table {
	t := &Table{Made: made, Game: m.Game.Name()}
	for _, set := range m.Sets {
		open := 0
		for i := range set.Positions {
			if set.Positions[i].Open() {
				open++
			}
		}
		t.Positions = len(set.Positions)
		t.Stages = append(t.Stages, Range{set.Name, set.Least, set.Most, open})
	}
	return t
}

// UCT measures UCT with random playouts, without and with proofs. If ctx ends, it returns the rows
// so far and the error.
func (m *Measurement) UCT(ctx context.Context, made research.Made) (*Table, error) {
	t := m.table(made)
	for _, proofs := range []bool{false, true} {
		for _, n := range m.Simulations {
			u := player.Baseline
			u.Simulations, u.Utility, u.Proofs = n, player.Unit, proofs
			if err := m.add(ctx, t, Row{
				Player: u.Name(), Simulations: n, Proofs: proofs,
			}, u); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// Run measures networks of a run: each checkpoint alone and with the fewest simulations, the last
// with all of them. If ctx ends, it returns the rows so far and the error.
func (m *Measurement) Run(
	ctx context.Context, folder run.Folder, made research.Made,
) (*Table, error) {
	config, err := folder.ReadConfig()
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(config)
	if err != nil {
		return nil, err
	}
	if plan.Game.Name() != m.Game.Name() {
		return nil, fmt.Errorf("%s is a run of %s, not of %s",
			folder, plan.Game.Name(), m.Game.Name())
	}
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	kept, err := checkpoints.List(folder.Checkpoints())
	if err != nil {
		return nil, err
	}
	var iterations []int
	for _, entry := range kept {
		iterations = append(iterations, entry.Iteration)
	}
	if iterations = spread(iterations, mostCheckpoints); len(iterations) == 0 {
		return nil, fmt.Errorf("%s holds no checkpoint", folder)
	}
	t := m.table(made)
	t.Run = string(folder)
	for i, iteration := range iterations {
		c,
			err := checkpoints.Load(filepath.Join(folder.Checkpoints(),
			fmt.Sprintf("%06d", iteration)))
		if err != nil {
			return nil, err
		}
		params := c.Params
		if c.Average != nil {
			params = c.Average
		}
		weights, err := m.Device.Load(params)
		if err != nil {
			return nil, err
		}
		row := Row{Iteration: iteration}
		for _, e := range history {
			if e.Progress != nil && e.Iteration == iteration {
				row.Games, row.Hours = e.Games, e.Elapsed/3600
			}
		}
		// Without a policy the network alone takes the action whose position it values most.
		label := fmt.Sprintf("%s@%d", filepath.Base(string(folder)), iteration)
		var alone player.Player = &player.RawPolicy{
			Label: label, Weights: weights, Canonical: config.Search.Canonical,
		}
		if plan.Descends() {
			alone = plan.NetworkPlayer(label, weights, 1)
		}
		row.Player = alone.Name()
		if err := m.add(ctx, t, row, alone); err != nil {
			return t, err
		}
		simulations := m.Simulations
		if i < len(iterations)-1 {
			simulations = simulations[:1]
		}
		for _, n := range simulations {
			p := plan.NetworkPlayer(label, weights, n)
			row.Player, row.Simulations, row.Proofs = p.Name(), n, config.Search.Proofs
			if err := m.add(ctx, t, row, p); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// spread returns at most n iterations of a list, which is in order: the last, and those nearest to
// parts of it, since a run keeps fewer of its beginning than of its end.
func spread(list []int, n int) []int {
	if len(list) <= n {
		return list
	}
	var chosen []int
	for i := 1; i <= n; i++ {
		at := list[len(list)-1] * i / n
		next, there := slices.BinarySearch(list, at)
		if !there && next > 0 && at-list[next-1] <= list[next]-at {
			next--
		}
		chosen = append(chosen, list[next])
	}
	return slices.Compact(chosen)
}

// add measures a player on all sets.
func (m *Measurement) add(ctx context.Context, t *Table, row Row, p player.Player) error {
	row.Cells = nil
	for k := range m.Sets {
		actions, err := m.decide(ctx, p, k, func(done, all int) {
			if m.Progress != nil {
				m.Progress(p.Name()+", "+m.Sets[k].Name, done, all)
			}
		})
		if err != nil {
			return t.Interrupt(p.Name(), err)
		}
		row.Cells = append(row.Cells, m.Sets[k].judge(actions))
	}
	t.Count(len(m.Sets)*t.Positions, len(m.Sets)*t.Positions)
	t.Rows = append(t.Rows, row)
	return nil
}

// judge compares actions on the positions of the set with perfect play.
func (s *Set) judge(actions []game.Action) Cell {
	var outcomes, exacts, open, openKept int
	for i := range s.Positions {
		p := &s.Positions[i]
		outcome, exact := p.Kept(actions[i])
		if exact {
			exacts++
		}
		if outcome {
			outcomes++
		}
		if p.Open() {
			open++
			if outcome {
				openKept++
			}
		}
	}
	n := len(s.Positions)
	c := Cell{Outcome: rate(outcomes, n), Exact: rate(exacts, n)}
	if open > 0 {
		r := rate(openKept, open)
		c.Open = &r
	}
	return c
}

func rate(k, n int) research.Rate { return research.NewRate(float64(k)/float64(n), n) }

// concurrent is the number of positions or turns that a worker plays at once, so that batches are
// filled.
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
