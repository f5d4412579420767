//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package window

func mapMemory(int) []byte { return nil }

func unmap([]byte) {}
