package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of one request and of the end: a reader that hangs holds nothing up.
const (
	headerTimeout   = 5 * time.Second
	requestTimeout  = 30 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 3 * time.Second
)

// Handler answers GET /metrics and GET /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry:            m.registry,
		Timeout:             requestTimeout / 2,
		MaxRequestsInFlight: 4,
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// The reader may have gone: nobody is left to tell.
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

// Server serves a Metrics.
type Server struct {
	http    *http.Server
	address string
	cancel  func()
	ended   chan struct{}
	err     error // once ended is closed
}

// Serve listens on address, host:port, and returns once it does, so that an
// address that is taken is an error at the start. It serves until ctx ends or
// Close is called. Without a host it listens on 127.0.0.1 alone: nobody else can
// read the metrics unless address says so (0.0.0.0:9464). Port 0 takes a free
// one; see Address.
func (m *Metrics) Serve(ctx context.Context, address string) (*Server, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("metrics: %s is taken by another program; choose another address with --metrics-addr, or none", address)
	case err != nil:
		return nil, fmt.Errorf("metrics: listen on %s: %w; host:port, such as 127.0.0.1:9464, is wanted", address, err)
	}
	s := &Server{
		http: &http.Server{
			Handler:           m.Handler(),
			ReadHeaderTimeout: headerTimeout,
			ReadTimeout:       requestTimeout,
			WriteTimeout:      requestTimeout,
			IdleTimeout:       idleTimeout,
		},
		address: listener.Addr().String(),
		ended:   make(chan struct{}),
	}
	ctx, s.cancel = context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(listener) }()
	go func() {
		defer close(s.ended)
		select {
		case s.err = <-served:
			return
		case <-ctx.Done():
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if s.http.Shutdown(limited) != nil {
			// A reader is slower than the limit: it is cut off, which loses nothing.
			_ = s.http.Close()
		}
		<-served
	}()
	return s, nil
}

// Address is where the server listens, with the port that it got.
func (s *Server) Address() string { return s.address }

// Close ends the server and waits until it has ended. It returns the error
// that ended it before, if one did.
func (s *Server) Close() error {
	s.cancel()
	<-s.ended
	if s.err != nil {
		return fmt.Errorf("metrics: serve on %s: %w", s.address, s.err)
	}
	return nil
}
