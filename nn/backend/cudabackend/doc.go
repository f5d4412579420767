// Package cudabackend makes CUDA devices a backend.Backend: package nn/cuda's weights,
// evaluators and trainers on one or several devices of a driver.
//
//	b, err := cudabackend.New(api, spec, cudabackend.Options{Log: log})
//	network, err := b.Load(params)
//
// Programs import it with the build tag gpu, where it registers itself with package backend
// and opens the machine's driver; tests give it an emulated one.
//
// Evaluators go to the devices in turn; the first device trains. Weights are on all of them.
package cudabackend
