//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// resizes returns a channel that receives when the terminal's size changes, until stop is called.
func resizes() (resized <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
