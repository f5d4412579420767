package trainer

import (
	"fmt"
	"reflect"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
)

// Init is the network that a new run begins with, instead of weights drawn from the seed.
// The solver starts anew, and the warm start is as configured.
type Init struct {
	Params *nn.Params // in the shape of the plan's network
	From   string     // its origin, for people
	Game   string     // that it was trained on
	Grown  bool       // it was enlarged to the plan's network
	// PassedOver has the errors of damaged checkpoints newer than the one used.
	PassedOver []error
}

// NewInit reads the network at path, as player.LoadModel does, with averaged weights if it
// has them. If it is smaller than the plan's network, NewInit enlarges it (nn.Grow) and
// draws the new weights from the plan's seed; any other difference is an error.
func (p *Plan) NewInit(path string) (*Init, error) {
	m, err := player.LoadModel(path)
	if err != nil {
		return nil, err
	}
	was := m.Params.Spec
	params, err := nn.Grow(m.Params, p.Spec, random.New(p.Config.Seed, random.Weights))
	if err != nil {
		return nil, fmt.Errorf("%s, trained on %s, can't begin a run on %s: %w",
			path, m.Game, p.Game.Name(), err)
	}
	if err := nneval.Probe(p.Game, nn.Fold(params), path, nil); err != nil {
		return nil, err
	}
	init := &Init{
		Params: params, Game: m.Game, PassedOver: m.PassedOver,
		Grown: !reflect.DeepEqual(was.WithoutAuxiliary(), params.Spec.WithoutAuxiliary()),
	}
	init.From = fmt.Sprintf("%s, iteration %d", m.Path, m.Iteration)
	if init.Grown {
		init.From += fmt.Sprintf(", grown from %s, %d hidden", was.Size(), was.Hidden)
	}
	if m.Game != p.Game.Name() {
		init.From += ", trained on " + m.Game
	}
	return init, nil
}
