package metrics

import (
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"tengen/internal/machine"
	"tengen/run"
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
		if free, size, err := machine.DiskSpace(path); err == nil {
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

// Device is the readings of an accelerator; unknown ones are NaN.
type Device struct {
	Name        string  // "cuda:0"
	Utilization float64 // 0 to 1
	MemoryUsed  float64 // bytes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // °C
	Lost        float64 // 1 while the device is lost and others do its work, otherwise 0
	Losses      float64 // how often it was lost
}

// devices collects the readings of accelerators at each scrape.
type devices struct {
	read   atomic.Pointer[func() []Device]
	descs  []*prometheus.Desc
	types  []prometheus.ValueType
	values []func(*Device) float64
}

func (m *Metrics) makeDevices(b *builder) {
	d := &devices{}
	for _, f := range []struct {
		name, help string
		value      func(*Device) float64
	}{
		{"gpu_utilization_ratio", "Share of recent time in which the device computed, for any process, as reported by NVML. Only with a device, as all gpu_ families.", func(x *Device) float64 { return x.Utilization }},
		{"gpu_memory_used_bytes", "Device memory in use by all processes.",
			func(x *Device) float64 { return x.MemoryUsed }},
		{"gpu_memory_total_bytes", "Device memory in total.", func(x *Device) float64 {
			return x.MemoryTotal
		}},
		{"gpu_power_watts", "Power draw of the device.", func(x *Device) float64 {
			return x.Power
		}},
		{"gpu_temperature_celsius", "Temperature of the device.", func(x *Device) float64 {
			return x.Temperature
		}},
		{"gpu_lost", "1 while the device is lost and the others do its work, otherwise 0.",
			func(x *Device) float64 { return x.Lost }},
		{"gpu_losses_total", "How often the device was lost.", func(x *Device) float64 {
			return x.Losses
		}},
	} {
		kind, of := prometheus.GaugeValue, gauge
		if strings.HasSuffix(f.name, "_total") {
			kind, of = prometheus.CounterValue, counter
		}
		d.types = append(d.types, kind)
		label := Label{"device", "cuda:0, cuda:1, …"}
		d.descs = append(d.descs,
			prometheus.NewDesc(namespace+"_"+f.name, f.help, []string{label.Name}, nil))
		d.values = append(d.values, f.value)
		b.families = append(b.families, Family{
			Name: namespace + "_" + f.name, Type: of, Section: b.section, Labels: []Label{label},
			Help: f.help,
		})
	}
	b.registerer.MustRegister(d)
	m.devices = d
}

// Devices sets the source of the accelerators' readings. It is called at each scrape, from any
// goroutine.
func (m *Metrics) Devices(read func() []Device) { m.devices.read.Store(&read) }

// ReadDevices returns the readings of the accelerators, none before Devices is called.
func (m *Metrics) ReadDevices() []Device {
	if read := m.devices.read.Load(); read != nil {
		return (*read)()
	}
	return nil
}

// Describe implements prometheus.Collector.
func (d *devices) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range d.descs {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (d *devices) Collect(ch chan<- prometheus.Metric) {
	read := d.read.Load()
	if read == nil {
		return
	}
	for _, x := range (*read)() {
		for i, desc := range d.descs {
			if v := d.values[i](&x); !math.IsNaN(v) {
				ch <- prometheus.MustNewConstMetric(desc, d.types[i], v, x.Name)
			}
		}
	}
}

func (m *Metrics) makeStages(b *builder) {
	label := Label{"stage", "self_play, replay, update, checkpoint, evaluation"}
	inProgress := b.gauges("stage_in_progress", "1 while the run is in this stage, otherwise 0. Evaluation may be concurrent with other stages.", label)
	durations := b.histograms("stage_duration_seconds", "Duration of a stage, each time.",
		label, prometheus.ExponentialBuckets(0.1, 3, 12))
	m.stages = map[run.Stage]prometheus.Gauge{}
	m.stageDuration = map[run.Stage]prometheus.Observer{}
	for _, s := range run.Stages() {
		m.stages[s] = inProgress.WithLabelValues(string(s))
		m.stageDuration[s] = durations.WithLabelValues(string(s))
	}
}

// Enter records that the run is in stage s until the returned function is called, which
// must happen once.
func (m *Metrics) Enter(s run.Stage) (leave func()) {
	gauge, ok := m.stages[s]
	if !ok {
		panic("metrics: no stage is called " + string(s))
	}
	began := m.now()
	gauge.Set(1)
	return func() {
		gauge.Set(0)
		m.stageDuration[s].Observe(m.now().Sub(began).Seconds())
	}
}
