package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// get asks the server without keeping the connection.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// The handler answers with the metrics and with its health, and with nothing else.
func TestHandler(t *testing.T) {
	m := New(nil)
	s := httptest.NewServer(m.Handler())
	defer s.Close()
	m.GamesFinished.Add(3)
	for _, test := range []struct {
		path   string
		status int
		body   string
	}{
		{"/metrics", 200, "\ntengen_games_finished_total 3\n"},
		{"/metrics", 200, "\ntengen_seats_total{player=\"uct\"} 0\n"},
		{"/metrics", 200, "\ngo_goroutines "},
		{"/healthz", 200, "ok\n"},
		{"/", 404, ""},
	} {
		if status, body := get(t, s.URL+test.path); status != test.status ||
			!strings.Contains(body, test.body) {
			t.Errorf("%s: %d, want %d with %q in\n%s",
				test.path, status, test.status, test.body, body)
		}
	}
}

// However many clients ask at once, each is answered.
func TestManyAtOnce(t *testing.T) {
	s := httptest.NewServer(New(nil).Handler())
	defer s.Close()
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			r, err := client.Get(s.URL + "/metrics")
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode != 200 ||
				!strings.Contains(string(text), "tengen_games_finished_total") {
				t.Errorf("%d, %v", r.StatusCode, err)
			}
		})
	}
	group.Wait()
	// Those beyond the number wait for their turn.
	entered, release := make(chan struct{}), make(chan struct{})
	h := inTurn(1, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	for range 2 {
		group.Go(func() {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil))
		})
	}
	<-entered
	select {
	case <-entered:
		t.Error("two are answered at once")
	case <-time.After(20 * time.Millisecond):
	}
	release <- struct{}{}
	<-entered
	release <- struct{}{}
	group.Wait()
}
