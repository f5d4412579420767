package metrics

import (
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// makeSystem registers the collectors of the machine and the process.
func (m *Metrics) makeSystem(b *builder, folder string) {
	b.section = system
	b.registerer.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	b.asked("disk_free_bytes",
		"Free space for an unprivileged user on the disk of the run's folder; NaN if unknown.",
		func() float64 {
			free, _ := disk(folder)
			return free
		})
	b.asked("disk_size_bytes",
		"Size of the disk of the run's folder; NaN if unknown.", func() float64 {
			_, size := disk(folder)
			return size
		})
	m.makeDevices(b)
	m.makeStages(b)
	m.run = b.gauges("run_info", "1, with a description of the run as labels.",
		Label{"game", "its canonical name"}, Label{"algorithm", "alphazero, descent"})
	build := b.gauges("build_info", "1, with a description of the program as labels.",
		Label{"version", "of the module"}, Label{"revision", "of the source"},
		Label{"goversion", "of the compiler"})
	build.WithLabelValues(buildLabels()...).Set(1)
}

// Describe sets the labels that describe the run: the game's name, the algorithm, and
// the code path of the network's arithmetic.
func (m *Metrics) Describe(game, algorithm, kernels string) {
	for vec, values := range map[*prometheus.GaugeVec][]string{
		m.run: {game, algorithm}, m.kernels: {kernels},
	} {
		vec.Reset()
		vec.WithLabelValues(values...).Set(1)
	}
}

// disk returns the free space and the size in bytes of the disk of a folder, or of the
// nearest folder above it that exists; NaN if unknown.
func disk(folder string) (free, size float64) {
	path, err := filepath.Abs(folder)
	for err == nil {
		if free, size, err := diskSpace(path); err == nil {
			return free, size
		}
		above := filepath.Dir(path)
		if above == path {
			break
		}
		path = above
	}
	return math.NaN(), math.NaN()
}

func buildLabels() []string {
	version, revision := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return []string{version, revision, runtime.Version()}
}
