package trainer

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/nn"
)

// equilibrium are the keys of games of hidden information that are meant to come near an
// equilibrium.
var equilibrium = []string{
	"game=kuhn", "search.root=gumbel", "search.interior=policy", "search.q_scaling=none",
	"search.observers=multiple",
	"search.inference=4", "search.rollouts=true", "search.reuse_tree=false",
	"training.playing=newest", "training.magnet=0.2", "training.policy_loss=logits",
}

// Games are played with the newest weights, and evaluations and players have the averaged ones.
func TestPlaysWithNewestWeights(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t,
		append([]string{"training.iterations=2", "evaluation.every=0"}, equilibrium...)...), dir)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c := newest(t, dir)
	first := func(p *nn.Params) float32 { return p.Tensors[0].Data[0] }
	if first(c.Params) == first(c.Average) {
		t.Fatal("the averaged weights are the newest")
	}
	for _, playing := range []configs.Playing{configs.PlayingAveraged, configs.PlayingNewest} {
		o.Plan.Config.Training.Playing = playing
		u, err := newUpdater(o.Plan, c.Params)
		if err != nil {
			t.Fatal(err)
		}
		defer u.Close()
		weights, err := u.Weights()
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.Playing(weights)
		if err != nil {
			t.Fatal(err)
		}
		if (got == weights) != (playing == configs.PlayingAveraged) {
			t.Errorf("%s: games are played with the averaged weights: %v", playing, got == weights)
		}
		saved, err := o.Plan.savedPlaying(o.Folder.On(o.FS), 2, "")
		if err != nil {
			t.Fatal(err)
		}
		params := map[configs.Playing]*nn.Params{
			configs.PlayingAveraged: c.Average, configs.PlayingNewest: c.Params,
		}[playing]
		want, err := o.Plan.Load(params)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := policyOf(t, saved), policyOf(t, want); !slices.Equal(a, b) {
			t.Errorf("%s: the saved network gives %v, want %v", playing, a, b)
		}
	}
}

// policyOf returns a network's policy for an observation.
func policyOf(t *testing.T, n nn.Network) []float32 {
	t.Helper()
	e := n.NewEvaluator()
	defer nn.Close(e)
	b := e.NewBatch(1)
	b.N = 1
	b.Observations[0] = 1
	if err := e.Evaluate(b); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(b.Policy)
}

// A magnet changes what is learned, and the policy loss too.
func TestMagnetChangesTheNetwork(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var all []*checkpoints.Checkpoint
	for i, set := range [][]string{
		nil, {"training.magnet=0"}, {"training.policy_loss=cross_entropy"},
		{"training.uniform_magnet=0.1"}, {"training.magnet=0", "training.uniform_magnet=0.1"},
	} {
		dir := filepath.Join(root, string(rune('a'+i)))
		o := options(t, tiny(t,
			slices.Concat([]string{"training.iterations=2", "evaluation.every=0"}, equilibrium,
				set)...), dir)
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		c := newest(t, dir)
		for _, other := range all {
			if slices.Equal(c.Params.Tensors[0].Data, other.Params.Tensors[0].Data) {
				t.Errorf("%v changes nothing", set)
			}
		}
		all = append(all, c)
	}
}

// Rollouts are for games that hide something.
func TestRolloutsAreForHiddenInformation(t *testing.T) {
	r, err := configs.Resolve(configs.Options{
		Name: "quick", Set: []string{
			"search.root=gumbel", "search.interior=policy", "search.rollouts=true",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(&r.Config); err == nil ||
		!strings.Contains(err.Error(), "search.rollouts=true: false is wanted for go") {
		t.Errorf("the error is %v", err)
	}
}
