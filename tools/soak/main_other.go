//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "soak: it reads /proc, which is there on Linux alone")
	os.Exit(2)
}
