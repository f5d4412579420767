// Package metrics provides the Prometheus metrics of a run.
//
// [New] returns a [Metrics]: typed collectors on their own registry, with every series
// at zero from the start. The code that does the work updates them, and
// [Metrics.Handler] serves them to Prometheus:
//
//	m := metrics.New(&metrics.Options{Run: "quick", Folder: "runs/quick"})
//	http.Handle("/", m.Handler())
//	m.GamesFinished.Inc()
//	done := m.Enter(run.StageSelfPlay)
//	…
//	done()
//
// [Contract] lists the families; docs/metrics.md is generated from it. All series have
// the label run, the run's name, so that a chart can show several runs without
// configuring Prometheus.
//
// Names start with tengen_, units are base units (seconds, ratios from 0 to 1),
// counters end in _total and never decrease within a process. Labels have fewer than
// ten values, and are never a game or a step. Times are absolute
// (tengen_checkpoint_timestamp_seconds); readers compute ages. Histograms have explicit
// and native buckets.
//
// Collectors of accelerators belong to the section System (system.go).
//
// All collectors are safe for concurrent use. A Metrics that is not served is cheap, so
// code need not check whether there is one.
package metrics
