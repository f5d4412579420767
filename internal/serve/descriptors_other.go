//go:build !unix

package serve

// allowed returns the number of connections that a server may have.
func allowed() int { return mostConnections }
