package v1

import (
	"testing"

	"tengen/internal/testkit"
	"tengen/web/internal/webtest"
)

func TestMain(m *testing.M) {
	testkit.Main(m)
}

// newAPI is the API of a run.
func newAPI(t testing.TB, o Options) *API {
	t.Helper()
	p, err := New(o)
	webtest.Must(t, err)
	return p
}
