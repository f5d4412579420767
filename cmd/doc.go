// Package cmd implements the command line of tengen: one file per command, and [Main], which runs
// them. The program in cmd/tengen only calls Main.
//
// A program that registers a game of its own and calls Main has all commands for this game:
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
//	0    success
//	1    failure
//	2    usage error: an argument, a flag, a configuration, a player or a game
//	130  stopped by SIGINT (Ctrl-C) or SIGTERM
//
// An error is one line on the standard error that begins with the program's name. Results are
// written to the standard output, with --json as one JSON document.
//
// The first Ctrl-C stops a command in an orderly way; the second one kills it.
package cmd
