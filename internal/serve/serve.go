package serve

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits of one request and of the shutdown, so that a client that hangs blocks nothing.
const (
	HeaderTimeout  = 5 * time.Second
	RequestTimeout = 30 * time.Second // to read a request, and to write its response
	idleTimeout    = time.Minute
	headerBytes    = 16 << 10
)

var shutdownTimeout = 3 * time.Second // a variable for tests

// Listen listens on address, host:port. Without a host it listens on 127.0.0.1, so
// that other machines can't connect unless address says so (0.0.0.0:9464). Port 0
// selects a free port. An address in use is an error.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := listen(ctx, address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program; choose another address, such as 127.0.0.1:0 for a free port", address)
	case err != nil:
		return nil, fmt.Errorf("listen on %s: %w; host:port, such as 127.0.0.1:9464, is wanted",
			address, err)
	}
	return listener, nil
}

// near is how far from the port that is wanted ListenNear looks for a free one.
const near = 100

// ListenNear is Listen, except that it takes the next free port if the one of address is in use.
func ListenNear(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	first, failed := strconv.Atoi(port)
	if err != nil || failed != nil || first == 0 {
		return Listen(ctx, address)
	}
	for next := first; next <= min(first+near, 65535); next++ {
		listener, err := listen(ctx, net.JoinHostPort(host, strconv.Itoa(next)))
		if err == nil {
			return listener, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return Listen(ctx, address)
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		shorten(listener)
	}
	return listener, err
}

// Server is a running server.
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
			ConnState:         newConnections(allowed()).changed,
			BaseContext:       func(net.Listener) context.Context { return ctx },
		},
		address: listener.Addr().String(),
		cancel:  cancel,
		ended:   make(chan struct{}),
	}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(pacedListener(ctx, listener)) }()
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
			// A client is slower than the limit. Disconnecting it loses no data of ours.
			_ = s.http.Close()
		}
		<-served
	}()
	return s
}

// Address returns the address that the server listens on, with the actual port.
func (s *Server) Address() string { return s.address }

// Done returns a channel that is closed once the server has stopped.
func (s *Server) Done() <-chan struct{} { return s.ended }

// Close stops the server and waits until it has stopped. It returns the error that
// had stopped it before, if any.
func (s *Server) Close() error {
	s.cancel()
	<-s.ended
	if s.err != nil {
		return fmt.Errorf("serve on %s: %w", s.address, s.err)
	}
	return nil
}

// Gzip returns content compressed at a level of compress/gzip.
func Gzip(content []byte, level int) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		panic(err) // the levels are constants
	}
	_, _ = z.Write(content) // into memory
	_ = z.Close()
	return b.Bytes()
}

// AcceptsGzip reports whether the client of r accepts a compressed answer.
func AcceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// mostConnections bounds the open connections of a server. A client may open as many as it likes,
// and each takes a file descriptor, which the run needs for its files.
const mostConnections = 512

// connections keeps the number of open connections at or below a limit. A connection over the limit
// takes the place of the one that has been idle for longest; if none is idle, it is closed.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // nil for those that are not idle
	idle list.List                  // of net.Conn, the longest idle first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}}
}

// changed is an http.Server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	for _, surplus := range c.note(conn, state) {
		_ = surplus.Close() // its client may have closed it
	}
}

// note takes the state of a connection, and returns those to close, if there are too many.
func (c *connections) note(conn net.Conn, state http.ConnState) (surplus []net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.open[conn]; e != nil {
		c.idle.Remove(e)
	}
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
		return nil
	case http.StateIdle, http.StateNew: // a new one has asked for nothing yet
		c.open[conn] = c.idle.PushBack(conn)
	default:
		c.open[conn] = nil
	}
	// Where none is idle, all answer a request, and are closed when they have: then there are too
	// many still.
	for len(c.open) > c.most && c.idle.Len() > 0 {
		first := c.idle.Remove(c.idle.Front()).(net.Conn)
		delete(c.open, first)
		surplus = append(surplus, first)
	}
	return surplus
}
