//go:build !linux

package machine

// AdviseHugePages does nothing here.
func AdviseHugePages[T any]([]T) {}
