// Package tengen builds the program that the tools test, and has the flags and checks
// that they share. The tools observe real processes of `tengen train`.
//
//	path, err := tengen.Build(ctx, dir)
//	train := exec.CommandContext(ctx, path, tengen.Train("runs/a", false, tengen.Tiny(150))...)
//
// [Watch] does what a browser with the page of a run, and Prometheus, do while the run trains.
//
// Caveats: Build needs the source tree and the Go toolchain.
package tengen
