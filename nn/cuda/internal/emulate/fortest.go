package emulate

import (
	"errors"
	"testing"

	"tengen/nn/cuda/driver"
)

// ForTest is Open for tests: it skips the test without a C compiler.
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
