// Gen writes the generated files of package training to the current folder. To run it:
//
//	go generate ./nn/kernels/training
package main

import (
	"log"
	"os"
)

func main() {
	for name, text := range files() {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
