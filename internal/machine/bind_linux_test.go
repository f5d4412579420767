package machine

import (
	"testing"

	"golang.org/x/sys/unix"
)

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
