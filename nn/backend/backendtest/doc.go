// Package backendtest has a backend for tests: a device that computes what the processor does,
// beside its callers, and that can be lost.
//
//	device := &backendtest.Device{LostAtStep: 7}
//	plan.Backend = device
//
// What it says after its loss is wrong on purpose: zeros, which nobody may take for a network.
package backendtest
