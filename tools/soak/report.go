//go:build linux

package main

import (
	"errors"
	"fmt"
	"strings"
)

// report compares two parts of the time.
type report struct {
	Seconds float64  `json:"seconds"`
	First   part     `json:"first"` // around a third of the time
	Last    part     `json:"last"`
	Ratio   float64  `json:"ratio"` // of memory in the last part to memory in the first
	Samples []sample `json:"samples"`
	Answers int64    `json:"answers,omitempty"` // of the page and the metrics, in a watched run
}

func newReport(samples []sample) (*report, error) {
	if len(samples) < 2 {
		return nil, errors.New("the run ended too early for a comparison")
	}
	end := samples[len(samples)-1].At
	width := max(end/6, 3)
	r := &report{
		Seconds: end, Samples: samples,
		First: partOf(samples, end/3-width/2, end/3+width/2),
		Last:  partOf(samples, end-width, end),
	}
	if r.First.samples == 0 || r.Last.samples == 0 {
		return nil, errors.New("there are too few samples for a comparison")
	}
	r.Ratio = r.Last.RSS / r.First.RSS
	return r, nil
}

func (r *report) String() string {
	var b strings.Builder
	b.WriteString("           memory      files     threads\n")
	for _, p := range []struct {
		name string
		part
	}{{"first", r.First}, {"last", r.Last}} {
		fmt.Fprintf(&b, "%-5s  %6.1f MiB  %3d to %-3d  %5d   minutes %.1f to %.1f\n",
			p.name, p.RSS/(1<<20), p.LeastFiles, p.MostFiles, p.Threads, p.From/60, p.To/60)
	}
	r.table(&b)
	fmt.Fprintf(&b, "memory in the last part is %.3f times that in the first\n", r.Ratio)
	return b.String()
}

// tableRows is the number of rows of the table of a watched run.
const tableRows = 8

// table writes a Markdown table of a watched run, nothing for others.
func (r *report) table(b *strings.Builder) {
	row := 0
	for i := range tableRows {
		from, to := r.Seconds*float64(i)/tableRows, r.Seconds*float64(i+1)/tableRows
		var s sample // the last with all figures
		least, most := 0, 0
		for _, x := range r.Samples {
			if x.At < from || x.At > to || x.Goroutines == 0 {
				continue
			}
			if s = x; least == 0 {
				least = x.Goroutines
			}
			least, most = min(least, x.Goroutines), max(most, x.Goroutines)
		}
		if s.Goroutines == 0 {
			continue
		}
		if row++; row == 1 {
			b.WriteString("\n| minutes | iteration | memory, median | files | threads | goroutines | on disk |\n| --- | --- | --- | --- | --- | --- | --- |\n")
		}
		p := partOf(r.Samples, from, to)
		fmt.Fprintf(b, "| %.0f–%.0f | %d | %.0f MiB | %d–%d | %d | %d–%d | %.1f MiB |\n", from/60,
			to/60, s.Iteration, p.RSS/(1<<20), p.LeastFiles, p.MostFiles, p.Threads,
			least, most, float64(s.Disk)/(1<<20))
	}
	if row > 0 {
		fmt.Fprintf(b, "\n%d answers of the page and the metrics\n", r.Answers)
	}
}

// verdict returns an error if memory or the number of open files has grown.
func (r *report) verdict(most float64) error {
	var errs []error
	if r.Ratio > 1+most/100 {
		errs = append(errs,
			fmt.Errorf("memory has grown by %.1f %%; the maximum is %g %%", 100*(r.Ratio-1), most))
	}
	if r.Last.LeastFiles > r.First.MostFiles {
		errs = append(errs,
			fmt.Errorf("at least %d files are open, after at most %d before",
				r.Last.LeastFiles, r.First.MostFiles))
	}
	return errors.Join(errs...)
}
