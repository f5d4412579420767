package modelled

import (
	"tengen/nn"
	"tengen/nn/train"
)

// trainer takes the time of training steps.
type trainer struct {
	params *nn.Params
	config train.Config
	device *Backend
	state  train.State
}

// losses are those of a network that knows nothing, but finite.
var losses = nn.Losses{Total: 1, Policy: 1, Value: 1, WeightNorm: 1, LearningRate: 1e-4}

func (t *trainer) Step(*train.Batch) (nn.Losses, error) {
	t.device.until(t.device.queue.step(t.device.now(), t.config.Batch))
	t.state.Steps++
	return losses, nil
}

func (t *trainer) Losses(*train.Batch) (nn.Losses, error) {
	t.device.until(t.device.queue.batch(t.device.now(), t.config.Batch))
	return losses, nil
}

func (*trainer) SetProgress(float64)             {}
func (*trainer) SetScale(float64)                {}
func (t *trainer) Steps() int                    { return t.state.Steps }
func (t *trainer) Params() (*nn.Params, error)   { return t.params.Clone(), nil }
func (t *trainer) Averaged() (*nn.Params, error) { return t.params.Clone(), nil }
func (t *trainer) State() (train.State, error)   { return t.state, nil }
func (t *trainer) SetState(s train.State) error  { t.state = s; return nil }
