// Command fuzz runs every fuzz target of the project for a given time, one after the other. What a
// target finds new is kept in its package's testdata/fuzz, as `go test` does it; what covers more
// is kept in Go's cache, from which the next call goes on.
//
//	go run ./tools/fuzz --time 5m
//	go run ./tools/fuzz --time 1m --match Segment
//
// It takes as many processes as GOMAXPROCS. Minimizing is limited to a second: FuzzHistory and
// FuzzInspect make few executions otherwise. It ends with status 1 if a target has failed, after
// all have run.
package main
