package serve

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

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
