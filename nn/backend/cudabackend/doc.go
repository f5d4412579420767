// Package cudabackend implements backend.Backend with the weights, evaluators and trainers of
// package nn/cuda, on one or more CUDA devices.
//
//	b, err := cudabackend.New(api, spec, cudabackend.Options{Log: log})
//	network, err := b.Load(params)
//
// Programs import it with the build tag gpu; it then registers itself with package backend and
// opens the machine's driver. Tests pass an emulated driver.
//
// Evaluators are assigned to the devices in turn; the first device trains, or those that the spec
// names, which then share each step. Weights are on all devices that play. If one of several
// devices is lost, the others take its work, training included, with the same results; the lost one
// is tried again every so often and taken back when it works.
package cudabackend
