package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// However many connections a client opens and keeps, a new one is answered, and the number of those
// that stay open is bounded. One that is being answered is not closed.
func TestConnectionsAreBounded(t *testing.T) {
	const most = 4
	limited := newConnections(most)
	entered, release := make(chan struct{}), make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-release
		}
		_, _ = io.WriteString(w, "here")
	}))
	s.Config.ConnState = limited.changed
	s.Start()
	defer s.Close()
	ask := func(path string) (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		return conn, bufio.NewReader(conn)
	}
	answered := func(r *bufio.Reader) error {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(response.Body)
		if err == nil && string(text) != "here" {
			err = fmt.Errorf("it answers %q", text)
		}
		return err
	}
	_, slow := ask("/slow")
	<-entered
	active := func() (n int) {
		limited.mu.Lock()
		defer limited.mu.Unlock()
		for _, e := range limited.open {
			if e == nil {
				n++
			}
		}
		return n
	}
	var conns []net.Conn
	for i := range 30 {
		conn, r := ask("/")
		if err := answered(r); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		conns = append(conns, conn)
		// The server notices that a connection is idle after its answer was sent; if all are
		// active the next one is refused.
		for active() > 1 {
			time.Sleep(time.Millisecond)
		}
	}
	closed := make(chan error, len(conns))
	for _, conn := range conns {
		go func() {
			_, err := conn.Read(make([]byte, 1))
			closed <- err
		}()
	}
	for range 30 - (most - 1) {
		if err := <-closed; err != io.EOF {
			t.Errorf("a connection is not closed: %v", err)
		}
	}
	limited.mu.Lock()
	if n := len(limited.open); n > most {
		t.Errorf("%d connections are open; at most %d are wanted", n, most)
	}
	limited.mu.Unlock()
	close(release)
	if err := answered(slow); err != nil {
		t.Errorf("the request that took long: %v", err)
	}
}
