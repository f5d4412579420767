package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// Weights are a network's parameters on a device, ready for inference. They are immutable and
// shared by any number of evaluators and goroutines. The garbage collector frees them; Close
// frees them at once.
type Weights struct {
	network *network
	memory  *weightMemory
	at      kernels.Packed // offsets; no bytes
}

var _ nn.Network = (*Weights)(nil)

// weightMemory is device memory that is freed once.
type weightMemory struct {
	network *network
	ptr     driver.Ptr
	once    sync.Once
}

func (a *weightMemory) free() {
	a.once.Do(func() {
		a.network.session.Release(func(c driver.Context) {
			if err := c.Free(a.ptr); err != nil && !driver.Lost(err) { // which has been told
				a.network.device.o.Log.Warn("free a network's weights", "err", err)
			}
		})
	})
}

// load copies a network's parameters to the device.
func (n *network) load(p *nn.Params) (*Weights, error) {
	packed := n.plan.Pack(p)
	c := n.session
	ptr, err := c.Alloc(len(packed.Bytes))
	if err != nil {
		return nil, err
	}
	w := &Weights{network: n, memory: &weightMemory{network: n, ptr: ptr}, at: *packed}
	w.at.Bytes = nil
	if err = c.CopyIn(ptr, packed.Bytes, 0); err == nil {
		err = c.Synchronize(0)
	}
	if err != nil {
		w.memory.free()
		return nil, err
	}
	runtime.AddCleanup(w, (*weightMemory).free, w.memory)
	return w, nil
}

// Spec describes the network.
func (w *Weights) Spec() nn.Spec { return w.network.plan.Spec }

// Precision returns the precision of inference.
func (w *Weights) Precision() kernels.Precision { return w.network.plan.Precision }

// Way returns the way in which the trunk is computed.
func (w *Weights) Way() kernels.Way { return w.network.plan.Way }

// Plan returns the plan of the kernels.
func (w *Weights) Plan() *kernels.Inference { return w.network.plan }

// Describe describes the plan in a line for people.
func (w *Weights) Describe() string { return w.network.plan.Describe(&w.network.device.info) }

// Round returns the number of rows that the device computes at once; batches of whole rounds use
// it best.
func (w *Weights) Round() int { return w.network.plan.Round(&w.network.device.info) }

// Close frees the memory. Evaluators must not use the weights afterwards. A second call does
// nothing.
func (w *Weights) Close() { w.memory.free() }

// NewEvaluator returns an [*Evaluator] for one goroutine.
func (w *Weights) NewEvaluator() nn.Evaluator { return NewEvaluator(w) }

// pointer returns the address of an array.
func (w *Weights) pointer(offset int) driver.Ptr { return w.memory.ptr + driver.Ptr(offset) }

// String describes the network's kernels.
func (w *Weights) String() string {
	return fmt.Sprintf("%s on %s (%s)", w.Precision(), w.network.device.info.Name, w.Way())
}
