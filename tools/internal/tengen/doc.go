// Package tengen builds and describes the program that the tools put to the
// test: they watch real processes of `tengen train` from outside.
//
//	path, err := tengen.Build(ctx, dir)
//	train := exec.CommandContext(ctx, path, tengen.Train("runs/a", false, tengen.Tiny(150))...)
//
// Caveats: Build needs the source tree and the Go toolchain.
package tengen
