// Gen writes the generated files of packages kernels and training: assembly for AVX-512, AVX2 and
// NEON, its Go declarations, and the kernels of inference in plain Go. To run it:
//
//	go generate ./nn/kernels
//
// Its argument is the folder of package kernels.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files returns the generated files by name, relative to package kernels.
func files() map[string][]byte {
	files := inference()
	for name, text := range trainingFiles() {
		files[filepath.Join("training", name)] = text
	}
	return files
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER")
		os.Exit(2)
	}
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
