package emulate

import (
	"errors"
	"testing"

	"tengen/nn/cuda/driver"
)

// ForTest is Open for tests: without a C compiler it skips the test.
func ForTest(t testing.TB, o Options) driver.API {
	t.Helper()
	api, err := Open(o)
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return api
}
