// Command nim is tengen with one more game, Nim. It shows everything that your own
// game needs. Every command of tengen works with it:
//
//	go run ./examples/nim games
//	go run ./examples/nim train examples/nim/nim.yaml
//	go run ./examples/nim play --game nim human uct
package main

import (
	"os"

	"tengen/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
