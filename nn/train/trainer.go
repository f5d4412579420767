package train

import "tengen/nn"

// Trainer trains one network: a [GraphTrainer] on the processor, others on devices. It is
// used by one goroutine. See GraphTrainer for its methods. A state written by one
// implementation can be restored by any other, whose results then differ by rounding.
//
// A Trainer that can fail between steps, for instance because a device was lost, also has a
// method Err() error ([ErrOf]). Once it returns an error, the results of Params, Averaged and
// State must not be used. A Trainer that holds more than memory also has a method Close().
type Trainer interface {
	Step(b *Batch) (nn.Losses, error)
	Losses(b *Batch) (nn.Losses, error)
	SetProgress(done float64)
	Steps() int
	Params() *nn.Params
	Averaged() *nn.Params
	State() State
	SetState(s State) error
}

var _ Trainer = (*GraphTrainer)(nil)

// ErrOf returns the error that stopped a Trainer, or nil if it can continue.
func ErrOf(s Trainer) error {
	if f, ok := s.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}

// Close releases what a Trainer holds besides memory.
func Close(s Trainer) {
	if c, ok := s.(interface{ Close() }); ok {
		c.Close()
	}
}
