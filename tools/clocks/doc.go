// Clocks plays games of Go between processes of `tengen gtp`, many at once so that the machine
// is loaded, and counts how often a player oversteps its clock.
//
//	go run ./tools/clocks --games 1000 --at-once 100
//
// Each side of each game is a process of its own, as with any program that speaks the Go Text
// Protocol. The tool has its own clock: it counts the time from the moment when it sends
// genmove until it has read the answer, so that it also counts what the engine does not see. With
// --time-left it tells the engines its clock before each move, as some programs do and others
// don't.
//
// With 100 games at once, 100 processes search all the time. On a machine of two processors
// each gets a 50th part, and waits for it.
//
// The exit status is 1 if a clock has been overstepped.
package main
