package v1

import (
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"tengen/internal/interval"
	"tengen/internal/machine"
)

// Device is the readings of an accelerator; unknown ones are NaN.
type Device struct {
	Name        string  // "cuda:0"
	Utilization float64 // 0 to 1
	MemoryUsed  float64 // bytes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // °C
	Lost        bool
}

// Samples of what training uses: at most one in sampleEvery, while somebody looks, and the last
// ones of them.
const (
	sampleEvery = 2 * time.Second
	maxSamples  = 600
)

// sampler samples what the process that trains uses. It is safe for concurrent use.
type sampler struct {
	now     func() time.Time
	usage   func(pid int) (machine.Usage, error)
	devices func() []Device // nil: there are none

	mu      sync.Mutex
	pid     int // of last
	last    machine.Usage
	at      time.Time // of last
	samples []sample
}

// sample is what was used up to a moment since the one before.
type sample struct {
	Time    time.Time `json:"time"`
	Cores   float64   `json:"cores"`  // busy
	Memory  uint64    `json:"memory"` // bytes
	Devices []float64 `json:"devices"`
}

// machineView is what the machine has and what training uses of it.
type machineView struct {
	Known     bool         `json:"known"` // a process trains, and what it uses is known
	Cores     int          `json:"cores"`
	Memory    uint64       `json:"memory"` // bytes, 0: unknown
	Available uint64       `json:"available"`
	Load      float64      `json:"load"`
	Devices   []deviceView `json:"devices"`
	Samples   []sample     `json:"samples"` // the oldest first
}

// deviceView is a Device, with null for what is unknown.
type deviceView struct {
	Name        string   `json:"name"`
	Utilization *float64 `json:"utilization"`
	MemoryUsed  *float64 `json:"memory_used"`
	MemoryTotal *float64 `json:"memory_total"`
	Power       *float64 `json:"power"`
	Temperature *float64 `json:"temperature"`
	Lost        bool     `json:"lost"`
}

// look samples what process pid uses, 0: none, and returns everything that is known.
func (m *sampler) look(pid int) *machineView {
	m.mu.Lock()
	defer m.mu.Unlock()
	has := machine.Has()
	v := &machineView{
		Cores: has.Cores, Memory: has.Memory, Available: has.Available, Load: has.Load,
		Devices: []deviceView{},
	}
	var devices []Device
	if m.devices != nil {
		devices = m.devices()
	}
	busy := []float64{}
	for _, d := range devices {
		x := deviceView{
			d.Name, interval.OrNull(d.Utilization), interval.OrNull(d.MemoryUsed),
			interval.OrNull(d.MemoryTotal), interval.OrNull(d.Power),
			interval.OrNull(d.Temperature), d.Lost,
		}
		v.Devices = append(v.Devices, x)
		if x.Utilization == nil {
			x.Utilization = new(float64)
		}
		busy = append(busy, *x.Utilization)
	}
	now := m.now()
	used, err := m.usage(pid)
	v.Known = pid != 0 && err == nil
	switch passed := now.Sub(m.at); {
	case !v.Known:
		m.pid = 0
	case pid != m.pid || passed < 0 || used.CPU < m.last.CPU:
		m.pid, m.last, m.at, m.samples = pid, used, now, nil // another process
	case passed >= sampleEvery:
		m.samples = append(m.samples,
			sample{now, float64(used.CPU-m.last.CPU) / float64(passed), used.Resident, busy})
		if n := len(m.samples); n > maxSamples {
			m.samples = slices.Clone(m.samples[n-maxSamples:])
		}
		m.last, m.at = used, now
	}
	v.Samples = append([]sample{}, m.samples...)
	return v
}

// trainer returns the process that trains the run on this machine, 0 if there is none.
func (api *API) trainer() int {
	if api.options.Status != nil {
		return os.Getpid()
	}
	holder, err := api.folder.Holder()
	if err != nil || holder == nil {
		return 0
	}
	if host, err := os.Hostname(); err != nil || host != holder.Host {
		return 0
	}
	return holder.PID
}

// getMachine answers with what training uses of the machine.
func (api *API) getMachine(w http.ResponseWriter, r *http.Request) {
	api.answer(w, r, api.machine.look(api.trainer()), nil)
}
