package training

import (
	"fmt"
	"slices"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/train"
)

// stateTensor is a tensor of a trainer's state and its place in an array on the device.
type stateTensor struct {
	name  string
	place *place
	array driver.Ptr
	size  int // size of the array, in floats
}

// stateTensors returns the tensors of train.State, in its order, with its names.
func (x *part) stateTensors() []stateTensor {
	var list []stateTensor
	l := x.plan.layout
	moments := func(prefix string, array driver.Ptr) {
		for _, p := range l.learnedTensors() {
			list = append(list, stateTensor{prefix + p.name, p, array, l.learned})
		}
	}
	if x.plan.config.Optimizer == train.OptimizerSGD {
		moments("sgd.velocity/", x.buffers.moments)
	} else {
		moments("adam.first/", x.buffers.moments)
		moments("adam.second/", floats(x.buffers.moments, l.learned))
	}
	if x.buffers.average != 0 {
		for i := range l.tensors {
			list = append(list,
				stateTensor{
					"average/" + l.tensors[i].name, &l.tensors[i], x.buffers.average, l.total,
				})
		}
	}
	return list
}

// State returns a copy of the trainer's state. A train.GraphTrainer of the same Config can
// continue from it, and vice versa.
func (t *Trainer) State() (train.State, error) {
	if err := t.settle(); err != nil {
		return train.State{}, err
	}
	s := train.State{Steps: t.steps}
	var array driver.Ptr
	for _, x := range t.stateTensors() {
		if x.array != array {
			array = x.array
			if err := t.download(array, x.size); err != nil {
				return train.State{},
					t.stop(fmt.Errorf("read the optimizer's state from the device: %w", err))
			}
		}
		data := make([]float32, x.place.size())
		x.place.gather(data, driver.View[float32](t.numbers))
		s.Tensors = append(s.Tensors, nn.Tensor{
			Name: x.name, Shape: slices.Clone(x.place.shape), Data: data,
		})
	}
	return s, nil
}

// SetState sets the state. It returns an error, and changes nothing, if tensors are missing,
// unknown or of another shape: the state is then that of another network or optimizer.
func (t *Trainer) SetState(s train.State) error {
	if err := t.settle(); err != nil {
		return err
	}
	given := map[string]nn.Tensor{}
	for _, x := range s.Tensors {
		given[x.Name] = x
	}
	wanted := t.stateTensors()
	for _, w := range wanted {
		x, ok := given[w.name]
		if !ok {
			return fmt.Errorf("optimizer state: tensor %s is missing (the state is of another optimizer or network)", w.name)
		}
		if !slices.Equal(x.Shape, w.place.shape) || len(x.Data) != w.place.size() {
			return fmt.Errorf("optimizer state: tensor %s is %v, want %v",
				w.name, x.Shape, w.place.shape)
		}
	}
	if len(s.Tensors) != len(wanted) {
		return fmt.Errorf(
			"optimizer state: %d tensors, want %d (the state is of another optimizer or network)",
			len(s.Tensors), len(wanted))
	}
	if s.Steps < 0 {
		return fmt.Errorf("optimizer state: %d steps taken, want at least 0", s.Steps)
	}
	if err := t.all(func(x *part) error { return t.write(x, given) }); err != nil {
		return t.stop(fmt.Errorf("write the optimizer's state to the device: %w", err))
	}
	t.steps = s.Steps
	return nil
}

// write copies the tensors of a state to a device.
func (t *Trainer) write(x *part, given map[string]nn.Tensor) error {
	numbers, wanted := driver.View[float32](t.numbers), x.stateTensors()
	for len(wanted) > 0 {
		array, size := wanted[0].array, wanted[0].size
		clear(numbers)
		for len(wanted) > 0 && wanted[0].array == array {
			wanted[0].place.scatter(numbers, given[wanted[0].name].Data)
			wanted = wanted[1:]
		}
		if err := t.upload(x, array, size); err != nil {
			return err
		}
	}
	return nil
}
