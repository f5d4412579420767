package broker

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"
)

// Link tells requests that nobody will answer them: those that were sent over a connection that is lost.
type Link struct {
	conn   *nats.Conn
	status chan nats.Status
	mu     sync.Mutex
	now    context.Context // ends when the present connection is lost
	lose   context.CancelFunc
}

// Watch watches a connection until Close is called.
func Watch(conn *nats.Conn) *Link {
	c := &Link{conn: conn, status: conn.StatusChanged(nats.RECONNECTING, nats.CLOSED)}
	c.now, c.lose = context.WithCancel(context.Background())
	go func() {
		for range c.status {
			c.mu.Lock()
			c.lose()
			c.now, c.lose = context.WithCancel(context.Background())
			c.mu.Unlock()
		}
	}()
	return c
}

// Close ends Watch, and requests.
func (c *Link) Close() {
	c.conn.RemoveStatusListener(c.status)
	c.mu.Lock()
	c.lose()
	c.mu.Unlock()
}

// During returns a context for a request, which ends when the connection is lost, too. What is sent while there is no connection
// waits for the next one.
func (c *Link) During(ctx context.Context) (context.Context, context.CancelFunc) {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(now, cancel)
	return ctx, func() { stop(); cancel() }
}
