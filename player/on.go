package player

import (
	"fmt"

	"tengen/nn"
)

// On has the network of a player that Parse made evaluated elsewhere than on the processor:
// load makes it ready there (backend.Backend's Load). A player without a network stays as
// it is. Nothing is asked of the player meanwhile.
func On(p Player, load func(*nn.Params) (nn.Network, error)) error {
	var params *nn.Params
	var weights *nn.Network
	switch p := p.(type) {
	case *AlphaZero:
		params, weights = p.Params, &p.Weights
	case *Descent:
		params, weights = p.Params, &p.Weights
	case *Abstracted:
		return On(p.Player, load)
	}
	if params == nil {
		return nil
	}
	network, err := load(params)
	if err != nil {
		return fmt.Errorf("player %s: %w", p.Name(), err)
	}
	*weights = network
	return nil
}
