package cuda

import (
	"errors"
	"fmt"

	"tengen/nn/cuda/driver"
)

// towerSize says which of a network's towers computes a launch.
type towerSize int

const (
	bySize towerSize = iota // what few decides
	largeTower
	fewTower
)

// findFew compiles the tower for few rows and looks it up. The network does without it where it
// can't be compiled, or would have to be though the other kernels were compiled ahead.
func (n *network) findFew() error {
	if n.plan.Few == nil {
		return nil
	}
	d, s := n.device, n.plan.FewSource()
	if from, _ := d.from.Load(choiceKey(n.plan)); from == fromAhead && !d.o.Ahead.Has(&s, d.info) {
		d.o.Log.Info("few rows have no kernels of their own: none were compiled ahead", "device",
			d.info.Name, "way", string(n.plan.Way))
		return nil
	}
	find, err := n.add(s)
	if err == nil {
		err = find(&n.few, "tower", n.plan.Few.Shared)
	}
	if err != nil && !driver.Lost(err) &&
		(kernelsFault(err) || errors.As(err, new(*driver.LibraryError))) {
		n.few = 0
		d.logPassed(n.plan, fmt.Errorf("for few rows: %w", err))
		return nil
	}
	return err
}

// chooseTower decides which tower computes a launch of n rows: that for few rows if, with it, all
// rows under way on the device would have a multiprocessor for each block, since it takes twice as
// much of a device. It counts these blocks, until land, and notes what the others leave idle.
func (b *batch) chooseTower(n int) {
	net := b.network
	b.few, b.source, b.target = false, b.input, b.output
	tower := net.plan.Few
	if tower == nil {
		tower = net.plan.Tower
	}
	if tower == nil {
		return
	}
	b.land()
	device := net.device
	blocks, all := int64(tower.Grid(n).Blocks[0]), int64(device.info.SMs)
	under := device.blocks.Add(blocks)
	b.blocks.Store(blocks)
	b.idle = int(max(0, all-under+blocks))
	if net.few != 0 && net.always != largeTower && n <= b.part &&
		(net.always == fewTower || under <= all) {
		b.few, b.source, b.target = true, driver.HostPtr(b.observations),
			driver.HostPtr(b.results)
	}
}

// land takes the batch's blocks off those under way on the device: its launch is done, or failed.
func (b *batch) land() { b.network.device.blocks.Add(-b.blocks.Swap(0)) }

// fewError is a fault of the tower for few rows, without which the rest can be used.
type fewError struct{ error }

func (e *fewError) Error() string { return "for few rows: " + e.error.Error() }

func (e *fewError) Unwrap() error { return e.error }
