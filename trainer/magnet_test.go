package trainer

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/nn"
)

// equilibrium are the keys of games of hidden information that are meant to come near an equilibrium.
var equilibrium = []string{
	"game=kuhn", "search.root=gumbel", "search.interior=policy", "search.q_scaling=none", "search.observers=multiple",
	"search.inference=4", "search.rollouts=true", "search.reuse_tree=false", "training.playing=newest", "training.magnet=0.2", "training.policy_loss=logits",
}

func TestAttract(t *testing.T) {
	for _, c := range []struct {
		p, logits      []float32
		share, uniform float64
		want           []float64
	}{
		{[]float32{0.5, 0.5}, []float32{0, 2}, 0.5, 0, []float64{1 / (1 + math.E), math.E / (1 + math.E)}},
		{[]float32{0.8, 0.2}, []float32{0, 0}, 0, 0, []float64{0.8, 0.2}},
		{[]float32{0.9, 0.1}, []float32{5, 5}, 0.5, 0, []float64{0.75, 0.25}}, // square roots: 3 to 1
		{[]float32{0.5, 0, 0.5}, []float32{1, 50, 1}, 0.9, 0, []float64{0.5, 0, 0.5}},
		{[]float32{0, 0}, []float32{1, 2}, 0.9, 0, []float64{0, 0}},
		{[]float32{0.9, 0.1}, nil, 0, 0.5, []float64{0.75, 0.25}},
		{[]float32{0.9, 0.1}, nil, 0, 0.99, []float64{1 / (1 + math.Pow(9, -0.01)), 1 / (1 + math.Pow(9, 0.01))}},
		{[]float32{0.5, 0, 0.5}, nil, 0, 0.5, []float64{0.5, 0, 0.5}},
		// A fourth of ln 16 to 1 is ln 2, and half of the magnet's 2 is 1.
		{[]float32{16. / 17, 1. / 17}, []float32{2, 0}, 0.5, 0.25, []float64{2 * math.E / (1 + 2*math.E), 1 / (1 + 2*math.E)}},
	} {
		p := slices.Clone(c.p)
		attract(p, c.logits, c.share, c.uniform)
		for k, want := range c.want {
			if math.Abs(float64(p[k])-want) > 1e-6 {
				t.Errorf("%v attracted by %v, %g, and %g: %v, want %v", c.p, c.logits, c.share, c.uniform, p, c.want)
				break
			}
		}
	}
}

// The uniform magnet's share falls linearly over the run, whether there is another magnet or not.
func TestUniformMagnetFalls(t *testing.T) {
	for _, share := range []string{"0", "0.25"} {
		p := tiny(t, slices.Concat([]string{"training.iterations=2", "evaluation.every=0"}, equilibrium, []string{"training.magnet=" + share, "training.uniform_magnet=0.5"})...)
		u, err := newUpdater(p, p.NewParams())
		if err != nil {
			t.Fatal(err)
		}
		defer u.close()
		if err := u.setMagnet(); err != nil {
			t.Fatal(err)
		}
		b := u.batch
		last := 1.0
		for i, progress := range []float64{0, 0.5, 1, 1.5} {
			clear(b.Observations)
			clear(b.PolicyWeight)
			b.PolicyWeight[1] = 1
			for _, row := range [][]float32{b.Policy[0:2], b.Policy[2:4]} {
				row[0], row[1] = 0.9, 0.1
			}
			u.setProgress(progress)
			if err := u.magnet.attract(b); err != nil {
				t.Fatal(err)
			}
			if b.Policy[0] != 0.9 {
				t.Errorf("magnet %s: a target without weight has become %v", share, b.Policy[:2])
			}
			got := float64(b.Policy[2])
			if want := math.Pow(9, 1-0.5*max(0, 1-progress)); share == "0" && math.Abs(got/(1-got)-want) > 1e-4 {
				t.Errorf("after %g of the run the target is %g; want the odds %g", progress, got, want)
			}
			if i > 0 && i < 3 && got == last || i == 3 && got != last {
				t.Errorf("magnet %s: after %g of the run the target is %g, before %g", share, progress, got, last)
			}
			last = got
		}
	}
}

// Games are played with the newest weights, and evaluations and players have the averaged ones.
func TestPlaysWithNewestWeights(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t, append([]string{"training.iterations=2", "evaluation.every=0"}, equilibrium...)...), dir)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c := newest(t, dir)
	first := func(p *nn.Params) float32 { return p.Tensors[0].Data[0] }
	if first(c.Params) == first(c.Average) {
		t.Fatal("the averaged weights are the newest")
	}
	u, err := newUpdater(o.Plan, c.Params)
	if err != nil {
		t.Fatal(err)
	}
	defer u.close()
	weights, err := u.weights()
	if err != nil {
		t.Fatal(err)
	}
	for _, playing := range []configs.Playing{configs.PlayingAveraged, configs.PlayingNewest} {
		o.Plan.Config.Training.Playing = playing
		got, err := u.playing(weights)
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
		params := map[configs.Playing]*nn.Params{configs.PlayingAveraged: c.Average, configs.PlayingNewest: c.Params}[playing]
		want, err := o.Plan.Load(params)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := policyOf(t, saved.weights), policyOf(t, want); !slices.Equal(a, b) {
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
	for i, set := range [][]string{nil, {"training.magnet=0"}, {"training.policy_loss=cross_entropy"}, {"training.uniform_magnet=0.1"}, {"training.magnet=0", "training.uniform_magnet=0.1"}} {
		dir := filepath.Join(root, string(rune('a'+i)))
		o := options(t, tiny(t, slices.Concat([]string{"training.iterations=2", "evaluation.every=0"}, equilibrium, set)...), dir)
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
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{"search.root=gumbel", "search.interior=policy", "search.rollouts=true"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(&r.Config); err == nil || !strings.Contains(err.Error(), "search.rollouts=true: false is wanted for go") {
		t.Errorf("the error is %v", err)
	}
}
