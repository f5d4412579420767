package runid

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// ID identifies a run. It is written as 16 hexadecimal digits. 0 is none.
type ID uint64

// New returns the identity of a run that begins with these facts: its configuration, the origin of
// its weights, the time. It is not 0.
func New(facts ...string) ID {
	h := sha256.New()
	for _, f := range append([]string{"tengen run"}, facts...) {
		fmt.Fprintf(h, "%d %s\n", len(f), f)
	}
	return max(1, ID(binary.LittleEndian.Uint64(h.Sum(nil))))
}

// String returns 16 hexadecimal digits, for 0 "none".
func (id ID) String() string {
	if id == 0 {
		return "none"
	}
	return fmt.Sprintf("%016x", uint64(id))
}

// MarshalText returns 16 hexadecimal digits, for 0 nothing.
func (id ID) MarshalText() ([]byte, error) {
	if id == 0 {
		return nil, nil
	}
	return []byte(id.String()), nil
}

// UnmarshalText reads what MarshalText returns.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = 0
		return nil
	}
	n, err := strconv.ParseUint(string(text), 16, 64)
	if x := ID(n); err != nil || x == 0 || x.String() != string(text) {
		return fmt.Errorf("the identity of a run is 16 hexadecimal digits, not %.40q", text)
	}
	*id = ID(n)
	return nil
}

// Check returns nil if a file that carries the identity got belongs to the run with the identity
// want, and otherwise an error, which wraps ErrOtherRun.
func Check(want, got ID) error {
	switch {
	case got == want:
		return nil
	case got == 0:
		return fmt.Errorf("%w: it carries no identity, the files of this run carry %s",
			ErrOtherRun, want)
	}
	return fmt.Errorf("%w: its identity is %s, this run's is %s", ErrOtherRun, got, want)
}

// ErrOtherRun is wrapped by the errors about files of another run.
var ErrOtherRun = errors.New("it belongs to another run")
