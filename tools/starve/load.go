package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A gauge measures how many threads compute or wait for a processor. The zero gauge is ready.
type gauge struct {
	lock         sync.Mutex
	sum, samples float64
}

// A mark is what a gauge has seen so far.
type mark struct{ sum, samples float64 }

// sample looks ten times a second, where the system tells, and returns what ends that.
func (g *gauge) sample() (end func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticks := time.NewTicker(100 * time.Millisecond)
		defer ticks.Stop()
		for {
			if n, ok := runnable(); ok {
				g.lock.Lock()
				g.sum += n
				g.samples++
				g.lock.Unlock()
			}
			select {
			case <-ticks.C:
			case <-done:
				return
			}
		}
	})
	return func() { close(done); running.Wait() }
}

func (g *gauge) mark() mark {
	g.lock.Lock()
	defer g.lock.Unlock()
	return mark{g.sum, g.samples}
}

// since returns the mean number of such threads for each processor since the mark; 0 where nothing
// was measured.
func (g *gauge) since(m mark) float64 {
	now := g.mark()
	if now.samples == m.samples {
		return 0
	}
	return (now.sum - m.sum) / (now.samples - m.samples) / float64(runtime.NumCPU())
}

// runnable returns how many threads of the machine compute or wait for a processor, as Linux tells
// in /proc/stat, this one left out.
func runnable() (n float64, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	_, after, found := bytes.Cut(text, []byte("\nprocs_running "))
	if !found {
		return 0, false
	}
	number, _, _ := bytes.Cut(after, []byte("\n"))
	threads, err := strconv.Atoi(string(number))
	return float64(threads - 1), err == nil
}

// busy starts loops that compute all the time, each on a thread of its own, and returns what ends
// them.
func busy(loops int) (end func()) {
	done := make(chan struct{})
	previous := runtime.GOMAXPROCS(loops + 1)
	for range loops {
		go func() {
			runtime.LockOSThread()
			for {
				select {
				case <-done:
					return
				default:
					for range 1 << 16 {
					}
				}
			}
		}()
	}
	return func() { close(done); runtime.GOMAXPROCS(previous) }
}
