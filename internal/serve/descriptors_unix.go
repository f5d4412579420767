//go:build unix

package serve

import "syscall"

// allowed returns the number of connections that a server may have: a quarter of the process's file
// descriptors, so that the rest is left for files, but not more than mostConnections.
func allowed() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return mostConnections
	}
	return max(4, int(min(mostConnections, limit.Cur/4)))
}
