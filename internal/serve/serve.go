package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Limits of one request and of the end: a reader that hangs holds nothing up.
const (
	HeaderTimeout   = 5 * time.Second
	RequestTimeout  = 30 * time.Second // to read a request, and to write its response
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 3 * time.Second
	headerBytes     = 16 << 10
)

// Listen takes address, host:port, so that one that is taken is an error at the
// start. Without a host it listens on 127.0.0.1 alone: nobody else can connect
// unless address says so (0.0.0.0:9464). Port 0 takes a free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken by another program; choose another address, such as 127.0.0.1:0 for a free port", address)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w; host:port, such as 127.0.0.1:9464, is wanted", address, err)
	}
	return listener, nil
}

// Server is a server that runs.
type Server struct {
	http    *http.Server
	address string
	cancel  func()
	ended   chan struct{}
	err     error // once ended is closed
}

// Start serves h on listener until ctx ends or Close is called.
func Start(ctx context.Context, listener net.Listener, h http.Handler) *Server {
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{
		http: &http.Server{
			Handler:           h,
			ReadHeaderTimeout: HeaderTimeout,
			ReadTimeout:       RequestTimeout,
			WriteTimeout:      RequestTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    headerBytes,
			BaseContext:       func(net.Listener) context.Context { return ctx },
		},
		address: listener.Addr().String(),
		cancel:  cancel,
		ended:   make(chan struct{}),
	}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(listener) }()
	go func() {
		defer close(s.ended)
		select {
		case s.err = <-served:
			cancel()
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
	return s
}

// Address is where the server listens, with the port that it got.
func (s *Server) Address() string { return s.address }

// Done is closed once the server has ended.
func (s *Server) Done() <-chan struct{} { return s.ended }

// Close ends the server and waits until it has ended. It returns the error
// that ended it before, if one did.
func (s *Server) Close() error {
	s.cancel()
	<-s.ended
	if s.err != nil {
		return fmt.Errorf("serve on %s: %w", s.address, s.err)
	}
	return nil
}
