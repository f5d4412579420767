package player

import (
	"fmt"
	"slices"

	"tengen/nn"
)

// networked is a Player with a network.
type networked interface{ network() network }

// network is the network of a player.
type network struct {
	params     *nn.Params // nil unless Parse made the player
	weights    *nn.Network
	passedOver []error
}

func (n *AlphaZero) network() network { return network{n.Params, &n.Weights, n.PassedOver} }
func (d *Descent) network() network   { return network{d.Params, &d.Weights, d.PassedOver} }

// On moves the network of a player that Parse made to where load loads it
// (backend.Backend's Load); until then it is evaluated on the processor. A player without
// a network is not changed. The player must not be in use.
func On(p Player, load func(*nn.Params) (nn.Network, error)) error {
	x, ok := as[networked](p)
	if !ok || x.network().params == nil {
		return nil
	}
	loaded, err := load(x.network().params)
	if err != nil {
		return fmt.Errorf("player %s: %w", p.Name(), err)
	}
	*x.network().weights = loaded
	return nil
}

// HasNetwork reports whether a player that Parse made has a network, which On can move.
func HasNetwork(p Player) bool {
	x, ok := as[networked](p)
	return ok && x.network().params != nil
}

// Parameters returns the parameters of the network of a player that Parse made, nil if it has none.
func Parameters(p Player) *nn.Params {
	if x, ok := as[networked](p); ok {
		return x.network().params
	}
	return nil
}

// PassedOver returns the errors of newer checkpoints that were found damaged when the
// player's networks were loaded.
func PassedOver(p Player) []error {
	var errs []error
	if x, ok := as[networked](p); ok {
		errs = x.network().passedOver
	}
	if b := BeliefOf(p); b != nil {
		errs = append(slices.Clip(errs), b.PassedOver...)
	}
	return errs
}
