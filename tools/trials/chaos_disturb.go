//go:build linux

package main

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// pause draws a time with this mean in seconds.
func (c *chaos) pause(mean float64) time.Duration {
	return time.Duration(mean * c.rng.ExpFloat64() * float64(time.Second))
}

// within draws a time of at most so many seconds.
func (c *chaos) within(seconds float64) time.Duration {
	return time.Duration(seconds * c.rng.Float64() * float64(time.Second))
}

func (c *chaos) later(d time.Duration, do func(context.Context) error) {
	c.due = append(c.due, due{time.Now().Add(d), do})
}

// act does something that a cluster must survive, and returns what; "" if there was nothing to do
// it to.
func (c *chaos) act(ctx context.Context) (what string, err error) {
	w := c.workers[c.rng.IntN(len(c.workers))]
	there := w.p != nil && !w.p.Over()
	n := c.rng.IntN(22)
	switch {
	case n < 6:
		if !there {
			return "", nil
		}
		w.p.Kill()
		c.report.Games += w.p.Games()
		w.p = nil
		c.later(c.within(4), func(ctx context.Context) error { return c.startWorker(ctx, w) })
		return "worker killed", nil
	case n < 9:
		if c.trainer == nil || c.trainer.Over() {
			return "", nil
		}
		c.trainer.Kill()
		c.trainer = nil
		if err := c.check(); err != nil {
			return "", err
		}
		how, err := damageStore(c.rng, c.store())
		if err != nil {
			return "", err
		}
		c.report.Store[how]++
		c.later(c.within(4), c.startTrainer)
		return "trainer killed", nil
	case n < 12:
		if !there {
			return "", nil
		}
		p := w.p
		p.Signal(syscall.SIGSTOP)
		c.later(c.within(20), func(context.Context) error { p.Signal(syscall.SIGCONT); return nil })
		return "worker stopped", nil
	case n < 13:
		if c.trainer == nil || c.trainer.Over() {
			return "", nil
		}
		p := c.trainer
		p.Signal(syscall.SIGSTOP)
		c.later(c.within(10), func(context.Context) error { p.Signal(syscall.SIGCONT); return nil })
		return "trainer stopped", nil
	case n < 16:
		w.proxy.cut()
		return "connection cut", nil
	case n < 19:
		w.proxy.hold(true)
		c.later(c.within(c.o.partition), func(context.Context) error {
			w.proxy.hold(false)
			return nil
		})
		return "worker partitioned", nil
	}
	if n >= 20 {
		how, err := damageStore(c.rng, c.store())
		if errors.Is(err, fs.ErrNotExist) || how == storeKept {
			return "", nil // the broker has just removed a file
		}
		return "store of a running broker " + how, err
	}
	for _, w := range c.workers {
		w.proxy.hold(true)
	}
	c.later(c.within(c.o.partition/2), func(context.Context) error {
		for _, w := range c.workers {
			w.proxy.hold(false)
		}
		return nil
	})
	return "all partitioned", nil
}

// What may happen to the broker's store.
const (
	storeKept  = "kept"
	storeWiped = "wiped"
	storeCut   = "cut"
	storeFlips = "bits flipped"
)

// damageStore damages the broker's store, and returns how.
func damageStore(rng *rand.Rand, folder string) (how string, err error) {
	how = []string{storeKept, storeKept, storeWiped, storeCut, storeFlips, storeFlips}[rng.IntN(6)]
	if how == storeKept {
		return how, nil
	}
	if how == storeWiped {
		err := os.RemoveAll(folder)
		for range 50 {
			if !errors.Is(err, syscall.ENOTEMPTY) {
				break
			}
			err = os.RemoveAll(folder) // a running broker has just made a file
		}
		return how, err
	}
	var files []string
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return storeKept, nil
	}
	if err != nil {
		return "", err
	}
	for range 1 + rng.IntN(4) {
		path := files[rng.IntN(len(files))]
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			continue
		}
		if how == storeCut {
			err = os.Truncate(path, rng.Int64N(int64(len(text))))
		} else {
			for range 1 + rng.IntN(8) {
				text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
			}
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return how, nil
}

// proxy forwards connections to an address, and can hold up or cut them.
type proxy struct {
	listener net.Listener
	target   string
	group    sync.WaitGroup

	mu     sync.Mutex
	cond   *sync.Cond
	held   bool // nothing is forwarded
	closed bool
	open   map[net.Conn]bool
}

func newProxy(target string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, open: map[net.Conn]bool{}}
	p.cond = sync.NewCond(&p.mu)
	p.group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.group.Go(func() { p.serve(c) })
		}
	})
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// pass waits while the proxy holds connections up. It returns an error once they are cut.
func (p *proxy) pass(c net.Conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held && p.open[c] {
		p.cond.Wait()
	}
	if !p.open[c] {
		return net.ErrClosed
	}
	return nil
}

func (p *proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.open[c] = true
	return true
}

// drop closes connections.
func (p *proxy) drop(list ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range list {
		_ = c.Close() // whoever uses it sees an error
		delete(p.open, c)
	}
	p.cond.Broadcast()
}

func (p *proxy) serve(in net.Conn) {
	if !p.add(in) {
		_ = in.Close() // the proxy is closed
		return
	}
	if p.pass(in) != nil {
		return
	}
	out, err := net.Dial("tcp", p.target)
	if err != nil || !p.add(out) {
		p.drop(in)
		return
	}
	p.group.Go(func() { p.forward(out, in) })
	p.forward(in, out)
}

// forward copies until either connection ends, and closes both.
func (p *proxy) forward(to, from net.Conn) {
	defer p.drop(to, from)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err := errors.Join(p.pass(from), p.pass(to)); err != nil {
			return
		}
		if _, e := to.Write(buffer[:n]); e != nil || err != nil {
			return
		}
	}
}

// hold lets nothing through, or again everything.
func (p *proxy) hold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = on
	p.cond.Broadcast()
}

// cut closes all connections. New ones are accepted.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close() // whoever uses it sees an error
		delete(p.open, c)
	}
	p.cond.Broadcast()
}

func (p *proxy) close() {
	_ = p.listener.Close() // nobody waits for it
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cut()
	p.group.Wait()
}
