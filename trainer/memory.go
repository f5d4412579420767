package trainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"time"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/selfplay"
)

// Memory is about what a run needs of the machine's memory, in bytes.
type Memory struct {
	// Window is that of the replay window at its greatest size. It lies outside the heap.
	Window  float64 `json:"window_bytes"`
	Network float64 `json:"network_bytes"` // weights, solver and activations
	Trees   float64 `json:"trees_bytes"`   // of all games that are played at a time
	Cache   float64 `json:"cache_bytes"`   // of evaluations
	Program float64 `json:"program_bytes"` // the rest
	// Game is that of a game in the window.
	Game float64 `json:"game_bytes"`

	stored float64 // bytes of a game on the disk
	config *configs.Config
	has    machine.Memory
	games  int     // of the run
	beside int     // games that are kept beside the window
	atOnce int     // games in a group of a worker
	key    string  // of atOnce
	least  float64 // what the network takes at least
}

// machineMemory returns what this process may use. Tests replace it.
var machineMemory = func() machine.Memory { return machine.ReadMemory(os.DirFS("/")) }

// All returns the sum of the parts.
func (m *Memory) All() float64 { return m.Window + m.live() }

// live returns what lies in the heap.
func (m *Memory) live() float64 { return m.Network + m.Trees + m.Cache + m.Program }

// Memory estimates what a run needs, from a few games that it plays with a network that takes no
// time. That takes a second or so.
func (p *Plan) Memory(ctx context.Context) (Memory, error) {
	games := p.Config.WarmStart.InitialGames
	if n := p.Config.Training.Iterations; n > 0 {
		games += n * p.Config.Training.Games
	}
	return p.memory(ctx, games)
}

// memory is Memory for a run of a number of games.
func (p *Plan) memory(ctx context.Context, games int) (Memory, error) {
	s, err := p.sampleGames(ctx)
	if err != nil {
		return Memory{}, err
	}
	return p.memoryOf(s, games), nil
}

// memoryOf estimates what a run of a number of games needs if they are like those of a sample.
func (p *Plan) memoryOf(s sample, games int) Memory {
	c := p.Config
	m := Memory{
		Cache: float64(int(c.SelfPlay.CacheMiB) << 20), Program: 64 << 20,
		Game: s.bytes, stored: s.stored, config: c, has: machineMemory(), games: games,
		least:  leastOf(&p.Spec, c.Training.Batch),
		atOnce: p.GamesPerWorker(), key: "selfplay.games_per_worker",
	}
	if p.device().Rows() > 0 {
		m.key = "selfplay.device_games_per_worker"
	}
	if c.Training.Cycle != configs.CycleSynchronous {
		// finished, and not learned from yet
		m.beside = c.Training.Games + p.ConcurrentGames()
	}
	// weights, two moments, average, folded copies
	m.Network = p.Spec.Count() * 4 * float64(4+p.Workers)
	m.Network += float64(c.Training.Batch*p.Spec.Cells()*p.Spec.Filters) * 4 *
		float64(2*p.Spec.Blocks+2) * 6
	rows := p.BatchRows() * p.Workers * p.groups()
	m.Network += float64(rows*(p.Spec.Planes*p.Spec.Cells()+p.Spec.Actions+p.Spec.Players)) * 4
	m.Trees = float64(p.ConcurrentGames()*c.Search.Simulations) *
		float64(p.Spec.Actions*32+64)
	if p.Descends() { // a state with its values, its node and the edge to it
		m.Trees = float64(p.ConcurrentGames()) * s.states * float64(48+4*p.Spec.Players)
	}
	m.Window = m.window(c.Replay)
	return m
}

// window returns the bytes of a window.
func (m *Memory) window(r configs.Replay) float64 {
	return m.Game * float64(min(m.games, r.Window(m.games))+m.beside)
}

// A sample of games is played with searches of few simulations, and then with as many as are
// configured, or as need no more evaluations than sampledEvaluations.
const (
	sampledGames       = 2
	fewSimulations     = 8
	sampledEvaluations = 40_000
	sampleTime         = 5 * time.Second
)

// sample is what games of a network are like, in the mean.
type sample struct {
	plies  float64
	bytes  float64 // in the window
	stored float64 // bytes on the disk
	states float64 // that searches have evaluated
}

// sampleGames plays some games. Where searches are long it plays with shorter ones, whose trees are
// smaller in proportion.
func (p *Plan) sampleGames(ctx context.Context) (s sample, err error) {
	limited, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	wanted := p.Config.Search.Simulations
	if p.Descends() {
		wanted = p.Config.Descent.Iterations
	}
	for budget := min(fewSimulations, wanted); ; {
		next, err := p.sampleWith(limited, budget)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && s.plies > 0 {
			return s, nil // what is known must do
		}
		if err != nil {
			return s, err
		}
		afford := int(float64(budget) * sampledEvaluations / (sampledGames * max(1, next.states)))
		s = next
		if p.Descends() {
			longer := float64(wanted) / float64(budget)
			s.bytes *= longer
			s.stored *= longer
			s.states *= longer
		}
		if afford = min(afford, wanted); afford <= budget {
			return s, nil
		}
		budget = afford
	}
}

// sampleWith plays games with a number of simulations, or iterations of Descent.
func (p *Plan) sampleWith(ctx context.Context, budget int) (s sample, err error) {
	q, config := *p, *p.Config
	q.Config = &config
	config.Search.Simulations, config.Descent.Iterations = budget, budget
	config.Search.FastSimulations = min(config.Search.FastSimulations, budget)
	config.SelfPlay.CacheMiB = 0
	play := p.Play
	play.Remote, play.CountEvaluations = nil, false
	if play.Network, err = q.actor(); err != nil {
		return s, err
	}
	job := selfplay.Job{Weights: &noWeights{p.Spec}, NewEvaluator: newFree}
	for i := range sampledGames {
		job.Games = append(job.Games, uint64(i))
	}
	counters := new(selfplay.Counters)
	var buf []byte
	err = selfplay.Play(ctx, &play, job, min(p.Workers, sampledGames), 1, counters,
		func(g *record.Game) error {
			s.plies += float64(len(g.Moves)) / sampledGames
			buf, err := record.AppendEncoded(buf[:0], g)
			if err != nil {
				return err
			}
			s.bytes += float64(len(buf)+gameOverhead) / sampledGames
			buf, err = record.Append(buf[:0], g)
			s.stored += float64(len(buf)) / sampledGames
			return err
		})
	s.states = float64(counters.Evaluations.Load()+counters.CacheHits.Load()) / sampledGames
	return s, err
}

// gameOverhead is what a game takes in the window beside its bytes.
const gameOverhead = 64

// noWeights is a network that newFree makes evaluators of.
type noWeights struct{ spec nn.Spec }

func (n *noWeights) Spec() nn.Spec              { return n.spec }
func (n *noWeights) NewEvaluator() nn.Evaluator { return newFree(n) }

// Fit compares what a run needs with what the machine has. A warning says that it needs more than
// others leave of it, about, and what would fit; "" if it fits. It is an error if it can't be: if
// the window, were its games half as long, and the network are more than the whole.
func (m *Memory) Fit() (warning string, err error) {
	if m.has.Total == 0 {
		return "", nil
	}
	t := m.config.Training
	full := t.Minutes == 0 && t.Evaluations == 0 // the window will be, otherwise it may be
	if total := float64(m.has.Total); full && m.Window/2+m.least > total {
		return "", fmt.Errorf("%s; the run needs about %s of memory, and %s has %s",
			m.remedy(total), size(int64(m.All())), m.owner(), size(int64(total)))
	}
	room := float64(cmp.Or(m.has.Available, m.has.Total))
	if m.All() <= room {
		return "", nil
	}
	return fmt.Sprintf("the run needs about %s of memory, and %s has %s left: %s",
		size(int64(m.All())), m.owner(), size(int64(room)), m.remedy(room)), nil
}

// owner names what has the memory.
func (m *Memory) owner() string {
	if m.has.Group {
		return "its control group"
	}
	return "this machine"
}

// part is a part of the memory that a key determines.
type part struct {
	bytes float64
	key   string
	now   int                     // its value
	least int                     // that it may have
	other func(value int) float64 // the bytes with another value
}

// remedy names the key of the greatest part that can be made so small that the run fits, and the
// greatest value with which it does.
func (m *Memory) remedy(room float64) string {
	c := m.config
	parts := []part{
		{m.Window, "replay.games", c.Replay.Games, 1, func(n int) float64 {
			r := c.Replay
			r.Games = n
			return m.window(r)
		}},
		{m.Cache, "selfplay.cache_mib", c.SelfPlay.CacheMiB, 0, func(n int) float64 {
			return float64(n << 20)
		}},
		{m.Trees, m.key, m.atOnce, 1, func(n int) float64 {
			return m.Trees * float64(n) / float64(m.atOnce)
		}},
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, x := range parts {
		tooMany := func(n int) bool { return m.All()-x.bytes+x.other(n) > room }
		if most := sort.Search(x.now+1, tooMany) - 1; most >= x.least {
			return fmt.Sprintf("%s=%d: at most %d fits", x.key, x.now, leading(most))
		}
	}
	return fmt.Sprintf("replay.games=%d, selfplay.cache_mib=%d, network.blocks=%d, network.filters=%d: smaller ones are wanted",
		c.Replay.Games, c.SelfPlay.CacheMiB, c.Network.Blocks, c.Network.Filters)
}

// leading returns n with all digits but the first two 0.
func leading(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// Collect has the garbage collector keep the process within the machine's memory. It returns
// attributes for the log: what the run needs, what there is, from which size of the heap on the
// collector works as hard as it must, and otherwise its percentage (GOGC).
func (m *Memory) Collect() []any {
	now := machine.Collect(m.has, uint64(m.Window), uint64(m.live()), os.Getenv)
	list := []any{"needs_about", size(int64(m.All()))}
	if m.Window > 0 {
		list = append(list, "window", size(int64(m.Window)))
	}
	if m.has.Total > 0 {
		list = append(list, "has", size(int64(m.has.Total))+" ("+m.owner()+")")
	}
	if now.Limit > 0 {
		list = append(list, "heap_at_most", size(int64(now.Limit)))
	}
	if now.Percent >= 0 {
		list = append(list, "gc_percent", now.Percent)
	}
	return list
}

// String tells what the run needs, and what there is.
func (m *Memory) String() string {
	text := fmt.Sprintf("%s, of which the window %s", size(int64(m.All())), size(int64(m.Window)))
	if m.has.Total > 0 {
		text += fmt.Sprintf("; %s has %s, of which %s are left", m.owner(),
			size(int64(m.has.Total)), size(int64(m.has.Available)))
	}
	return text
}

// Fits returns an error if a network and what training needs for each of its parameters, with
// batches of so many positions, can't be in the machine's memory: the process would end in the
// middle of it, without a word that helps.
func Fits(s *nn.Spec, batch int) error {
	have := float64(machineMemory().Total)
	if have <= 0 {
		have = 1 << 40 // unknown: what no machine has that trains
	}
	need := leastOf(s, batch)
	if need <= have {
		return nil
	}
	return fmt.Errorf("network.blocks=%d, network.filters=%d, network.hidden=%d, training.batch=%d: a network of %.3g parameters, to train which takes %.0f GiB or more; this machine has %.0f GiB",
		s.Blocks, s.Filters, s.Hidden, batch, s.Count(), need/(1<<30), have/(1<<30))
}

// leastOf returns the bytes that a network takes at least while it is trained.
func leastOf(s *nn.Spec, batch int) float64 {
	need := 4 * 4 * s.Count() // weights, gradient and two moments
	return need + float64(batch)*float64(s.Cells())*float64(s.Filters)*4*float64(2*s.Blocks+2)
}

// MemoryOfWorker is Memory for a process that only plays games for a run.
func (p *Plan) MemoryOfWorker() Memory { return p.memoryOf(sample{}, 0) }
