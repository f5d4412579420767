package metrics

import (
	"slices"
)

// Family is what readers may rely on of the series of one name.
type Family struct {
	Name    string // tengen_loss; of a histogram without _bucket, _sum and _count
	Type    string // counter, gauge, histogram or summary
	Section string // one of Sections
	Labels  []Label
	Help    string
}

// Label is a label of a family, beside run, which all have.
type Label struct {
	Name   string
	Values string // what they are, for people: "network, uct"
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
	system    = "System"
)

// Sections are the parts of the contract, and of the dashboards, in their order.
func Sections() []string { return []string{learning, strength, playing, inference, data, system} }

// Contract lists the families that a run serves, section by section: its own, and
// of those that every Go program has the ones that dashboards and alerts use.
func Contract() []Family {
	list := append(New(nil).families, standard...)
	order := Sections()
	slices.SortStableFunc(list, func(a, b Family) int {
		return slices.Index(order, a.Section) - slices.Index(order, b.Section)
	})
	return list
}

// standard are families of the collectors that client_golang brings along.
var standard = []Family{
	{"process_cpu_seconds_total", counter, system, nil, "Processor time of the process, user and system. Linux and Windows, as all process_ families."},
	{"process_resident_memory_bytes", gauge, system, nil, "Memory of the process that is in RAM."},
	{"process_open_fds", gauge, system, nil, "Open files, sockets included."},
	{"process_max_fds", gauge, system, nil, "Open files that the process may have."},
	{"process_start_time_seconds", gauge, system, nil, "When the process began, in seconds since 1970."},
	{"go_gc_duration_seconds", summary, system, nil, "Pauses of the garbage collector; _count is the number of collections."},
	{"go_memstats_heap_inuse_bytes", gauge, system, nil, "Memory of the heap that is in use."},
	{"go_goroutines", gauge, system, nil, "Goroutines."},
}

func names(labels []Label) []string {
	list := make([]string, len(labels))
	for i, l := range labels {
		list[i] = l.Name
	}
	return list
}
