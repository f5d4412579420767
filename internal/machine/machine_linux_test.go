package machine

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestParseStat: names of processes may contain spaces and parentheses.
func TestParseStat(t *testing.T) {
	got, err := parseStat([]byte("42 (a) b) (c) S 1 42 42 0 -1 4194560 100 0 0 0 700 50 0 0 20 0 9 0 100 200 3 18446744073709551615"))
	if want := (Usage{
		CPU: 7500 * time.Millisecond, Resident: 3 * uint64(os.Getpagesize()),
	}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{
		"", "42 (a) S 1 2", "42 (a) S 1 42 42 0 -1 4194560 100 0 0 0 x 50 0 0 20 0 9 0 100 200 3",
	} {
		if _, err := parseStat([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestProcessor: the model is one line, without spaces around it.
func TestProcessor(t *testing.T) {
	if got := Processor(); got != strings.TrimSpace(got) || strings.ContainsAny(got, "\n\t:") {
		t.Errorf("%q", got)
	}
}

// TestBind binds a goroutine to the last core that the process may use.
func TestBind(t *testing.T) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	last := 0
	for c := range 1024 {
		if allowed.IsSet(c) {
			last = c
		}
	}
	done := make(chan error)
	var bound unix.CPUSet
	go func() {
		err := Bind([]int{last, 60000, 1023})
		if err == nil {
			err = unix.SchedGetaffinity(0, &bound)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if bound.Count() != 1 || !bound.IsSet(last) {
		t.Errorf("bound to %d cores, want core %d alone", bound.Count(), last)
	}
	go func() { done <- Bind([]int{60000}) }()
	if err := <-done; err == nil {
		t.Error("bound to a core that is not there")
	}
	var after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != allowed {
		t.Errorf("another thread may use %d cores, %d before: %v",
			after.Count(), allowed.Count(), err)
	}
}
