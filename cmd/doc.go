// Package cmd is the command line of tengen: one file a command, and [Main],
// which runs them. The program itself, in cmd/tengen, is a single call of it.
//
// A program of one's own that registers a game and calls Main has every command
// with this game in it:
//
//	package main
//
//	import (
//		"os"
//
//		"tengen/cmd"
//		_ "example.org/hex" // registers a game in its init function
//	)
//
//	func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
//
// # Exit status
//
//	0    it did what was asked
//	1    it failed
//	2    it was asked wrongly: an argument, a flag, a configuration, a player or a game
//	130  it was stopped by Ctrl-C or a request to end
//
// Whatever goes wrong is one line on the standard error, after "tengen: ".
// Results go to the standard output, with --json as one JSON document.
//
// The first Ctrl-C ends what the command is doing in good order; a second one
// kills it.
package cmd
