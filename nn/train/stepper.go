package train

import "tengen/nn"

// Stepper teaches one network: a [Trainer] on the processor, others on devices. It is
// used by one goroutine. Its methods are the Trainer's, and mean the same: a state that one
// kind wrote is taken up by any other, whose numbers then differ in their last bits.
//
// One that may fail between steps, as a device may be lost, has a method Err() error
// besides ([ErrOf]): once that is not nil, what Params, Averaged and State return is of no worth.
// One that holds more than memory has a method Close().
type Stepper interface {
	Step(b *Batch) (nn.Losses, error)
	Losses(b *Batch) (nn.Losses, error)
	SetProgress(done float64)
	Steps() int
	Params() *nn.Params
	Averaged() *nn.Params
	State() State
	SetState(s State) error
}

var _ Stepper = (*Trainer)(nil)

// ErrOf is what stopped a Stepper, nil where it goes on or cannot fail.
func ErrOf(s Stepper) error {
	if f, ok := s.(interface{ Err() error }); ok {
		return f.Err()
	}
	return nil
}

// Close gives back what a Stepper holds beside memory.
func Close(s Stepper) {
	if c, ok := s.(interface{ Close() }); ok {
		c.Close()
	}
}
