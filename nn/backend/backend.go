package backend

import (
	"errors"
	"fmt"
	"log/slog"

	"tengen/nn"
	"tengen/nn/train"
)

// Backend evaluates and trains networks. It is safe for concurrent use. What only some
// backends can do is declared in abilities.go.
type Backend interface {
	// Name returns the spec with which Open opens the same backend: "cpu", "cuda:0", "cuda:0,1".
	Name() string
	// Describe describes the backend for people: "avx512 kernels", "NVIDIA H200 (9.0, 132 SMs,
	// 139.8 GiB), bf16".
	Describe() string
	// Kernels names the code path of the arithmetic, which determines the last bits of results.
	Kernels() string
	// Rows returns the number of positions for which a worker's batches should have room if
	// evaluators work concurrently with it (nn.Async), and 0 if they do not, as on the processor.
	Rows() int
	// Load prepares a network for evaluation, on all devices. It copies what it
	// needs: the parameters may change afterwards.
	Load(p *nn.Params) (nn.Network, error)
	// NewTrainer makes a trainer, on the first device, that starts from a copy of the parameters.
	NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error)
	// Close releases everything. Nothing that came from the backend is used afterwards.
	Close() error
}

// openCUDA opens CUDA devices; it is nil in a binary built without the tag gpu.
var openCUDA func(Spec, *slog.Logger) (Backend, error)

// Register registers the CUDA backend. Package cudabackend calls it from its init.
func Register(open func(Spec, *slog.Logger) (Backend, error)) { openCUDA = open }

// HasCUDA reports whether this binary has the CUDA backend.
func HasCUDA() bool { return openCUDA != nil }

const errNoCUDA = "this binary has no CUDA; build it with: go build -tags gpu ./cmd/tengen"

// Open opens the backend that a spec names: see [Parse]. It logs which one is used to
// log, which may be nil. An error says what is missing. If a device can't evaluate one of the
// networks (see Prepared), the processor is opened for auto.
func Open(spec string, log *slog.Logger, networks ...nn.Spec) (Backend, error) {
	s, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b, why, err := open(s, log, networks)
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

// open opens a parsed spec; why is the reason for the choice of auto.
func open(s Spec, log *slog.Logger, networks []nn.Spec) (b Backend, why string, err error) {
	switch {
	case s.Kind == CPU:
		return NewCPU(), "", nil
	case openCUDA == nil && s.Kind == Auto:
		return NewCPU(), "this binary has no CUDA", nil
	case openCUDA == nil:
		return nil, "", fmt.Errorf("%s: %s", s.Kind, errNoCUDA)
	}
	b, err = openCUDA(s, log)
	for _, n := range networks {
		if err != nil {
			break
		}
		if p, ok := b.(Prepared); ok && s.Kind == Auto {
			err = p.Prepare(n)
		}
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}
	switch {
	case err == nil && s.Kind == Auto:
		return b, "found on this machine", nil
	case err == nil:
		return b, "", nil
	case s.Kind == Auto:
		return NewCPU(), "no CUDA device can be used: " + err.Error(), nil
	}
	return nil, "", fmt.Errorf("%s: %w", s, err)
}
