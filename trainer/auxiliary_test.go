package trainer

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/nn"
	"tengen/player"
)

var heads = []string{"training.label_weight=0.5"}

// TestAuxiliaryHeadsOfGames: the targets of each game are learned, games with chance, hidden hands
// and exchanges of players among them, and of Descent's games too; the run's network plays without
// the heads.
func TestAuxiliaryHeadsOfGames(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about losses rather than goroutines")
	}
	t.Parallel()
	for name, set := range map[string][]string{
		"cards": append([]string{"game=tcg:deck=[1/1/1,6/0/0,0/3/3,removal],hand=2"}, heads...),
		"turtle": append([]string{
			"game=turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20",
		}, heads...),
		"belief": append([]string{
			"game=turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20,history=2",
			"training.belief_weight=0.1",
		}, heads...),
		"mnk": append([]string{"game=mnk"}, heads...),
		"descent": {"training.label_weight=0.5", "algorithm=descent", "descent.iterations=3",
			"descent.targets=terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			o := options(t, tiny(t,
				small(append(set, "training.iterations=2", "evaluation.every=2")...)...), dir)
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			l, a := o.Monitor.Status().Last.Losses, o.Plan.Spec.Auxiliary
			if (l.Cells > 0) != (len(a.Cells) > 0) || (l.Seats > 0) != (a.Seats > 0) ||
				(l.Belief > 0) != (len(a.Belief) > 0) || (l.BeliefPrior > 0) != (l.Belief > 0) ||
				(l.BeliefError > 0) != (l.Belief > 0) || a.IsZero() {
				t.Errorf("losses %+v with the heads %+v", l, a)
			}
			m, err := player.LoadModel(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.Params.Spec, o.Plan.Spec) {
				t.Errorf("the checkpoint has %+v, the run %+v", m.Params.Spec, o.Plan.Spec)
			}
			if w := nn.Fold(m.Params); !w.Spec().Auxiliary.IsZero() {
				t.Errorf("players evaluate %+v", w.Spec())
			}
		})
	}
}

// TestInitWithHeads: a run that begins with another's network keeps the heads that both have, draws
// those that are new, and leaves out the others; a network whose heads alone differ is not said to
// have grown.
func TestInitWithHeads(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(),
		options(t, tiny(t,
			append([]string{"training.iterations=1", "evaluation.every=0"}, heads...)...),
			dir)); err != nil {
		t.Fatal(err)
	}
	saved := newest(t, dir).Average
	for _, c := range []struct {
		set   []string
		keeps func(tensor string) bool
	}{
		{heads, func(string) bool { return true }},
		{nil, func(string) bool { return true }},
		{[]string{heads[0], "network.filters=10"}, func(string) bool { return false }},
	} {
		init, err := tiny(t, c.set...).NewInit(dir)
		if err != nil {
			t.Fatal(err)
		}
		if grown := len(c.set) == 2 && c.set[1] == "network.filters=10"; init.Grown != grown {
			t.Errorf("%v: grown: %v", c.set, init.Grown)
		}
		for _, x := range init.Params.Tensors {
			if c.keeps(x.Name) && !reflect.DeepEqual(x.Data, saved.Get(x.Name).Data) {
				t.Errorf("%v: %s is not that of the checkpoint", c.set, x.Name)
			}
		}
	}
	bare := filepath.Join(t.TempDir(), "bare")
	if err := Run(context.Background(),
		options(t, tiny(t, "training.iterations=1", "evaluation.every=0"), bare)); err != nil {
		t.Fatal(err)
	}
	init, err := tiny(t, heads...).NewInit(bare)
	if err != nil || init.Grown {
		t.Fatalf("a network without heads: %+v, %v", init, err)
	}
	for _, x := range newest(t, bare).Average.Tensors {
		if !reflect.DeepEqual(x.Data, init.Params.Get(x.Name).Data) {
			t.Errorf("%s is not that of the checkpoint without heads", x.Name)
		}
	}
	for _, name := range []string{"aux.cells.weight", "aux.seats.weight"} {
		if w := init.Params.Get(name).Data; reflect.DeepEqual(w, make([]float32, len(w))) {
			t.Errorf("%s is not drawn", name)
		}
	}
}
