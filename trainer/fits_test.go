package trainer

import (
	"strings"
	"testing"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/nn/backend"
)

// TestFits: a network that is too large for the machine is refused in one line, before anything is
// allocated.
func TestFits(t *testing.T) {
	if have := machineMemory(); have.Total > 0 && have.Total < 64<<20 {
		t.Errorf("this machine has %d bytes", have.Total)
	}
	defer func(f func() machine.Memory) { machineMemory = f }(machineMemory)
	for _, have := range []uint64{0, 8 << 30} {
		machineMemory = func() machine.Memory { return machine.Memory{Total: have} }
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
				t.Errorf("%s, %d bytes: %v", set, have, err)
			}
		}
	}
}

// TestFitsExactly: what a network takes is four numbers for each parameter, and for each position
// of a batch as many layers as there are.
func TestFitsExactly(t *testing.T) {
	defer func(f func() machine.Memory) { machineMemory = f }(machineMemory)
	p := tiny(t, "network.blocks=3", "network.filters=16")
	parameters := 0
	for _, x := range p.NewParams().Tensors {
		parameters += len(x.Data)
	}
	const batch = 100
	bytes := 4 * (4*parameters + batch*9*16*(2*3+2))
	for have, ok := range map[int]bool{bytes: true, bytes - 1: false, bytes + 1: true} {
		machineMemory = func() machine.Memory { return machine.Memory{Total: uint64(have)} }
		if err := Fits(&p.Spec, batch); (err == nil) != ok {
			t.Errorf("%d of %d bytes: %v", have, bytes, err)
		}
	}
}

// TestPlanFollowsTheConfiguration: what the plan of a run has of settings that turn something on.
func TestPlanFollowsTheConfiguration(t *testing.T) {
	p := tiny(t)
	descends := tiny(t, "algorithm=descent", "game=tictactoe", "selfplay.cache_mib=0",
		"training.evaluations=1000")
	if p.Descends() || !descends.Descends() || p.newCache() == nil || descends.newCache() != nil ||
		p.Play.CountEvaluations || !descends.Play.CountEvaluations || p.believes() {
		t.Error("a plan is not of its configuration")
	}
	p.Workers = 3
	if n := p.ConcurrentGames(); n != 3*4 {
		t.Errorf("%d games at a time, want 12", n)
	}
	for _, c := range []struct{ rows, set, games int }{
		{1, 0, 1}, {64, 0, 64}, {1000, 0, deviceGames}, {64, 7, 7},
	} {
		p.Backend, p.Config.SelfPlay.DeviceGamesPerWorker = preferring{rows: c.rows}, c.set
		if n := p.GamesPerWorker(); n != c.games || p.ConcurrentGames() != 6*c.games {
			t.Errorf("%d rows, %d games set: %d games of a group, %d in all",
				c.rows, c.set, n, p.ConcurrentGames())
		}
	}
}

// preferring is a device that prefers batches of so many rows.
type preferring struct {
	backend.Backend
	rows int
}

func (p preferring) Rows() int { return p.rows }

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
