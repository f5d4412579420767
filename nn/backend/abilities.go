package backend

import "tengen/nn"

// Monitored is a Backend whose devices report their state.
type Monitored interface {
	Backend
	// Readings returns the present state of each device.
	Readings() []Reading
}

// Measured is a Backend whose speed can be compared with the peak rates of its first device.
type Measured interface {
	Backend
	// Precisions returns the precisions of products in inference and in training: BF16, FP16,
	// TF32 or FP32.
	Precisions() (inference, training string)
	// Peaks measures the first device, for about two seconds.
	Peaks() (Peaks, error)
	// InUse returns how many devices evaluate and how many train, each at least 1.
	InUse() (evaluate, train int)
}

// Traced is a Backend whose work on its only device can be timed call by call.
type Traced interface {
	Backend
	// Trace makes what is loaded or made from now on ready for it. It returns a function that calls
	// f and returns the calls that f made on the device, in their order; if whole is set, those of
	// a captured graph as one.
	Trace() (time func(whole bool, f func() error) ([]Call, error), err error)
}

// Call is a launch of a kernel or a copy on a device.
type Call struct {
	Name        string
	Seconds     float64 // of the device
	FLOP, Bytes float64 // nominal, by the shapes of its arrays; 0: not known
}

// Prepared is a Backend that prepares kernels for a description of networks.
type Prepared interface {
	Backend
	// Prepare chooses and checks the kernels; Load of such a network then needs no compiler. An
	// error says why the backend can't evaluate such networks on this machine.
	Prepare(s nn.Spec) error
}

// Readings returns the readings of a Monitored backend, and none of any other.
func Readings(b Backend) []Reading {
	if m, ok := b.(Monitored); ok {
		return m.Readings()
	}
	return nil
}

// Reading is the state of a device. Numbers that it does not report are NaN.
type Reading struct {
	Name        string  // "cuda:0"
	Utilization float64 // fraction of the last sampling period in which it computed, 0 to 1
	MemoryUsed  float64 // bytes used by all processes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // °C
	Lost        float64 // 1 while the device is lost and others do its work, otherwise 0
	Losses      float64 // how often it was lost
}

// Peaks holds the measured peak rates of a device; 0 for one that could not be measured. The
// rates of networks are compared with them.
type Peaks struct {
	BF16 float64 // FLOP/s of a large product of bf16 matrices, summed in FP32
	TF32 float64 // the same of FP32 matrices whose factors are rounded to TF32
	FP32 float64 // the same without rounding
	Copy float64 // bytes/s of a large copy within the device's memory, counting reads and writes
	Why  string  // why some could not be measured, "" if all were
}
