package training

import (
	"unsafe"

	"tengen/internal/machine"
)

// arena allocates many buffers in one piece of memory, each aligned to a cache line. The
// memory asks for huge pages, since products read more memory than the processor's TLB
// covers with small pages.
type arena struct {
	parts []part
	size  int
}

type part struct {
	to    *[]float32
	at, n int
}

const line = 16 // floats of a cache line

// add registers a buffer: allocate will set *to to n zeros.
func (a *arena) add(to *[]float32, n int) {
	a.parts = append(a.parts, part{to, a.size, n})
	a.size += (n + line - 1) / line * line
}

func (a *arena) allocate() {
	raw := make([]float32, a.size+line)
	offset := int(-uintptr(unsafe.Pointer(&raw[0]))%64) / 4
	raw = raw[offset:]
	machine.AdviseHugePages(raw)
	for _, p := range a.parts {
		*p.to = raw[p.at : p.at+p.n : p.at+p.n]
	}
}
