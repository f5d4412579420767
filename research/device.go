package research

import (
	"tengen/game"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/player"
)

// Device is where an experiment's networks are evaluated and trained: the zero value on the
// processor.
type Device struct{ Backend backend.Backend }

// backend returns the Backend.
func (d Device) backend() backend.Backend {
	if d.Backend == nil {
		return backend.NewCPU()
	}
	return d.Backend
}

// Parse reads a player of g as player.Parse does. Its network, if it has one, is evaluated on the
// device.
func (d Device) Parse(g game.Game, text string) (player.Player, error) {
	p, err := player.Parse(g, text)
	if err != nil {
		return nil, err
	}
	return p, player.On(p, d.Load)
}

// Load loads a network.
func (d Device) Load(p *nn.Params) (nn.Network, error) { return d.backend().Load(p) }

// GamesPerWorker returns the number of concurrent games of a worker whose positions are evaluated
// in one batch: what suits the device, and onCPU on the processor.
func (d Device) GamesPerWorker(onCPU int) int {
	if n := d.backend().Rows(); n > 0 {
		return n
	}
	return onCPU
}
