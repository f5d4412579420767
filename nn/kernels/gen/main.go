// Gen writes the generated files of package kernels: assembly for AVX-512,
// AVX2 and NEON, its Go declarations, and the same kernels in plain Go. To run it:
//
//	go generate ./nn/kernels
//
// Its argument is the folder to write to.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// generators return files by name, relative to package kernels.
var generators = []func() map[string][]byte{inference}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER")
		os.Exit(2)
	}
	for _, g := range generators {
		for name, text := range g() {
			if err := os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644); err != nil {
				fmt.Fprintln(os.Stderr, "gen:", err)
				os.Exit(1)
			}
		}
	}
}
