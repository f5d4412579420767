package metrics

import (
	"slices"
)

// Family describes the series of one name, as guaranteed to readers.
type Family struct {
	Name    string // such as tengen_loss; for a histogram without _bucket, _sum and _count
	Type    string // counter, gauge, histogram or summary
	Section string // one of Sections
	Labels  []Label
	Help    string
}

// Label is a label of a family other than run, which all have.
type Label struct {
	Name   string
	Values string // a description, such as "network, uct"
}

// The types of families.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// The sections of the contract, in their order.
const (
	learning  = "Learning"
	strength  = "Strength"
	playing   = "Self-play"
	inference = "Inference"
	data      = "Data"
	elsewhere = "Cluster"
	system    = "System"
)

// Sections returns the sections of the contract and of the dashboards, in order.
func Sections() []string {
	return []string{learning, strength, playing, inference, data, elsewhere, system}
}

// Contract returns the families that a run serves, by section: its own, and those of
// every Go program that dashboards and alerts use.
func Contract() []Family {
	list := append(New(nil).families, standard...)
	order := Sections()
	slices.SortStableFunc(list, func(a, b Family) int {
		return slices.Index(order, a.Section) - slices.Index(order, b.Section)
	})
	return list
}

// standard are families of client_golang's own collectors.
var standard = []Family{
	{"process_cpu_seconds_total", counter, system, nil, "Processor time of the process, user and system. Linux and Windows, as all process_ families."},
	{"process_resident_memory_bytes", gauge, system, nil, "Resident memory of the process."},
	{"process_open_fds", gauge, system, nil, "Open files, sockets included."},
	{"process_max_fds", gauge, system, nil, "Maximum number of open files of the process."},
	{"process_start_time_seconds",
		gauge, system, nil, "Start of the process, in seconds since 1970."},
	{"go_gc_duration_seconds", summary, system, nil,
		"Pauses of the garbage collector; _count is the number of collections."},
	{"go_memstats_heap_inuse_bytes", gauge, system, nil, "Heap memory in use."},
	{"go_goroutines", gauge, system, nil, "Goroutines."},
}

func names(labels []Label) []string {
	list := make([]string, len(labels))
	for i, l := range labels {
		list[i] = l.Name
	}
	return list
}
