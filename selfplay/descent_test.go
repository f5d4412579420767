package selfplay

import (
	"reflect"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/nn"
	"tengen/player"
	"tengen/replay/window"
	"tengen/search/nneval"
)

// descentSettings returns the settings of a small Descent run.
func descentSettings(name string, o descent.Options, ordinal bool) *Settings {
	s := settings(name)
	s.Network = &player.Descent{
		Options: o, SelfPlay: &player.DescentSelfPlay{Ordinal: ordinal, Trees: true},
	}
	return s
}

// valueWeights returns the weights of a network without a policy.
func valueWeights(t *testing.T, g game.Game) *nn.Weights {
	t.Helper()
	return nn.Fold(params(t, g, 1, nneval.Size{Policy: nn.PolicyNone, Value: nn.ValueLinear}))
}

// TestDescentSameGames: games, trees included, are the same on any number of
// workers and groups, with and without a cache, however small it and the trees' memory are.
func TestDescentSameGames(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tictactoe"} {
		for _, o := range []descent.Options{
			{Iterations: 2}, {Iterations: 9, BestFirst: true}, {Iterations: 3, MaxNodes: 60},
		} {
			s := descentSettings(name, o, true)
			job := Job{Games: numbers(16), Iteration: 3, Step: 9, Epsilon: 0.3, Exploration: 0.5}
			job.Weights = valueWeights(t, s.Game)
			want, _ := playJob(t, s, job, 1, 1)
			for _, mib := range []int{0, 1} {
				s.Network.(*player.Descent).Cache = nil
				if mib > 0 {
					s.Network.(*player.Descent).Cache = nneval.NewValueCache(s.Game, mib)
				}
				for _, c := range [][2]int{{1, 5}, {2, 8}, {4, 64}} {
					job.Weights = valueWeights(t, s.Game)
					if got, _ := playJob(t, s, job, c[0], c[1]); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %+v: %d workers, groups of %d, a cache of %d MiB: other games than with one of each", name, o, c[0], c[1], mib)
					}
				}
			}
		}
	}
}

// TestDescentRecords: the records of Descent's games hold trees that the replay
// window accepts, with one root at least for each decision of a network seat
// among them, and the value of the end as the terminal evaluation has it.
func TestDescentRecords(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tictactoe"} {
		for _, maxNodes := range []int{0, 60} {
			terminal := descent.Terminal{Result: true, Depth: true}
			s := descentSettings(name,
				descent.Options{Iterations: 2, Terminal: terminal, MaxNodes: maxNodes}, true)
			games, c := playJob(t, s,
				Job{
					Games: numbers(30), Epsilon: 0.3, Exploration: 0.5,
					Weights: valueWeights(t, s.Game),
				}, 2, 8)
			if n := c.Simulations.Load(); n == 0 || n > 2*c.Decisions.Load() {
				t.Errorf("%d iterations for %d decisions", n, c.Decisions.Load())
			}
			w, err := window.New(s.Game, window.Config{Capacity: 30, Trees: true})
			if err != nil {
				t.Fatal(err)
			}
			states := 0
			for _, g := range games {
				if err := w.Add(g); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, tree := range g.Trees {
					states += len(tree.Depths)
				}
				final := s.Game.NewState()
				for _, m := range g.Moves {
					final.Apply(m.Action)
				}
				want := make([]float32, s.Game.Players())
				terminal.Evaluate(s.Game, final, len(g.Moves), want)
				if !reflect.DeepEqual(g.Outcome, want) {
					t.Errorf("%s, game %d: the outcome is %v, want %v",
						name, g.Number, g.Outcome, want)
				}
			}
			if n := w.Positions(false); n < states {
				t.Errorf("%s: %d samples of %d states", name, n, states)
			}
			if c.Decisions.Load() == 0 || c.Resolved.Load() == 0 ||
				c.Resolved.Load() > c.Decisions.Load() {
				t.Errorf("%s: %d decisions, %d of them resolved",
					name, c.Decisions.Load(), c.Resolved.Load())
			}
			if full := c.Full.Load() > 0; full != (maxNodes > 0) {
				t.Errorf("%s: with at most %d nodes, %d searches are told to have been cut short",
					name, maxNodes, c.Full.Load())
			}
		}
	}
}

// TestExploration: greedy play repeats games; the ordinal law repeats the fewer games the
// more it explores.
func TestExploration(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about records rather than goroutines")
	}
	lines := func(ordinal bool, x float64) int {
		s := descentSettings("go:size=3,players=3", descent.Options{Iterations: 2}, ordinal)
		games, _ := playJob(t, s,
			Job{Games: numbers(40), Exploration: x, Weights: valueWeights(t, s.Game)}, 2, 8)
		seen := map[string]bool{}
		for _, g := range games {
			line := ""
			for _, m := range g.Moves {
				line += string(rune('a' + m.Action))
			}
			seen[line] = true
		}
		return len(seen)
	}
	greedy := lines(false, 0)
	if ordinal := lines(true, 1); ordinal != greedy {
		t.Errorf("%d distinct games by the ordinal law with ε' = 1, %d by greedy play",
			ordinal, greedy)
	}
	if distinct := lines(true, 0); distinct < 38 || distinct <= greedy {
		t.Errorf("exploring all the time: %d distinct games of 40; greedy play has %d",
			distinct, greedy)
	}
}
