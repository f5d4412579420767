//go:build linux || darwin

package deploy

import (
	"io"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"
)

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// short are settings that make the quick preset, with its network and searches, a
// run of some seconds.
var short = []string{
	"warm_start.initial_games=10", "warm_start.initial_passes=1", "training.iterations=1", "training.games=20", "training.max_steps=20",
	"evaluation.every=0",
}

// BenchmarkScraped makes the same run twice, in turns: unwatched, and with its
// metrics read once a second, fifteen times as often as prometheus.yml asks for,
// by a reader whose own time counts too. It reports how much more
// processor time the second takes: the median over the pairs, in percent.
//
//	go test ./deploy -run xxx -bench Scraped -benchtime 10x -timeout 30m
func BenchmarkScraped(b *testing.B) {
	run := func(watched bool) float64 {
		target, train := prepare(b, "quick", short...)
		stop, stopped := make(chan struct{}), make(chan struct{})
		began := processorTime(b)
		go func() {
			defer close(stopped)
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for watched {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				answer, err := http.Get("http://" + target + "/metrics")
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body) // what counts is that it was sent
				answer.Body.Close()
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
