package trainer

import (
	"strings"
	"testing"

	"tengen/configs"
)

// TestFits: a network that is too large for the machine is refused in one line, before anything is
// allocated.
func TestFits(t *testing.T) {
	if have := machineMemory(); have < 0 || have > 0 && have < 64<<20 {
		t.Errorf("this machine has %g bytes", have)
	}
	defer func(f func() float64) { machineMemory = f }(machineMemory)
	for _, have := range []float64{0, 8 << 30} {
		machineMemory = func() float64 { return have }
		for set, ok := range map[string]bool{
			"":                                      true,
			"network.blocks=20 network.filters=256": true,
			"network.blocks=100 network.filters=4096 network.hidden=65536": false,
			"network.filters=4096 training.batch=65536 network.blocks=100": false,
		} {
			r, err := configs.Resolve(configs.Options{Name: "quick", Set: strings.Fields(set)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = NewPlan(&r.Config)
			if ok && err != nil ||
				!ok && have > 0 &&
					(err == nil || strings.Contains(err.Error(), "\n") ||
						!strings.Contains(err.Error(), "this machine has 8 GiB")) {
				t.Errorf("%s, %g bytes: %v", set, have, err)
			}
		}
	}
}

// TestHiddenGames: the search of a game that hides information samples outcomes of chance and
// proves nothing.
func TestHiddenGames(t *testing.T) {
	for set, want := range map[string]string{
		"search.proofs=true":       "search.proofs=true: false is wanted for turtle",
		"search.outcomes=balanced": "search.outcomes=balanced: sampled is wanted for turtle",
	} {
		r, err := configs.Resolve(configs.Options{
			Name: "quick", Set: []string{"game=turtle:squares=4,hand=3,max_turns=60", set},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewPlan(&r.Config); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}
