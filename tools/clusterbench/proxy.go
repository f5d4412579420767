//go:build linux

package main

import (
	"errors"
	"net"
	"sync"
)

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
