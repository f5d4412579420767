//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tengen/tools/internal/tengen"
)

// load is a way to use the page. Its clients call do again and again until the context ends.
type load struct {
	name    string
	token   bool // its clients have the token
	clients int
	do      func(ctx context.Context, c *clients, i int)
}

var loads = []load{
	{"one who watches", true, 1, func(ctx context.Context, c *clients, i int) { c.watch(ctx) }},
	{"refused requests", false, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/api/v1/run")
	}},
	{"refused connections", false, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.fresh, "/")
	}},
	{"wrong tokens", false, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.fresh, fmt.Sprintf("/?token=%d", time.Now().UnixNano()))
	}},
	{"scrapes", false, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/metrics")
	}},
	{"health", false, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/healthz")
	}},
	{"silent connections", false, 600, func(ctx context.Context, c *clients, i int) {
		c.silent(ctx, i)
	}},
	{"slow clients", false, 200, func(ctx context.Context, c *clients, i int) { c.slow(ctx, i) }},
	{"big bodies", false, 16, func(ctx context.Context, c *clients, i int) {
		c.post(ctx, "/api/v1/play", body(16<<20))
	}},
	{"bare connections", false, 32, func(ctx context.Context, c *clients, i int) {
		c.bare(ctx, i)
	}},

	{"500 at once", true, 500, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/api/v1/run")
		pause(ctx, time.Second)
	}},
	{"status", true, 32, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/api/v1/run")
	}},
	{"curves", true, 16, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/api/v1/history")
	}},
	{"files", true, 16, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/static/vendor/uplot.js")
	}},
	{"event streams", true, 64, func(ctx context.Context, c *clients, i int) {
		c.get(ctx, c.kept, "/api/v1/stream")
		pause(ctx, time.Second)
	}},
	{"big bodies, token", true, 16, func(ctx context.Context, c *clients, i int) {
		c.post(ctx, "/api/v1/play", body(16<<20))
	}},
	{"slow clients, token", true, 200, func(ctx context.Context, c *clients, i int) {
		c.slow(ctx, i)
	}},
	{"games opened", true, 16, func(ctx context.Context, c *clients, i int) { c.open(ctx) }},
	{"games played", true, 16, func(ctx context.Context, c *clients, i int) { c.play(ctx, i) }},
}

// clients are those of one load.
type clients struct {
	o           *loadOptions
	token       string
	kept, fresh *http.Client
	requests    atomic.Int64
	cancel      context.CancelFunc
	group       sync.WaitGroup
}

func newClients(o *loadOptions, token bool) *clients {
	c := &clients{o: o, cancel: func() {}}
	if token {
		c.token = o.token
	}
	c.kept = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true},
	}
	c.fresh = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return c
}

// start starts the clients of a load.
func (c *clients) start(ctx context.Context, l load) {
	ctx, c.cancel = context.WithCancel(ctx)
	for i := range l.clients {
		c.group.Go(func() {
			for ctx.Err() == nil {
				l.do(ctx, c, i)
			}
		})
	}
}

// stop ends the clients.
func (c *clients) stop() {
	c.cancel()
	c.group.Wait()
	c.kept.CloseIdleConnections()
}

// get asks for a path.
func (c *clients) get(ctx context.Context, client *http.Client, path string) {
	_, err := c.o.ask(ctx, client, path, c.token, io.Discard)
	c.done(ctx, err)
}

// watch has the page open, and reads the metrics as Prometheus does.
func (c *clients) watch(ctx context.Context) {
	tengen.Watch(ctx, func(ctx context.Context, path string, w io.Writer) error {
		_, err := c.o.ask(ctx, c.kept, path, c.token, w)
		c.done(ctx, err)
		return err
	})()
}

// done counts a request. Whoever is not answered waits a little.
func (c *clients) done(ctx context.Context, err error) {
	c.requests.Add(1)
	if err != nil {
		pause(ctx, time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// post sends a body.
func (c *clients) post(ctx context.Context, path string, body io.Reader) (answer []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.base+path, body)
	if err != nil {
		return nil
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	got, err := c.kept.Do(r)
	if err == nil {
		answer, err = io.ReadAll(io.LimitReader(got.Body, 1<<20))
		got.Body.Close()
	}
	c.done(ctx, err)
	return answer
}

// body returns one of n bytes, which is JSON as far as it goes.
func body(n int64) io.Reader {
	return io.MultiReader(strings.NewReader(`{"seats":["`), io.LimitReader(endless{}, n))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// connect opens a connection.
func (c *clients) connect(ctx context.Context) net.Conn {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(c.o.base, "http://"))
	c.done(ctx, err)
	return conn
}

// bare opens a connection and closes it.
func (c *clients) bare(ctx context.Context, _ int) {
	if conn := c.connect(ctx); conn != nil {
		conn.Close()
	}
}

// silent opens a connection and says nothing until it is closed.
func (c *clients) silent(ctx context.Context, _ int) {
	conn := c.connect(ctx)
	if conn == nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_, _ = conn.Read(make([]byte, 1))
	pause(ctx, 100*time.Millisecond)
}

// slow sends a request and reads its answer a byte a second.
func (c *clients) slow(ctx context.Context, i int) {
	conn := c.connect(ctx)
	if conn == nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	head := "GET /static/vendor/uplot.js HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	if c.token != "" {
		head += "Authorization: Bearer " + c.token + "\r\n"
	}
	head += "\r\n"
	if i%2 == 0 { // slow to read
		if _, err := io.WriteString(conn, head); err != nil {
			return
		}
		for one := make([]byte, 1); ctx.Err() == nil; pause(ctx, time.Second) {
			if _, err := conn.Read(one); err != nil {
				return
			}
		}
		return
	}
	for _, b := range []byte(head) { // slow to ask
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		if pause(ctx, time.Second); ctx.Err() != nil {
			return
		}
	}
}

// open opens a game that is played by searches, and returns its id.
func (c *clients) open(ctx context.Context) (id string) {
	setup, _ := json.Marshal(map[string]any{"seats": c.o.seats(ctx, c), "simulations": 2000})
	var game struct {
		ID string `json:"id"`
	}
	// no id if it is refused
	_ = json.Unmarshal(c.post(ctx, "/api/v1/play", bytes.NewReader(setup)), &game)
	return game.ID
}

// play opens a game and has it played.
func (c *clients) play(ctx context.Context, _ int) {
	id := c.open(ctx)
	for n := 0; id != "" && n < 20 && ctx.Err() == nil; n++ {
		c.post(ctx, "/api/v1/play/"+id+"/step", strings.NewReader("{}"))
	}
}

var asked sync.Map // the number of players, by address

// seats returns UCT in all seats of the run's game.
func (o *loadOptions) seats(ctx context.Context, c *clients) []string {
	n, known := asked.Load(o.base)
	for players := 2; !known && players <= 6; players++ {
		list := strings.Repeat(`"uct",`, players)
		answer := c.post(ctx, "/api/v1/play",
			strings.NewReader(`{"seats":[`+list[:len(list)-1]+`],"simulations":1}`))
		if known = bytes.Contains(answer, []byte(`"id"`)); known {
			n = players
			asked.Store(o.base, n)
		}
	}
	if !known {
		n = 2
	}
	list := make([]string, n.(int))
	for i := range list {
		list[i] = "uct"
	}
	return list
}
