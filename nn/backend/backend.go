package backend

import (
	"fmt"
	"log/slog"

	"tengen/nn"
	"tengen/nn/train"
)

// Backend evaluates and trains networks. It is safe for concurrent use.
type Backend interface {
	// Name is what Open takes to give the same: "cpu", "cuda:0", "cuda:0,1".
	Name() string
	// Describe says what is used, for people: "avx512 kernels", "NVIDIA H200 (9.0, 132 SMs, 139.8 GiB), bf16".
	Describe() string
	// Kernels names the code path of the arithmetic: what the last bits of results depend on.
	Kernels() string
	// Rows is the number of positions for which a worker's batches should have room, where
	// evaluators work beside it; 0 on the processor, whose batches need not be large.
	Rows() int
	// Load makes a network ready to be evaluated, on all devices. It copies what it
	// needs: the parameters may change afterwards.
	Load(p *nn.Params) (nn.Network, error)
	// NewTrainer makes a trainer, on the first device, that starts from a copy of the parameters.
	NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error)
	// Precisions are those of products, in inference and in training.
	Precisions() (inference, training string)
	// Readings are what the devices say of themselves now; none of the processor.
	Readings() []Reading
	// Peaks measures for about a second what the first device can do at most.
	Peaks() (Peaks, error)
	// Close gives everything back. Nothing that came from the backend is used afterwards.
	Close() error
}

// Reading is what a device says of itself. Numbers that it does not tell are NaN.
type Reading struct {
	Name        string  // "cuda:0"
	Utilization float64 // share of the last moments in which it computed, 0 to 1
	MemoryUsed  float64 // bytes, of all processes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // °C
}

// Peaks are the rates that a device reaches at most, measured; 0 where one could not
// be. They are what rates of networks are compared with.
type Peaks struct {
	BF16 float64 // FLOP/s of a large product of bf16 matrices, summed in FP32
	TF32 float64 // the same of FP32 matrices whose factors are rounded to TF32
	FP32 float64 // the same without rounding; on the processor, of independent multiplications and additions on all cores
	Copy float64 // bytes/s of a large copy within the memory, each byte read and written counted
	Why  string  // why some could not be measured, "" where all were
}

// openCUDA opens CUDA devices; nil in a binary without them.
var openCUDA func(Spec, *slog.Logger) (Backend, error)

// Register makes the CUDA backend known; package cudabackend does, from its init.
func Register(open func(Spec, *slog.Logger) (Backend, error)) { openCUDA = open }

// HasCUDA says whether this binary has the CUDA backend.
func HasCUDA() bool { return openCUDA != nil }

// errNoCUDA is what a binary without CUDA says to whoever wants it.
const errNoCUDA = "this binary has no CUDA; build it with: go build -tags gpu ./cmd/tengen"

// Open opens what a spec names: see [Parse]. log, which may be nil, is told what is
// used. An error says what is missing.
func Open(spec string, log *slog.Logger) (Backend, error) {
	s, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b, why, err := open(s, log)
	if err != nil {
		return nil, err
	}
	args := []any{"name", b.Name(), "is", b.Describe()}
	if why != "" {
		args = append(args, "why", why)
	}
	log.Info("device", args...)
	return b, nil
}

// open is Open for a spec that was read; why says what auto went by.
func open(s Spec, log *slog.Logger) (b Backend, why string, err error) {
	switch {
	case s.Kind == CPU:
		return NewCPU(), "", nil
	case openCUDA == nil && s.Kind == Auto:
		return NewCPU(), "this binary has no CUDA", nil
	case openCUDA == nil:
		return nil, "", fmt.Errorf("%s: %s", s.Kind, errNoCUDA)
	}
	b, err = openCUDA(s, log)
	switch {
	case err == nil && s.Kind == Auto:
		return b, "a device was found", nil
	case err == nil:
		return b, "", nil
	case s.Kind == Auto:
		return NewCPU(), "no CUDA device can be used: " + err.Error(), nil
	}
	return nil, "", fmt.Errorf("%s: %w", s, err)
}
