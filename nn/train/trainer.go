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

// Async is a Trainer on a device that works beside the host: it can have two steps under way, so
// that it need not wait for what the host does between them.
type Async interface {
	Trainer
	// NewBatch returns a batch of Config.Batch rows with any content, which is to be filled and
	// given to Start. It must not be used after Close.
	NewBatch() *Batch
	// Start begins a step as Step makes one, at the progress and the scale that are set. The batch
	// must not be used again; NewBatch returns its memory when it is free. At most two steps may
	// be under way. After an error this step has not begun.
	Start(b *Batch) error
	// Wait waits for the first of the steps under way. If it was refused (a *NotFiniteError), so
	// were those that began after it, and none is under way.
	//
	// Steps counts the steps under way, Step must not be called meanwhile, and the other methods
	// wait for them.
	Wait() (nn.Losses, error)
}

var _ Trainer = (*GraphTrainer)(nil)

// Close releases what a Trainer holds besides memory.
func Close(s Trainer) {
	if c, ok := s.(interface{ Close() }); ok {
		c.Close()
	}
}
