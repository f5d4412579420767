package trainer

import (
	"fmt"
	"reflect"

	"tengen/internal/stream"
	"tengen/nn"
	"tengen/player"
)

// Init is a network that a new run begins with in place of weights drawn from its
// seed. The run's solver is new; everything else is as the configuration says,
// the games of the warm start included.
type Init struct {
	Params *nn.Params // of the plan's network
	From   string     // what it was, for people
	Game   string     // on which it was trained
	Grown  bool       // the plan's network is larger than the one that it was
	// PassedOver are damaged checkpoints newer than the one that was taken.
	PassedOver []error
}

// NewInit reads the network at path, which is what players call it by
// (player.LoadModel): its averaged weights where it has such. A smaller network
// than the plan's grows into it (nn.Grow), with what is new drawn from the plan's
// seed; any other difference is an error.
func (p *Plan) NewInit(path string) (*Init, error) {
	m, err := player.LoadModel(path)
	if err != nil {
		return nil, err
	}
	was := m.Params.Spec
	params, err := nn.Grow(m.Params, p.Spec, stream.New(p.Config.Seed, stream.Weights))
	if err != nil {
		return nil, fmt.Errorf("%s, trained on %s, can't begin a run on %s: %w", path, m.Game, p.Game.Name(), err)
	}
	init := &Init{Params: params, Game: m.Game, PassedOver: m.PassedOver, Grown: !reflect.DeepEqual(was, params.Spec)}
	init.From = fmt.Sprintf("%s, iteration %d", m.Path, m.Iteration)
	if init.Grown {
		init.From += fmt.Sprintf(", grown from %d blocks × %d filters, %d hidden", was.Blocks, was.Filters, was.Hidden)
	}
	if m.Game != p.Game.Name() {
		init.From += ", trained on " + m.Game
	}
	return init, nil
}
