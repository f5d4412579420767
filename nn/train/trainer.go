package train

import "tengen/nn"

// Trainer trains one network: a [GraphTrainer] on the processor, others on devices. It is
// used by one goroutine. See GraphTrainer for its methods. A state written by one
// implementation can be restored by any other, whose results then differ by rounding.
//
// Once a device is lost, all later calls that return an error return one. A Trainer that
// holds more than memory of this process also has a method Close().
type Trainer interface {
	Step(b *Batch) (nn.Losses, error)
	Losses(b *Batch) (nn.Losses, error)
	SetProgress(done float64)
	SetScale(scale float64)
	Steps() int
	Params() (*nn.Params, error)
	Averaged() (*nn.Params, error)
	State() (State, error)
	SetState(s State) error
}

var _ Trainer = (*GraphTrainer)(nil)

// Close releases what a Trainer holds besides memory.
func Close(s Trainer) {
	if c, ok := s.(interface{ Close() }); ok {
		c.Close()
	}
}
