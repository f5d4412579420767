package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"tengen/internal/cost"
	"tengen/tools/internal/tengen"
)

func main() { tengen.Main("costs", costs) }

func costs(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("costs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kib := flags.Int("kib", 1024, "size of the files, in `KiB`")
	flags.Usage = func() {
		fmt.Fprint(stderr, "Costs measures what hostile files cost.\n\n  go run ./tools/costs --kib 1024\n\n")
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
	fmt.Fprintf(stdout, "| format | most memory, MiB | of | most time | of | bound |\n| --- | --- | --- | --- | --- | --- |\n")
	var over []string
	for _, f := range list {
		r := f.measure(*kib << 10)
		fmt.Fprintf(stdout, "| %s | %.1f | %s | %v | %s | %d MiB + %d × n, %v + %v a MiB |\n", f.name, float64(r.bytes)/(1<<20), r.largest,
			r.took.Round(time.Millisecond), r.slowest, f.bound.Bytes>>20, f.bound.PerByte, f.bound.Time, f.bound.PerMiB)
		if r.over {
			over = append(over, f.name)
		}
	}
	if len(over) > 0 {
		return fmt.Errorf("more than the bound: %s", strings.Join(over, ", "))
	}
	return nil
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
		bytes, took := cost.Of(func() { f.read(x.data) })
		if r.largest == "" || bytes > r.bytes {
			r.bytes, r.largest = bytes, x.name
		}
		if r.slowest == "" || took > r.took {
			r.took, r.slowest = took, x.name
		}
		r.over = r.over || bytes > uint64(f.bound.Bytes)+uint64(f.bound.PerByte)*uint64(len(x.data)) ||
			took > f.bound.Time+time.Duration(float64(f.bound.PerMiB)*float64(len(x.data))/(1<<20))
	}
	return r
}
