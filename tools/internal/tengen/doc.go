// Package tengen builds the program that the tools test, and holds the flags and
// checks that they share. The tools watch real processes of `tengen train` from
// outside.
//
//	path, err := tengen.Build(ctx, dir)
//	train := exec.CommandContext(ctx, path, tengen.Train("runs/a", false, tengen.Tiny(150))...)
//
// Caveats: Build needs the source tree and the Go toolchain.
package tengen
