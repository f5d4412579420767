//go:build slow

package trainer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/vfs/vfstest"
)

func init() { thorough = true }

// TestOtherRunsSurviveEveryFault: the same for runs with evaluations, of Descent, and with a
// warm start.
func TestOtherRunsSurviveEveryFault(t *testing.T) {
	for name, set := range map[string][]string{
		"evaluations": {"evaluation.every=1", "evaluation.games=1", "evaluation.simulations=2"},
		"descent":     {"algorithm=descent", "descent.iterations=2"},
		"warm start": {"warm_start.schedule=linear", "warm_start.initial_games=2",
			"warm_start.simulations=2"},
	} {
		t.Run(name, func(t *testing.T) { testFaults(t, faultPlan(t, set...)) })
	}
}

// TestRunSurvivesFaultsInARow: what fails while a run is taken up after a fault
// loses nothing either, five times in a row.
func TestRunSurvivesFaultsInARow(t *testing.T) {
	p := faultPlan(t, "training.iterations=3", "replay.games=3")
	whole := newWitness()
	if _, err := whole.run(p); err != nil {
		t.Fatal(err)
	}
	operations := len(whole.Log())
	want, err := whole.end(p)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(500) {
		rng := random.New(seed, random.Test)
		w := newWitness()
		story := ""
		for range 5 {
			f, n := &fates[rng.IntN(len(fates))], 1+rng.IntN(operations/2)
			w.Inject(vfstest.At(n, f.mode))
			_, err := w.run(p)
			story += fmt.Sprintf("operation %d, %s: %v\n", n, f.name, err)
			// Where even looking for a run fails, a new one is refused.
			if err != nil && !errors.Is(err, vfstest.ErrInjected) &&
				!strings.Contains(err.Error(), "holds a run") &&
				!strings.Contains(err.Error(), "holds no run") {
				t.Fatalf("seed %d: %s", seed, story)
			}
			f.up(w, int(seed))
			if err := w.check(p); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, story)
			}
		}
		if _, err := w.run(p); err != nil {
			t.Fatalf("seed %d: going on: %v\n%s", seed, err, story)
		}
		end, err := w.end(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, story)
		}
		if what := end.difference(want); what != "" {
			t.Fatalf("seed %d: in the end the %s differs\n%s", seed, what, story)
		}
	}
}
