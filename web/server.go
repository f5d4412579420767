package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"tengen/internal/serve"
	"tengen/run"
)

// Server serves a page.
type Server struct {
	*serve.Server
	page  handled
	token string
	end   func() // tells the pages that are open; the server is to be closed then
}

// handled is a [Page], or the page of several runs.
type handled interface {
	Handler() http.Handler
	Close()
}

// Serve listens on address, host:port, and returns once it does. It serves until ctx ends or Close
// is called. Without a host it listens on 127.0.0.1 only. Options.Near allows another port. If
// other machines can connect, a token is required: Options.Token, or else a random one. Where
// Options.Folder holds no run but folders of runs, it serves a page of all of them.
func Serve(ctx context.Context, address string, o Options) (*Server, error) {
	listen := serve.Listen
	if o.Near {
		listen = serve.ListenNear
	}
	listener, err := listen(ctx, address)
	if err != nil {
		return nil, err
	}
	if o.Token == "" && !onLoopback(listener.Addr()) {
		o.Token = rand.Text()
	}
	ending := make(chan struct{})
	o.ending = ending
	var p handled
	if o.Config == nil && !run.Folder(o.Folder).Exists() {
		p, err = newRuns(o)
	} else {
		p, err = New(o)
	}
	if err != nil {
		listener.Close()
		return nil, err
	}
	s := &Server{
		serve.Start(context.WithoutCancel(ctx), listener, p.Handler()), p, o.Token,
		sync.OnceFunc(func() { close(ending) }),
	}
	context.AfterFunc(ctx, func() {
		s.end()
		_ = s.Server.Close() // Close tells of errors
	})
	return s, nil
}

// Close stops the server and closes the page. It returns the error that had stopped it before, if
// any.
func (s *Server) Close() error {
	s.end()
	err := s.Server.Close()
	s.page.Close()
	return err
}

// URL returns the address at which this machine, and one to which a port of it is forwarded, opens
// the page, with the token.
func (s *Server) URL() string {
	u := url.URL{Scheme: "http", Host: reachable(s.Address()), Path: "/"}
	if s.token != "" {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// Everywhere reports whether the server listens on all addresses of this machine, so that others
// open the page by any of its names.
func (s *Server) Everywhere() bool { return reachable(s.Address()) != s.Address() }

// reachable returns an address that opens on this machine: on loopback, if the server listens on
// all addresses. The machine's name would not do: that of a container is known to nobody.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}

func onLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// shortestToken is the minimum length of a token.
const shortestToken = 16

// smallFile is the maximum size of a file that is read as a whole.
const smallFile = 16 << 20

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > smallFile {
		return nil, errors.New(path + " is larger than any file of its kind")
	}
	return os.ReadFile(path)
}

// ReadToken reads a token from a file that contains nothing else.
func ReadToken(path string) (string, error) {
	text, err := readSmall(path)
	if err != nil {
		return "", fmt.Errorf("read the page's token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < shortestToken || strings.ContainsAny(token, " \t\r\n") {
		return "",
			fmt.Errorf("read the page's token: %s: one word of %d characters or more is wanted",
				path, shortestToken)
	}
	return token, nil
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the reader may have gone
}

// ready answers 200 once the run has begun, and 503 before.
func (p *Page) ready(w http.ResponseWriter, _ *http.Request) {
	if !run.Folder(p.options.Folder).Exists() {
		http.Error(w, "the run has not begun", http.StatusServiceUnavailable)
		return
	}
	healthy(w, nil)
}
