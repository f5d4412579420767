package v1

import (
	"testing"

	"go.uber.org/goleak"

	"tengen/web/internal/webtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// newAPI is the API of a run.
func newAPI(t testing.TB, o Options) *API {
	t.Helper()
	p, err := New(o)
	webtest.Must(t, err)
	return p
}
