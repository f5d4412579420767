package web

import (
	"testing"

	"go.uber.org/goleak"

	"tengen/internal/testkit"
	"tengen/web/internal/webtest"
)

func TestMain(m *testing.M) {
	testkit.Main(m, goleak.IgnoreAnyFunction("github.com/chromedp/chromedp.(*Browser).run"))
}

// newPage is the page of a run.
func newPage(t testing.TB, o Options) *Page {
	t.Helper()
	p, err := New(o)
	webtest.Must(t, err)
	return p
}
