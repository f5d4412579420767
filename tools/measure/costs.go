package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"tengen/internal/testkit"
)

func costs(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("costs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kib := flags.Int("kib", 1024, "size of the files, in `KiB`")
	flags.Usage = func() {
		fmt.Fprint(stderr,
			"Costs measures what hostile files cost.\n\n  go run ./tools/measure costs --kib 1024\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *kib < 1 || flags.NArg() > 0 {
		return fmt.Errorf("--kib %d: a number above 0 is wanted, and no argument", *kib)
	}
	dir, err := os.MkdirTemp("", "costs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list, err := formats(dir)
	if err != nil {
		return err
	}
	over := costTable(stdout, list, *kib<<10)
	if len(over) > 0 {
		return fmt.Errorf("more than the bound: %s", strings.Join(over, ", "))
	}
	return nil
}

// escaped replaces what would end a cell of the table.
var escaped = strings.NewReplacer("|", `\|`)

// costTable writes a line for each format, and returns the names of those that cost more than is
// allowed.
func costTable(w io.Writer, list []format, n int) (over []string) {
	fmt.Fprintf(w,
		"| format | most memory, MiB | of | most time | of |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range list {
		r := f.measure(n)
		fmt.Fprintf(w, "| %s | %.1f | %s | %v | %s |\n", f.name, float64(r.bytes)/(1<<20),
			escaped.Replace(r.largest), r.took.Round(time.Millisecond), escaped.Replace(r.slowest))
		if r.over {
			over = append(over, f.name)
		}
	}
	return over
}

// result is the most that a format's files have cost.
type result struct {
	bytes            uint64
	took             time.Duration
	largest, slowest string
	over             bool
}

// measure reads all of a format's hostile files of about n bytes.
func (f *format) measure(n int) (r result) {
	for _, x := range f.hostile(n) {
		data := x.data()
		read := func() { f.read(data) }
		bytes, took := testkit.Cost(read)
		most := uint64(testkit.Usual.Bytes + testkit.Usual.PerByte*len(data))
		if bytes > min(r.bytes, most) { // all that is allocated need not be in use at a time
			bytes = min(bytes, testkit.InUse(read))
		}
		if r.largest == "" || bytes > r.bytes {
			r.bytes, r.largest = bytes, x.name
		}
		if r.slowest == "" || took > r.took {
			r.took, r.slowest = took, x.name
		}
		r.over = r.over || bytes > most ||
			took > testkit.Usual.Time+
				time.Duration(float64(testkit.Usual.PerMiB)*float64(len(data))/(1<<20))
	}
	return r
}
