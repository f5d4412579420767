// Soak monitors the memory and open files of a real `tengen train` that plays, trains,
// saves, removes files and evaluates as fast as possible.
//
//	go run ./tools/soak --minutes 30
//
// Every second it records the process's resident memory (RSS), open files and threads. At
// the end it compares the last sixth of the time (the last 5 of 30 minutes) with a part of
// the same length around a third of the time (minutes 7.5 to 12.5), when window, cache and
// heap have reached their size. It compares medians, because with the garbage collector
// memory varies by a half within seconds. The exit status is 1 if memory has grown by more
// than 5 % (--most), or if the minimum of open files in the last part is greater than the
// maximum in the first.
//
// With --watched the run is that of the preset quick, going on until the time is over, with
// everything on: a client that holds the page's event stream and asks for what the page asks for, a
// client that asks for the metrics every five seconds, as Prometheus does, evaluations, and
// TensorBoard's files. The table then has a row for each eighth of the time, with goroutines and
// bytes on disk.
//
// It needs Linux, since it reads /proc.
package main
