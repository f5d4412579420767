//go:build !unix

package serve

import "net"

// shorten does nothing on this system.
func shorten(net.Listener) {}

// allowed returns the number of connections that a server may have.
func allowed() int { return mostConnections }
