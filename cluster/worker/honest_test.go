package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/cluster/hub"
	"tengen/configs"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/trainer"
)

// shrunk is the plan of a preset with all that makes it large made small: it differs from the
// preset in no other way.
func shrunk(preset string, set ...string) (*trainer.Plan, error) {
	whole, err := configs.Resolve(configs.Options{Name: preset, Set: set})
	if err != nil {
		return nil, err
	}
	small := []string{
		"network.blocks=1", "network.filters=4", "network.hidden=4", "warm_start.simulations=2",
		"training.iterations=2", "training.games=4", "training.batch=8", "training.max_steps=2",
		"training.warmup_steps=1", "replay.games=20",
		"evaluation.every=0", "evaluation.games=1", "evaluation.simulations=2",
		"evaluation.ruler_games=0",
		"selfplay.workers=1", "selfplay.games_per_worker=1",
		"selfplay.device_games_per_worker=1", "selfplay.cache_mib=1",
		"checkpoints.keep_last=9", "metrics.address=",
	}
	for key, most := range map[string]int{
		"search.simulations": 4, "search.fast_simulations": 2, "search.inference": 4,
		"search.belief":      4,
		"descent.iterations": 1, "warm_start.initial_games": 4,
	} {
		if n, ok := whole.Config.Value(key).(int); ok && n > most {
			small = append(small, fmt.Sprintf("%s=%d", key, most))
		}
	}
	r, err := configs.Resolve(configs.Options{Name: preset, Set: slices.Concat(small, set)})
	if err != nil {
		return nil, err
	}
	p, err := trainer.NewPlan(&r.Config)
	if err == nil {
		p.MostResign = 0.5
	}
	return p, err
}

// reluctant is a backend on which no game is played before a channel is closed.
type reluctant struct {
	backend.Backend
	open <-chan struct{}
}

type reluctantNetwork struct {
	nn.Network
	open <-chan struct{}
}

func (r reluctant) Load(p *nn.Params) (nn.Network, error) {
	n, err := r.Backend.Load(p)
	return &reluctantNetwork{n, r.open}, err
}

func (n *reluctantNetwork) NewEvaluator() nn.Evaluator {
	<-n.open
	return n.Network.NewEvaluator()
}

// honest is a run that trains with two honest workers.
type honest struct {
	set    []string
	device func() backend.Backend
	// resumed says that the trainer is stopped once a game of a worker has counted, and started
	// anew.
	resumed bool
}

// train fails if a worker is refused or banned, or a batch is, or games are lost. It returns the
// number of games of workers that count.
func (x *honest) train(t *testing.T, preset string) (games uint64) {
	t.Helper()
	dir, address := filepath.Join(t.TempDir(), "run"), "127.0.0.1:0"
	var workers []*playing
	for part := 0; ; part++ {
		plan, err := shrunk(preset, x.set...)
		if err != nil {
			t.Fatal(err)
		}
		// The trainer waits for a game of theirs, so that it does not play all, unless it evaluates
		// networks first. One that is started anew waits for none: it may have all games already,
		// and only learn from them.
		waits := part == 0 && plan.Config.Evaluation.Every == 0
		opened := make(chan struct{})
		plan.Backend = x.device()
		if waits {
			plan.Backend = reluctant{plan.Backend, opened}
		}
		b := openWith(t, hub.Options{Audits: 1}, dir, address, plan)
		if part == 0 {
			u, err := url.Parse(b.url)
			if err != nil {
				t.Fatal(err)
			}
			address = u.Host
			for _, name := range []string{"one", "two"} {
				w := startOn(t, x.device, name, dial(t, name, b.url), name, b.names)
				defer w.end()
				workers = append(workers, w)
			}
		}
		b.joined()
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
		var watch sync.WaitGroup
		watch.Go(func() {
			defer close(opened)
			for ctx.Err() == nil && counted(b) == 0 && len(b.hub.Status().Refused) == 0 {
				time.Sleep(time.Millisecond)
			}
			if x.resumed && part == 0 {
				stop()
			}
		})
		err = b.train(ctx)
		s := b.hub.Status()
		for _, w := range s.Workers {
			if w.Reason != "" || w.Refused > 0 {
				t.Errorf("an honest worker is refused: %+v", w)
			}
		}
		if len(s.Refused) > 0 || s.Counted == 0 && waits {
			t.Errorf("%d games of workers count; refused: %v", s.Counted, s.Refused)
		}
		games += s.Counted
		stop()
		watch.Wait()
		if x.resumed && part == 0 && errors.Is(err, context.Canceled) {
			b.close()
			continue
		}
		for _, w := range workers {
			w.end()
		}
		b.close()
		if err != nil {
			t.Fatal(err)
		}
		list := gamesOf(t, dir)
		c := plan.Config
		if n := c.WarmStart.InitialGames + c.Training.Iterations*c.Training.Games; len(list) < n ||
			len(list) > n && c.Training.Cycle != configs.CycleAsynchronous {
			t.Errorf("the run has %d games, want %d", len(list), n)
		}
		for i, g := range list {
			if g.Number != uint64(i) {
				t.Fatalf("game %d has the number %d", i, g.Number)
			}
		}
		return games
	}
}

func processor() backend.Backend { return backend.NewCPU() }

// device is an asynchronous device.
func device() backend.Backend {
	return fake.NewModelled(fake.Model{Name: "test", Rows: 8, Slots: 8, Rate: 1e9, StepRate: 1e9})
}

// TestPresets: every preset trains with two workers, and all their games count.
func TestPresets(t *testing.T) {
	t.Parallel()
	for _, name := range configs.PresetNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&honest{device: processor}).train(t, name)
		})
	}
}

// options are what may change what the record of a game says, how a game comes to be played, or
// which games are wanted. The first value is that of the preset.
var options = [][]string{
	{"", "training.cycle=pipelined", "training.cycle=asynchronous"},
	{"", "algorithm=descent", "algorithm=descent descent.targets=root",
		"algorithm=descent descent.targets=terminal descent.terminal=score+depth"},
	{"", "play.random_plies=3"},
	{"", "play.epsilon=0.3"},
	{"", "resignation.false_positives=0.5"},
	{"", "search.root=gumbel", "search.root=gumbel search.interior=policy search.q_scaling=none",
		"search.root=puct"},
	{"", "search.fast_simulations=2 search.full_probability=0.5"},
	{"", "search.afterstates=true"},
	{"", "search.rollouts=true search.root=gumbel search.interior=policy"},
	{"", "search.canonical=true"},
	{"", "search.outcomes=balanced"},
	{"", "search.proofs=true"},
	{"", "search.observers=multiple"},
	{"", "search.inference=4", "search.belief=4 training.belief_weight=1"},
	{"", "search.leaves=3"},
	{"", "search.reuse_tree=false"},
	{"", "training.evaluations=1000000", "training.minutes=60"},
	{"", "warm_start.schedule=none", "warm_start.schedule=linear warm_start.start=1"},
	{"", "warm_start.initial_games=0", "warm_start.initial_games=5 warm_start.policy_target=true"},
	{"", "evaluation.every=1"},
	{"", "training.ema_decay=0.9 training.playing=newest"},
	{"", "device"},
	{"", "resumed"},
}

var games = []string{
	"go:size=3,players=3", "go:size=3,players=2,reward=win", "tictactoe",
	"connect-four:rows=4,columns=4", "kuhn", "leduc", "backgammon:checkers=2", "turtle",
}

// draw returns a run with as many of the options as fit each other, and which of their values it
// has.
func draw(rng *rand.Rand) (x *honest, values []int) {
	x, values = &honest{
		set: []string{"game=" + games[rng.IntN(len(games))]}, device: processor,
	}, make([]int, len(options))
	for _, i := range rng.Perm(len(options)) {
		k := rng.IntN(len(options[i]))
		switch value := options[i][k]; value {
		case "":
		case "device":
			x.device = device
		case "resumed":
			x.resumed = true
		default:
			set := append(slices.Clone(x.set), strings.Fields(value)...)
			if _, err := shrunk("quick", set...); err != nil {
				continue
			}
			x.set = set
		}
		values[i] = k
	}
	return x, values
}

// TestOptions: no combination of options gets honest workers refused, or loses their games.
func TestOptions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[4]int]bool{}
	for n := range 16 {
		// Of several runs the one that has the most pairs of values that none has had before.
		var best *honest
		var fresh [][4]int
		for range 6 {
			x, values := draw(rng)
			var pairs [][4]int
			for i, a := range values {
				for j, b := range values[:i] {
					if p := [4]int{i, a, j, b}; !seen[p] {
						pairs = append(pairs, p)
					}
				}
			}
			if best == nil || len(pairs) > len(fresh) {
				best, fresh = x, pairs
			}
		}
		for _, p := range fresh {
			seen[p] = true
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("resumed %v, on %s: %s",
						best.resumed, best.device().Name(), strings.Join(best.set, " "))
				}
			}()
			best.train(t, "quick")
		})
	}
	t.Logf("%d pairs of values", len(seen))
}
