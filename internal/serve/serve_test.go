package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tengen/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestServe(t *testing.T) {
	listener, err := Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	s := Start(t.Context(), listener,
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "here")
		}))
	if host, _, _ := net.SplitHostPort(s.Address()); host != "127.0.0.1" {
		t.Errorf("without a host it listens on %s, want loopback", host)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + s.Address())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if string(text) != "here" {
		t.Errorf("it answers %q", text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Error("it still listens after Close")
	}
}

// A handler that streams ends with the server, before shutdownTimeout.
func TestStreamsEndWithTheServer(t *testing.T) {
	defer func(d time.Duration) { shutdownTimeout = d }(shutdownTimeout)
	shutdownTimeout = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	s := Start(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(began)
		<-r.Context().Done()
	}))
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	<-began
	cancel()
	select {
	case <-s.Done():
	case <-time.After(2 * time.Minute):
		t.Error("the server waits for a stream")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close after the end: %v", err)
	}
}

// Where a port is in use the next free one serves as well, if that is allowed; other errors stay.
func TestListenNear(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if port > 65535-near {
		t.Skip("there are too few ports after", port)
	}
	for _, host := range []string{"127.0.0.1", ""} {
		l, err := ListenNear(t.Context(), fmt.Sprintf("%s:%d", host, port))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if got := l.Addr().(*net.TCPAddr); got.Port <= port || got.Port > port+near ||
			!got.IP.IsLoopback() {
			t.Errorf("%v is listened on, and a port after %d is wanted", got, port)
		}
	}
	for address, want := range map[string]string{
		"203.0.113.1:9464": "listen on 203.0.113.1:9464", "127.0.0.1": "listen on 127.0.0.1: ",
		"127.0.0.1:x": "listen on 127.0.0.1:x",
	} {
		if l, err := ListenNear(t.Context(), address); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v", address, l, err)
		}
	}
}

func TestListenRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{
		taken.Addr().String(): taken.Addr().String() +
			" is in use by another program; choose another address",
		"127.0.0.1:http:":  "listen on 127.0.0.1:http:",
		"203.0.113.1:9464": "listen on 203.0.113.1:9464",
	} {
		l, err := Listen(t.Context(), address)
		if err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
			continue
		}
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
