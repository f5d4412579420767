//go:build gpu && linux

package driver

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// nvmlLibraries are the names of NVIDIA's management library.
var nvmlLibraries = []string{"libnvidia-ml.so.1", "libnvidia-ml.so"}

// nvml holds the functions' addresses, 0 for functions that the library lacks. Their types in C:
type nvml struct {
	handle uintptr

	nvmlInit        uintptr // (void)
	nvmlShutdown    uintptr // (void)
	nvmlErrorString uintptr // (nvmlReturn_t), gives a const char *
	byUUID          uintptr // (const char *, nvmlDevice_t *)
	utilization     uintptr // (nvmlDevice_t, nvmlUtilization_t *): unsigned gpu, memory, in percent
	memory          uintptr // (nvmlDevice_t, nvmlMemory_t *): unsigned long long total, free, used
	power           uintptr // (nvmlDevice_t, unsigned *milliwatts)
	temperature     uintptr // (nvmlDevice_t, nvmlTemperatureSensors_t, unsigned *)
	clock           uintptr // (nvmlDevice_t, nvmlClockType_t, unsigned *MHz)

	mu      sync.Mutex
	devices map[string]uintptr // nvmlDevice_t by UUID
	closed  bool
}

// Numbers in nvml.h.
const (
	sensorGPU = 0
	clockSM   = 1
)

// OpenMonitor opens NVIDIA's management library (libnvidia-ml.so.1, part of the driver). It returns
// an error if there is none.
func OpenMonitor() (Monitor, error) {
	l := &nvml{devices: map[string]uintptr{}}
	var err error
	for _, name := range nvmlLibraries {
		if l.handle, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("nvml: %s was not found; it is part of the NVIDIA driver",
			nvmlLibraries[0])
	}
	for _, f := range []struct {
		name   string
		to     *uintptr
		needed bool
	}{
		{"nvmlInit_v2", &l.nvmlInit, true},
		{"nvmlShutdown", &l.nvmlShutdown, true},
		{"nvmlErrorString", &l.nvmlErrorString, true},
		{"nvmlDeviceGetHandleByUUID", &l.byUUID, true},
		{"nvmlDeviceGetUtilizationRates", &l.utilization, false},
		{"nvmlDeviceGetMemoryInfo", &l.memory, false},
		{"nvmlDeviceGetPowerUsage", &l.power, false},
		{"nvmlDeviceGetTemperature", &l.temperature, false},
		{"nvmlDeviceGetClockInfo", &l.clock, false},
	} {
		if *f.to, err = purego.Dlsym(l.handle, f.name); err != nil && f.needed {
			return nil, fmt.Errorf("nvml: %s has no %s", nvmlLibraries[0], f.name)
		}
	}
	if err := l.check("nvmlInit", call(l.nvmlInit)); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *nvml) check(name string, result int) error {
	if result == 0 {
		return nil
	}
	p, _, _ := purego.SyscallN(l.nvmlErrorString, uintptr(result))
	return fmt.Errorf("nvml: %s: %s (%d)", name, text(p), result)
}

func (l *nvml) Read(uuid string) (Reading, error) {
	nan := math.NaN()
	r := Reading{nan, nan, nan, nan, nan, nan, nan}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return r, fmt.Errorf("nvml: the monitor is closed")
	}
	device, ok := l.devices[uuid]
	if !ok {
		name := append([]byte(uuid), 0)
		err := l.check("nvmlDeviceGetHandleByUUID",
			call(l.byUUID, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&device))))
		runtime.KeepAlive(name)
		if err != nil {
			return r, fmt.Errorf("device %s: %w", uuid, err)
		}
		l.devices[uuid] = device
	}
	var use [2]uint32
	if l.utilization != 0 && call(l.utilization, device, uintptr(unsafe.Pointer(&use[0]))) == 0 {
		r.Use, r.MemoryUse = float64(use[0])/100, float64(use[1])/100
	}
	var memory [3]uint64
	if l.memory != 0 && call(l.memory, device, uintptr(unsafe.Pointer(&memory[0]))) == 0 {
		r.MemoryTotal, r.MemoryUsed = float64(memory[0]), float64(memory[2])
	}
	var v uint32
	if l.power != 0 && call(l.power, device, uintptr(unsafe.Pointer(&v))) == 0 {
		r.Power = float64(v) / 1000
	}
	if l.temperature != 0 &&
		call(l.temperature, device, sensorGPU, uintptr(unsafe.Pointer(&v))) == 0 {
		r.Temperature = float64(v)
	}
	if l.clock != 0 && call(l.clock, device, clockSM, uintptr(unsafe.Pointer(&v))) == 0 {
		r.Clock = float64(v) * 1e6
	}
	return r, nil
}

func (l *nvml) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.check("nvmlShutdown", call(l.nvmlShutdown))
}
