package trainer

import (
	"tengen/configs"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/run"
)

// network is the network after an iteration.
type network struct {
	iteration int // 0: the initial weights
	weights   nn.Network
}

// name returns the network's name in files: 000042.
func (n network) name() string { return run.IterationName(n.iteration) }

// savedNetwork returns the network of an iteration as evaluation and, unless training.playing is
// newest, self-play use it, from its checkpoint. For iteration 0 of a run whose initial weights
// were drawn (init is ""), it draws them again from the seed.
func (p *Plan) savedNetwork(f run.Files, iteration int, init string) (network, error) {
	if iteration == 0 && init == "" {
		weights, err := p.Load(p.NewParams())
		return network{0, weights}, err
	}
	weights, _, err := p.savedWeights(f, iteration)
	return network{iteration, weights}, err
}

// savedPlaying returns the network of an iteration as self-play uses it; otherwise it is
// savedNetwork.
func (p *Plan) savedPlaying(f run.Files, iteration int, init string) (network, error) {
	if iteration == 0 && init == "" || p.Config.Training.Playing != configs.PlayingNewest {
		return p.savedNetwork(f, iteration, init)
	}
	c, err := f.Store().Load(f.Checkpoint(iteration))
	if err != nil {
		return network{}, err
	}
	weights, err := p.Load(c.Params)
	return network{iteration, weights}, err
}

// savedWeights returns the network of an iteration as self-play and evaluation use it, from its
// checkpoint, and the training steps behind it.
func (p *Plan) savedWeights(
	f run.Files, iteration int,
) (weights nn.Network, step uint64, err error) {
	c, err := f.Store().Load(f.Checkpoint(iteration))
	if err != nil {
		return nil, 0, err
	}
	params := c.Params
	if c.Average != nil {
		params = c.Average
	}
	weights, err = p.Load(params)
	return weights, c.Step, err
}

// The purposes of matches. They are the first element of the path to a match's seed.
const (
	earlierMatch uint64 = iota + 2
	anchorMatch
)

// matchSeed returns the seed of a match between the networks of two iterations.
func (p *Plan) matchSeed(kind uint64, a, b int) uint64 {
	seed, _ := random.Seeds(p.Config.Seed, random.Arena, kind, uint64(a), uint64(b))
	return seed
}
