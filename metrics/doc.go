// Package metrics shows what a run does to Prometheus.
//
// [New] makes a [Metrics]: collectors with types and names, on a registry of
// its own, every series there from the start with the value zero. Whoever does
// the work moves them; [Metrics.Handler] lets Prometheus read them:
//
//	m := metrics.New(&metrics.Options{Run: "quick", Folder: "runs/quick"})
//	http.Handle("/", m.Handler())
//	m.GamesFinished.Inc()
//	done := m.Enter(run.StageSelfPlay)
//	…
//	done()
//
// [Contract] lists the families; docs/metrics.md is made from it. Series of all
// runs have the label run, the run's name, so that several are told apart on one
// chart without more configuration of Prometheus.
//
// Names start with tengen_, units are base units (seconds, ratios from 0 to 1),
// counters end in _total and never fall within a process. Labels have fewer than
// ten values, never a game or a step. Points in time are given as such
// (tengen_checkpoint_timestamp_seconds), from which a reader computes ages.
// Histograms have both explicit buckets and native ones.
//
// Collectors that an accelerator brings belong to the section System (system.go).
//
// All collectors are safe for concurrent use. A Metrics that nobody serves costs
// next to nothing, so that code need not ask whether there is one.
package metrics
