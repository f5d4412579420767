package bench

import (
	"math/rand/v2"

	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/run"
	"tengen/trainer"
)

// benchPresets are the presets whose networks are measured by default.
var benchPresets = []string{"paper-alphazero", "quick"}

// subject is a network to measure, with random weights.
type subject struct {
	game   game.Game
	spec   nn.Spec
	params *nn.Params
}

// newSubjects returns the network of the configuration that args or flags give, or those of
// benchPresets.
func newSubjects(f *cli.ConfigFlags, args []string, seed uint64) ([]subject, error) {
	names := args
	if len(args) == 0 && len(f.Set) == 0 {
		names = benchPresets
	}
	if len(names) == 0 {
		names = []string{configs.DefaultPreset}
	}
	var list []subject
	for _, name := range names {
		r, err := f.Resolve([]string{name})
		if err != nil {
			return nil, err
		}
		s, err := newSubject(&r.Config, seed)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func newSubject(c *configs.Config, seed uint64) (subject, error) {
	g, err := cli.ParseGame(c.Game)
	if err != nil {
		return subject{}, err
	}
	s, err := run.NetworkSpec(c, g)
	if err != nil {
		return subject{}, cli.Usage(err)
	}
	if err := trainer.Fits(&s, c.Training.Batch); err != nil {
		return subject{}, cli.Usage(err)
	}
	params, err := nn.NewParams(s)
	if err != nil {
		return subject{}, cli.Usage(err)
	}
	params.Init(random.New(seed, random.Weights))
	return subject{g, s, params}, nil
}

// observe fills rows with observations of positions from random games.
func observe(g game.Game, rows []float32, rng *rand.Rand) {
	s, size := g.NewState(), g.Planes().Size()
	var buf []game.Action
	for len(rows) >= size {
		if s.CurrentPlayer() == game.Nobody {
			s.CopyFrom(g.NewState())
		}
		if s.CurrentPlayer() >= 0 {
			s.Observation(rows[:size])
			rows = rows[size:]
		}
		buf = step(s, rng, buf)
	}
}
