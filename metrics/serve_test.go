package metrics

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

func TestServe(t *testing.T) {
	m := New(nil)
	s, err := m.Serve(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	if host, _, _ := net.SplitHostPort(s.Address()); host != "127.0.0.1" {
		t.Errorf("without a host it listens on %s, want loopback", host)
	}
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
		if status, body := get(t, "http://"+s.Address()+test.path); status != test.status || !strings.Contains(body, test.body) {
			t.Errorf("%s: %d, want %d with %q in\n%s", test.path, status, test.status, test.body, body)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Error("it listens still after Close")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(nil).Serve(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.Done()
	if err := s.Close(); err != nil {
		t.Errorf("Close after the end: %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{
		taken.Addr().String(): taken.Addr().String() + " is taken by another program; choose another address",
		"127.0.0.1:http:":     "listen on 127.0.0.1:http:",
		"203.0.113.1:9464":    "listen on 203.0.113.1:9464",
	} {
		s, err := New(nil).Serve(t.Context(), address)
		if err == nil {
			s.Close()
			t.Errorf("%s is served", address)
			continue
		}
		if !strings.HasPrefix(err.Error(), "metrics: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
