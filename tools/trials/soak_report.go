//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// soakReport compares two parts of the time.
type soakReport struct {
	Seconds float64  `json:"seconds"`
	First   part     `json:"first"` // around a third of the time
	Last    part     `json:"last"`
	Ratio   float64  `json:"ratio"` // of memory in the last part to memory in the first
	Samples []sample `json:"samples"`
	Answers int64    `json:"answers,omitempty"` // of the page and the metrics, in a watched run
}

func newSoakReport(samples []sample) (*soakReport, error) {
	if len(samples) < 2 {
		return nil, errors.New("the run ended too early for a comparison")
	}
	end := samples[len(samples)-1].At
	width := max(end/6, 3)
	r := &soakReport{
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

func (r *soakReport) String() string {
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
func (r *soakReport) table(b *strings.Builder) {
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
func (r *soakReport) verdict(most float64) error {
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

// sample is the resources of a process at one time.
type sample struct {
	At      float64 `json:"at"`  // seconds since its start
	RSS     int64   `json:"rss"` // resident memory, bytes
	Files   int     `json:"files"`
	Threads int     `json:"threads"`

	// Of a watched run, every tenth sample:
	Goroutines int   `json:"goroutines,omitempty"`
	Iteration  int   `json:"iteration,omitempty"`
	Disk       int64 `json:"disk,omitempty"` // of the run and TensorBoard's files, bytes
}

// look takes a sample of a process.
func look(pid int, began time.Time) (sample, error) {
	s := sample{At: time.Since(began).Seconds()}
	folder := fmt.Sprintf("/proc/%d/", pid)
	status, err := os.ReadFile(folder + "status")
	if err != nil {
		return s, err
	}
	rss, err := field(status, "VmRSS:") // kB
	if err != nil {
		return s, err
	}
	threads, err := field(status, "Threads:")
	if err != nil {
		return s, err
	}
	files, err := os.ReadDir(folder + "fd")
	if err != nil {
		return s, err
	}
	s.RSS, s.Threads, s.Files = rss<<10, int(threads), len(files)
	return s, nil
}

// field returns the number after a name in /proc/PID/status.
func field(status []byte, name string) (int64, error) {
	for line := range bytes.Lines(status) {
		if words := bytes.Fields(line); len(words) > 1 && string(words[0]) == name {
			return strconv.ParseInt(string(words[1]), 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no %s", name)
}

// part summarizes the samples of a part of the time.
type part struct {
	From       float64 `json:"from"` // seconds
	To         float64 `json:"to"`
	RSS        float64 `json:"rss"` // median, bytes
	LeastFiles int     `json:"least_files"`
	MostFiles  int     `json:"most_files"`
	Threads    int     `json:"most_threads"`
	samples    int
}

func partOf(samples []sample, from, to float64) part {
	p := part{From: from, To: to}
	var rss []float64
	for _, s := range samples {
		if s.At < from || s.At > to {
			continue
		}
		if p.samples == 0 {
			p.LeastFiles = s.Files
		}
		p.samples++
		rss = append(rss, float64(s.RSS))
		p.LeastFiles, p.MostFiles = min(p.LeastFiles, s.Files), max(p.MostFiles, s.Files)
		p.Threads = max(p.Threads, s.Threads)
	}
	if slices.Sort(rss); len(rss) > 0 {
		p.RSS = rss[len(rss)/2]
	}
	return p
}
