package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	reached     = 0
	missed      = 1
	notMeasured = 2
	misused     = 64
)

// run reads the folder that args names, writes gpucheck.json and gpucheck.txt there and the table
// to stdout, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "gpucheck: usage: gpucheck FOLDER (of the results)")
		return misused
	}
	r := read(args[0])
	r.judge()
	document, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(args[0], "gpucheck.json"), append(document, '\n'), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(args[0], "gpucheck.txt"), []byte(r.table()), 0o644)
	}
	fmt.Fprint(stdout, r.table())
	if err != nil {
		fmt.Fprintln(stderr, "gpucheck:", err)
		return misused
	}
	return r.status()
}
