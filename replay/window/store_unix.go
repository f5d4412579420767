//go:build linux || darwin || freebsd || netbsd || openbsd

package window

import "syscall"

// mapMemory returns n bytes of the system's memory, nil if it gives none.
func mapMemory(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return b
}

func unmap(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic(err) // it was mapped, and once
	}
}
