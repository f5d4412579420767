// Command tengen trains game players by self-play, plays with them and measures them.
// `tengen --help` lists what it does.
package main

import (
	"os"

	"tengen/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
