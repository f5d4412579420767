//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "killloop: it watches files through inotify, which is there on Linux alone")
	os.Exit(2)
}
