package trainer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/replay"
	"tengen/run"
)

// guests trains a small network of each algorithm, and returns them as members of a population.
func guests(t *testing.T) (members string, folders []string) {
	t.Helper()
	root := t.TempDir()
	var list []string
	for _, name := range []string{"alphazero", "descent"} {
		dir := filepath.Join(root, name)
		set := append([]string{"seed=5", "training.iterations=1", "evaluation.every=0"}, algorithms[name]...)
		if err := Run(context.Background(), options(t, tiny(t, set...), dir)); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, dir)
	}
	list = append(list, "past", "az:"+folders[0]+",simulations=4", "ubfm:"+folders[1]+",iterations=3", "uct:simulations=4")
	return strings.Join(list, "; "), folders
}

// TestPopulation: in runs of both algorithms past networks and guests of both play some of the
// seats; the runs are the same with any number of workers, and if they are interrupted, although
// other checkpoints are removed.
func TestPopulation(t *testing.T) {
	t.Parallel()
	members, _ := guests(t)
	for _, name := range []string{"alphazero", "descent"} {
		if testing.Short() && name != "alphazero" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			set := append([]string{"population.share=0.6", "population.members=" + members, "population.past=2", "population.past_every=2",
				"population.simulations=3", "training.iterations=6", "checkpoints.keep_last=1", "checkpoints.keep_every=0", "replay.keep_all=true"}, algorithms[name]...)
			testResume(t, set)
			testDeterministicPopulation(t, set)
		})
	}
}

func testDeterministicPopulation(t *testing.T, set []string) {
	root := t.TempDir()
	one, three := filepath.Join(root, "one"), filepath.Join(root, "three")
	for dir, workers := range map[string]string{one: "1", three: "3"} {
		if err := Run(context.Background(), options(t, tiny(t, append([]string{"evaluation.every=0", "selfplay.workers=" + workers}, set...)...), dir)); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "three workers", one, three)
	steps, names, networks := map[int][]uint64{}, map[string]int{}, map[uint64]bool{0: true}
	for _, g := range games(t, one) {
		for _, s := range g.Seats {
			switch s.Kind {
			case replay.Past:
				if !slices.Contains(steps[g.Iteration], s.Step) {
					steps[g.Iteration] = append(steps[g.Iteration], s.Step)
				}
			case replay.Network:
				networks[s.Step] = true
			default:
				names[s.Name]++
			}
		}
	}
	// Networks of iterations 2 and 4, of which 4 exists from iteration 5 on.
	if len(steps[0]) > 0 || len(steps[2]) > 0 || len(steps[3]) != 1 || len(steps[4]) != 1 || len(steps[5]) != 2 {
		t.Errorf("past networks of steps %v play, by iteration", steps)
	}
	for i, list := range steps {
		for _, step := range list {
			if !networks[step] {
				t.Errorf("iteration %d: a past network of step %d plays, which was never the newest", i, step)
			}
		}
	}
	if len(names) != 4 { // three guests, and UCT of the warm start
		t.Errorf("guests: %v", names)
	}
}

// TestGuestsMustStay: a run can't go on with a guest whose network has changed, nor begin with one
// that is limited by time or can't be read.
func TestGuestsMustStay(t *testing.T) {
	t.Parallel()
	members, folders := guests(t)
	dir := filepath.Join(t.TempDir(), "run")
	set := []string{"population.share=0.5", "population.members=" + members, "training.iterations=1", "evaluation.every=0"}
	if err := Run(context.Background(), options(t, tiny(t, set...), dir)); err != nil {
		t.Fatal(err)
	}
	set[2] = "training.iterations=2"
	other := options(t, tiny(t, "seed=6", "training.iterations=2", "evaluation.every=0"), folders[0])
	if err := os.RemoveAll(folders[0]); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	o := options(t, tiny(t, set...), dir)
	o.Resume = true
	err := Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "population.members: the network of az:"+folders[0]) || strings.Contains(err.Error(), "\n") {
		t.Errorf("another network: %v", err)
	}
	// Without the guest the run goes on, and its list keeps what it knows.
	o = options(t, tiny(t, append(set[:1:1], "population.members=past", set[2], set[3])...), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if list, err := run.Folder(dir).On(nil).ReadGuests(); err != nil || len(list) != 2 {
		t.Errorf("the list of guests is %v, %v", list, err)
	}
	for member, want := range map[string]string{
		"az:nowhere":       "population.members: player \"az:nowhere\"",
		"uct:time=1s":      "population.members: uct:time=1s has a limit of time",
		"az:" + folders[1]: "has no policy, which az needs",
		"uct:playouts=5":   "population.members: player \"uct:playouts=5\"",
	} {
		c := tiny(t).Config
		c.Population.Share, c.Population.Members = 0.5, member
		if _, err := NewPlan(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", member, err, want)
		}
	}
}

// TestLostPastNetwork: a run goes on without an earlier network that can't be read, and says so.
func TestLostPastNetwork(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	set := []string{"population.share=0.5", "evaluation.every=0", "replay.keep_all=true"}
	if err := Run(context.Background(), options(t, tiny(t, append(set, "training.iterations=2")...), dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(run.Folder(dir).Checkpoint(1)); err != nil {
		t.Fatal(err)
	}
	o := options(t, tiny(t, append(set, "training.iterations=4")...), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	warnings := 0
	if err := run.Folder(dir).On(nil).EachEvent(func(e run.Event) {
		if e.Kind == run.EventWarning && strings.Contains(e.Message, "the network of iteration 1, of the population, can't be read") {
			warnings++
		}
	}); err != nil || warnings != 1 {
		t.Errorf("%d warnings, %v", warnings, err)
	}
	steps := map[uint64]bool{}
	for _, g := range games(t, dir) {
		for _, s := range g.Seats {
			if s.Kind == replay.Past && g.Iteration == 3 {
				steps[s.Step] = true
			}
		}
	}
	if len(steps) != 1 {
		t.Errorf("past networks of steps %v play in the last iteration, where only that of iteration 2 is left", steps)
	}
}
