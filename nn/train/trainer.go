package train

import (
	"fmt"

	"tengen/nn"
)

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

// State is what a Trainer holds besides the network. Given State and Params, a new
// Trainer with the same Config continues to the bit.
type State struct {
	Steps int // number of steps taken, which the schedule and the optimizer depend on
	// Tensors have the shape of the tensor of nn.Params that they belong to, and its
	// name after a prefix: "sgd.velocity/", or "adam.first/" and "adam.second/",
	// for each learned tensor; "average/" for every tensor if Config.EMADecay
	// is not 0.
	Tensors []nn.Tensor
}

// State returns a copy of the trainer's state.
func (t *GraphTrainer) State() (State, error) {
	s := State{Steps: t.steps}
	t.visitState(func(name string, shape []int, data []float32) {
		s.Tensors = append(s.Tensors, nn.Tensor{
			Name: name, Shape: append([]int(nil), shape...), Data: append([]float32(nil), data...),
		})
	})
	return s, nil
}

// SetState restores a state. If tensors are missing, unknown or of another shape, because the
// state is of another network or optimizer, it returns an error and changes nothing.
func (t *GraphTrainer) SetState(s State) error {
	given := map[string]nn.Tensor{}
	for _, x := range s.Tensors {
		given[x.Name] = x
	}
	var problem error
	wanted := 0
	t.visitState(func(name string, shape []int, data []float32) {
		wanted++
		x, ok := given[name]
		if problem != nil {
			return
		}
		if !ok {
			problem = fmt.Errorf("optimizer state: tensor %s is missing (the state is of another optimizer or network)", name)
		} else if fmt.Sprint(x.Shape) != fmt.Sprint(shape) || len(x.Data) != len(data) {
			problem = fmt.Errorf("optimizer state: tensor %s is %v, want %v", name, x.Shape, shape)
		}
	})
	if problem == nil && len(s.Tensors) != wanted {
		problem = fmt.Errorf(
			"optimizer state: %d tensors, want %d (the state is of another optimizer or network)",
			len(s.Tensors), wanted)
	}
	if problem == nil && s.Steps < 0 {
		problem = fmt.Errorf("optimizer state: %d steps taken, want at least 0", s.Steps)
	}
	if problem != nil {
		return problem
	}
	t.visitState(func(name string, _ []int, data []float32) { copy(data, given[name].Data) })
	t.steps = s.Steps
	if a, ok := t.solver.(*Adam); ok {
		a.steps = s.Steps
	}
	return nil
}

// visitState calls visit for every array of the state, in a fixed order.
func (t *GraphTrainer) visitState(visit func(name string, shape []int, data []float32)) {
	moments := func(prefix string, arrays *[][]float32) {
		var err error
		if *arrays, err = prepare(*arrays, t.learnable); err != nil {
			panic(err) // the learnable values never change
		}
		for i, l := range t.store.parameters {
			shape := append([]int(nil), l.value.Shape()...)
			shape[0] /= len(l.parts)
			n := len((*arrays)[i]) / len(l.parts)
			for j, part := range l.parts {
				visit(prefix+t.store.names[part], shape, (*arrays)[i][j*n:(j+1)*n])
			}
		}
	}
	switch s := t.solver.(type) {
	case *SGD:
		moments("sgd.velocity/", &s.velocity)
	case *Adam:
		moments("adam.first/", &s.first)
		moments("adam.second/", &s.second)
	}
	if t.average != nil {
		p := t.store.get()
		for i, a := range t.average {
			visit("average/"+p.Tensors[i].Name, p.Tensors[i].Shape, a)
		}
	}
}
