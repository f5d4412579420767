//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

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
