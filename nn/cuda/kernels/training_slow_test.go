//go:build slow

package kernels_test

func init() { everything = true }
