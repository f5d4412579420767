package testkit

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Goroutines that are left behind are found by goleak, with the patience that a loaded machine
// needs: goleak itself waits less than half a second for goroutines that are about to end.

// patience is how long goroutines may take to end.
var patience = 2 * time.Minute

// Main runs a package's tests and exits. It fails if they leave a goroutine running. TestMain calls
// it.
func Main(m *testing.M, options ...goleak.Option) {
	status := m.Run()
	if status == 0 {
		if err := find(options...); err != nil {
			fmt.Fprintln(os.Stderr, "after the tests there are goroutines:", err)
			status = 1
		}
	}
	os.Exit(status)
}

// NoGoroutines fails a test if there is a goroutine that the options do not leave out.
func NoGoroutines(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := find(options...); err != nil {
		t.Error(err)
	}
}

// find returns an error that tells of the goroutines that do not end.
func find(options ...goleak.Option) (err error) {
	for end := time.Now().Add(patience); ; {
		if err = goleak.Find(options...); err == nil || time.Now().After(end) {
			return err
		}
	}
}
