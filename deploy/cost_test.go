//go:build linux || darwin

package deploy

import (
	"context"
	"io"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"
)

// processorTime is the processor time used by this process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// short are settings with which the preset quick, with its network and searches, takes
// about a minute.
var short = []string{
	"warm_start.initial_games=10", "warm_start.initial_epochs=1", "training.iterations=3",
	"training.games=60", "training.max_steps=60",
	"evaluation.every=0",
}

// BenchmarkWatched makes pairs of the same run: one unobserved, the other with its metrics
// scraped every 15 seconds, as in prometheus.yml, and the live page open. The clients' time
// counts too. It reports the median of the additional processor time in percent.
//
//	go test ./deploy -run xxx -bench Watched -benchtime 10x -timeout 60m
func BenchmarkWatched(b *testing.B) {
	run := func(watched bool) float64 {
		target, train := prepare(b, "quick", short...)
		stop, stopped := make(chan struct{}), make(chan struct{})
		began := processorTime(b)
		get := func(path string) {
			answer, err := http.Get("http://" + target + path)
			if err != nil {
				b.Error(err)
				return
			}
			defer answer.Body.Close()
			_, _ = io.Copy(io.Discard, answer.Body) // what counts is that it was sent
		}
		go func() {
			defer close(stopped)
			if !watched {
				return
			}
			for _, path := range []string{"/", "/api/v1/run", "/api/v1/history", "/api/v1/games"} {
				get(path)
			}
			listening, leave := context.WithCancel(b.Context())
			defer leave()
			request, err := http.NewRequestWithContext(listening, http.MethodGet, "http://"+target+"/api/v1/stream", nil)
			if err != nil {
				b.Error(err)
				return
			}
			go func() {
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					b.Error(err)
					return
				}
				defer answer.Body.Close()
				_, _ = io.Copy(io.Discard, answer.Body) // until it is left
			}()
			tick := time.NewTicker(15 * time.Second)
			defer tick.Stop()
			for {
				get("/metrics")
				select {
				case <-stop:
					return
				case <-tick.C:
				}
			}
		}()
		train()
		close(stop)
		<-stopped
		return (processorTime(b) - began).Seconds()
	}
	var more []float64
	for i := range b.N {
		first := i%2 == 1 // who goes first takes turns too
		x := run(first)
		y := run(!first)
		if first {
			x, y = y, x
		}
		more = append(more, 100*(y/x-1))
		b.ReportMetric(x, "cpu-s")
	}
	slices.Sort(more)
	b.ReportMetric(more[len(more)/2], "%more")
}
