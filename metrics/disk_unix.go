//go:build linux || darwin

package metrics

import "syscall"

func diskSpace(path string) (free, size float64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	return float64(s.Bavail) * float64(s.Bsize), float64(s.Blocks) * float64(s.Bsize), nil
}
