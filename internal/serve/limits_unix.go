//go:build unix

package serve

import (
	"net"
	"syscall"
)

// shorten bounds the connections that wait to be accepted, as far as the system does: they are
// accepted at a bounded rate, and who comes after them should not wait long. What does not fit
// comes again by itself.
func shorten(l net.Listener) {
	const most = 128
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		// with the system's bound else
		_ = raw.Control(func(fd uintptr) { _ = syscall.Listen(int(fd), most) })
	}
}

// allowed returns the number of connections that a server may have: a quarter of the process's file
// descriptors, so that the rest is left for files, but not more than mostConnections.
func allowed() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return mostConnections
	}
	return max(4, int(min(mostConnections, limit.Cur/4)))
}
