// Package nntest helps to test the backends of package nn. [Reference] computes a
// network by its definition, in float64 and with naive loops; [Specs] returns small
// networks that cover every head and odd shapes; [Device] imitates a device and checks
// that its users keep to the rules of nn.Async.
//
//	for _, spec := range nntest.Specs() {
//		p := nntest.Random(spec, rng)
//		want := nntest.NewReference(p).Forward(observations, rows, false)
//		…
//	}
//
// Caveat: Reference is slow, since it is written to be read.
package nntest
