package machine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tick is the unit of the system's times of processes: USER_HZ is 100 on every architecture that Go
// runs on.
const tick = 10 * time.Millisecond

// UsageOf returns what a process uses. It is an error if there is no such process.
func UsageOf(pid int) (Usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Usage{}, err
	}
	return parseStat(stat)
}

// parseStat reads /proc/PID/stat. The name, in parentheses, may contain anything.
func parseStat(stat []byte) (Usage, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const user, system, resident = 14 - 3, 15 - 3, 24 - 3 // by proc(5), after the name
	if len(fields) <= resident {
		return Usage{}, fmt.Errorf("the statistics of the process have %d fields", len(fields))
	}
	var numbers [3]uint64
	for i, at := range []int{user, system, resident} {
		n, err := strconv.ParseUint(string(fields[at]), 10, 63)
		if err != nil {
			return Usage{}, fmt.Errorf("the statistics of the process: %w", err)
		}
		numbers[i] = n
	}
	return Usage{
		CPU:      time.Duration(numbers[0]+numbers[1]) * tick,
		Resident: numbers[2] * uint64(os.Getpagesize()),
	}, nil
}

// Processor returns the model of the machine's processors as the system names it, "" where it does
// not.
var Processor = sync.OnceValue(func() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
})

// Has returns what this machine has.
func Has() Resources {
	m := Resources{Cores: runtime.NumCPU()}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range bytes.Lines(text) {
			f := bytes.Fields(line)
			if len(f) < 2 {
				continue
			}
			n, err := strconv.ParseUint(string(f[1]), 10, 53)
			switch {
			case err != nil:
			case string(f[0]) == "MemTotal:":
				m.Memory = n << 10
			case string(f[0]) == "MemAvailable:":
				m.Available = n << 10
			}
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := bytes.Fields(text); len(f) > 0 {
			m.Load, _ = strconv.ParseFloat(string(f[0]), 64) // 0: unknown
		}
	}
	return m
}

// Bind locks the goroutine to its thread and lets that run on the given cores alone, as far as the
// process may use them. It is for the rest of the goroutine's life: the thread ends with it. It
// returns an error, and binds nothing, if the process may use none of the cores.
func Bind(cores []int) error {
	runtime.LockOSThread()
	var allowed, set unix.CPUSet
	err := unix.SchedGetaffinity(0, &allowed)
	for _, c := range cores {
		if err == nil && allowed.IsSet(c) {
			set.Set(c)
		}
	}
	switch {
	case err == nil && set.Count() == 0:
		err = errors.New("the process may use none of the cores near the device")
	case err == nil:
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		runtime.UnlockOSThread()
	}
	return err
}

// AdviseHugePages asks the system for huge pages under x up to its capacity, which has not been
// touched yet, unless it is small. If the system refuses, only speed is affected.
func AdviseHugePages[T any](x []T) {
	const (
		page   = 2 << 20
		least  = 16 << 10 // the heap places buffers next to one another
		advice = 14       // MADV_HUGEPAGE
	)
	size := uintptr(cap(x)) * unsafe.Sizeof(*new(T))
	if size < least {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	to := (from + size + page - 1) &^ (page - 1)
	from &^= page - 1
	syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice)
}
