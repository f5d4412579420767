//go:build !amd64

package kernels

// assembly are the paths of this architecture besides plain Go: none.
var assembly []*Path
