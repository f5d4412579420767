//go:build !gpu || !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr,
		"kernels: this tool needs Linux and the tag gpu: go run -tags gpu ./tools/kernels")
	os.Exit(1)
}
