//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "fulldisk: tmpfs is available on Linux only")
	os.Exit(2)
}
