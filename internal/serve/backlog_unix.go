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
