// Package bench holds the commands of `tengen bench`, which measure games, searches, networks,
// training and self-play on this machine:
//
//	root.AddCommand(bench.New())
//
// Rates are compared with the processor's peak (machine.go) or a device's (device.go), both
// measured.
package bench
