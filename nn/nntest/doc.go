// Package nntest holds what every backend of package nn is tested against: a
// network computed by its definition, in float64 and with naive loops, and a
// set of small networks that covers every head and odd shapes.
//
//	for _, spec := range nntest.Specs() {
//		p := nntest.Random(spec, rng)
//		want := nntest.FromParams(p).Forward(observations, rows, false)
//		…
//	}
//
// It is slow, on purpose.
package nntest
