//go:build !amd64 && !arm64

package kernels

// assembly lists the paths in assembly: none on this architecture.
var assembly []*Path
