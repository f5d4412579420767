package metrics

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

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
