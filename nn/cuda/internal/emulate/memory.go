//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"os"
	"sort"
	"unsafe"

	"golang.org/x/sys/unix"

	"tengen/nn/cuda/driver"
)

// untouched is the byte that fills unwritten memory: as floats of 16 and 32 bits it is NaN.
const untouched = 0xff

// allocation is memory between two guards of 16 inaccessible pages. It ends at the second guard,
// up to its alignment; the remaining bytes are the slack.
type allocation struct {
	pages []byte // the mapping, with both guards
	bytes []byte // the requested bytes
	slack []byte
}

func (a *allocation) address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(a.bytes))) }

func allocate(n, alignment int) (*allocation, error) {
	page := os.Getpagesize()
	guard := 16 * page
	whole := (n + alignment - 1) / alignment * alignment
	inner := (whole + page - 1) / page * page
	pages, err := unix.Mmap(-1, 0, inner+2*guard, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	if err := unix.Mprotect(pages[guard:guard+inner], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		unix.Munmap(pages)
		return nil, err
	}
	start := guard + inner - whole
	a := &allocation{
		pages: pages, bytes: pages[start : start+n : start+n], slack: pages[start+n : guard+inner],
	}
	fill(pages[guard:guard+inner], untouched)
	return a, nil
}

func (a *allocation) free() { unix.Munmap(a.pages) }

// overrun returns 1 + the offset of the last byte written past the end, 0 if there is none.
func (a *allocation) overrun() int {
	for i, b := range a.slack {
		if b != untouched {
			return i + 1
		}
	}
	return 0
}

func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// memory is a device's memory: its allocations in order of address.
type memory struct {
	limit, used int64
	all         []*allocation
}

func (m *memory) alloc(n int) (driver.Ptr, error) {
	if n < 1 {
		return 0, invalid("cuMemAlloc", "the size is below 1")
	}
	if int64(n) > m.limit-m.used {
		return 0, &driver.MemoryError{Wanted: int64(n), Free: m.limit - m.used}
	}
	a, err := allocate(n, 256)
	if err != nil {
		return 0, &driver.MemoryError{Wanted: int64(n), Free: m.limit - m.used}
	}
	i := sort.Search(len(m.all), func(i int) bool { return m.all[i].address() > a.address() })
	m.all = append(m.all, nil)
	copy(m.all[i+1:], m.all[i:])
	m.all[i] = a
	m.used += int64(n)
	return driver.Ptr(a.address()), nil
}

// find returns the index of the last allocation that starts at or before p, -1 if there is none.
func (m *memory) find(p driver.Ptr) int {
	return sort.Search(len(m.all), func(i int) bool { return m.all[i].address() > uintptr(p) }) - 1
}

func (m *memory) free(p driver.Ptr) error {
	i := m.find(p)
	if i < 0 || m.all[i].address() != uintptr(p) {
		return invalid("cuMemFree", "not the address of an allocation")
	}
	m.used -= int64(len(m.all[i].bytes))
	m.all[i].free()
	m.all = append(m.all[:i], m.all[i+1:]...)
	return nil
}

// at returns a range of device memory, or nil if it isn't within one allocation.
func (m *memory) at(p driver.Ptr, n int) []byte {
	i := m.find(p)
	if i < 0 || n < 0 {
		return nil
	}
	a := m.all[i]
	offset := int(uintptr(p) - a.address())
	if offset > len(a.bytes) || n > len(a.bytes)-offset {
		return nil
	}
	return a.bytes[offset : offset+n]
}

// where describes an address of an invalid access.
func (m *memory) where(p uintptr) string {
	best, distance := "", uintptr(1<<40)
	for _, a := range m.all {
		start, end := a.address(), a.address()+uintptr(len(a.bytes))
		switch {
		case p >= end && p-end < distance:
			best, distance = fmt.Sprintf("%d bytes after the end of an allocation of %d bytes",
				p-end, len(a.bytes)), p-end
		case p < start && start-p < distance:
			best, distance = fmt.Sprintf("%d bytes before an allocation of %d bytes",
				start-p, len(a.bytes)), start-p
		}
	}
	if best == "" || distance > 1<<20 {
		return fmt.Sprintf("address %#x, near no allocation", p)
	}
	return best
}

func (m *memory) overrun() string {
	for _, a := range m.all {
		if n := a.overrun(); n > 0 {
			return fmt.Sprintf("a write beyond the end of an allocation of %d bytes, at byte %d",
				len(a.bytes), len(a.bytes)+n-1)
		}
	}
	return ""
}
