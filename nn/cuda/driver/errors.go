package driver

import (
	"errors"
	"fmt"
	"strings"
)

// minimum is the oldest supported CUDA version.
const minimum = 11080

// LibraryError reports that a shared library, or a function in it, was not found.
type LibraryError struct {
	Library string // "libcuda.so.1"
	Missing string // the missing function; "" if the library is missing
	Advice  string // what to do
	Err     error  // the loader's error, or nil
}

func (e *LibraryError) Error() string {
	s := e.Library + " was not found"
	if e.Missing != "" {
		s = e.Library + " has no " + e.Missing
	}
	return s + ": " + e.Advice
}

// Unwrap returns the loader's error.
func (e *LibraryError) Unwrap() error { return e.Err }

// VersionError reports that a driver or compiler is too old.
type VersionError struct {
	What       string // "the NVIDIA driver"
	Have, Want int    // CUDA versions as in API.Version
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s supports CUDA %s; at least %s is wanted",
		e.What, versionText(e.Have), versionText(e.Want))
}

// versionText formats 12040 as 12.4.
func versionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// MemoryError reports that memory ran out.
type MemoryError struct {
	Wanted int64
	Free   int64 // -1 if unknown, as for pinned host memory
	Host   bool  // pinned host memory, not the device's
}

func (e *MemoryError) Error() string {
	where := "of the device's memory"
	if e.Host {
		where = "of pinned host memory"
	}
	if e.Free < 0 {
		return fmt.Sprintf("out of memory: %s %s were wanted", size(e.Wanted), where)
	}
	return fmt.Sprintf("out of memory: %s %s were wanted, %s are free",
		size(e.Wanted), where, size(e.Free))
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 10<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// Lost reports whether err wraps a LostError.
func Lost(err error) bool {
	var lost *LostError
	return errors.As(err, &lost)
}

// LostError reports that a device, or its context, can't be used again: it fell off the bus, was
// reset, or a kernel made an illegal access.
type LostError struct {
	Device string // its name
	Call   string // the call that failed: "cuStreamSynchronize"
	Code   int    // the driver's result
	Reason string // the driver's message
}

func (e *LostError) Error() string {
	return fmt.Sprintf("device lost: %s: %s: %s (%d)", e.Device, e.Call, e.Reason, e.Code)
}

// CallError is any other failure of a call.
type CallError struct {
	Call   string
	Code   int
	Reason string
}

func (e *CallError) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Reason, e.Code) }

// CompileError reports that a source does not compile. Its message is the first line of the
// compiler's log that has an error; Log is the whole log.
type CompileError struct {
	Name string
	Log  string
}

func (e *CompileError) Error() string {
	line := "the compiler failed without a message"
	for i, l := range strings.Split(e.Log, "\n") {
		l = strings.TrimSpace(l)
		if i == 0 && l != "" {
			line = l
		}
		if strings.Contains(l, "error") {
			line = l
			break
		}
	}
	return fmt.Sprintf("compile %s: %s", e.Name, line)
}
