//go:build !unix

package cli

import "os"

// resizes returns a channel that receives when the terminal's size changes, until stop is called.
func resizes() (resized <-chan os.Signal, stop func()) { return nil, func() {} }
