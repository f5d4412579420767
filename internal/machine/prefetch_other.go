//go:build !amd64 && !arm64

package machine

import "unsafe"

func prefetch(unsafe.Pointer, uintptr) {}
