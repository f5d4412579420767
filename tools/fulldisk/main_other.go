//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "fulldisk: it mounts a tmpfs, which is there on Linux alone")
	os.Exit(2)
}
