package tengen

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"
)

// asks are the paths that the page asks for when it is opened, and when an iteration has ended.
var asks = []string{
	"/api/v1/run", "/api/v1/history", "/api/v1/games", "/api/v1/log", "/api/v1/machine",
	"/api/v1/cluster",
}

// Get writes the answer to a request for a path to w. It ends with ctx.
type Get func(ctx context.Context, path string, w io.Writer) error

// Watch keeps the page open, with its stream of events, and reads the metrics every five seconds,
// until the context ends. What is not answered is asked again: the run may not listen yet. The
// function that it returns waits for the end of all requests.
func Watch(ctx context.Context, get Get) (wait func()) {
	var group sync.WaitGroup
	every := func(d time.Duration, f func()) {
		group.Go(func() {
			tick := time.NewTicker(d)
			defer tick.Stop()
			for ctx.Err() == nil {
				f()
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	ask := func() {
		for _, path := range asks {
			_ = get(ctx, path, io.Discard)
		}
	}
	every(5*time.Second, func() { _ = get(ctx, "/metrics", io.Discard) })
	every(time.Second, func() {
		ask()
		events, in := io.Pipe()
		go func() { in.CloseWithError(get(ctx, "/api/v1/stream", in)) }()
		lines := bufio.NewScanner(events)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() == "event: games" {
				ask()
			}
		}
		events.CloseWithError(lines.Err())
	})
	return group.Wait
}
