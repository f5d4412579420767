// Command gen writes the assembly of package training: go generate in that
// package's folder runs it.
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
