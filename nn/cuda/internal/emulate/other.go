//go:build !linux || !(amd64 || arm64)

package emulate

import "tengen/nn/cuda/driver"

// Open returns ErrNoCompiler.
func Open(Options) (driver.API, error) { return nil, ErrNoCompiler }
