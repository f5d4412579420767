//go:build !amd64 && !arm64

package training

// generated are the tables of generated loops, by the names of paths: none.
var generated map[string]*table
