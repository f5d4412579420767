package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRunNotUTF8: the metrics of a run whose folder's name is not UTF-8 can be read.
func TestRunNotUTF8(t *testing.T) {
	m := New(&Options{Run: "caf\xe9"})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `run="caf`+"\uFFFD"+`"`) {
		t.Errorf("%d: %.200s", w.Code, w.Body)
	}
}
