//go:build amd64 || arm64

package machine

import "unsafe"

// prefetch loads the lines of 64 bytes that n bytes at p, at least 1, are in.
//
//go:noescape
func prefetch(p unsafe.Pointer, n uintptr)
