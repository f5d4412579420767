// Package backendtest provides a backend for tests: a device that computes what the processor
// does, concurrently with its callers, and that can be lost.
//
//	device := &backendtest.Device{LostAtStep: 7}
//	plan.Backend = device
package backendtest
