//go:build gpu && linux

package driver

import (
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMonitor(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc was not found")
	}
	path := filepath.Join(t.TempDir(), "nvml.so")
	if log, err := exec.Command(gcc, "-std=gnu11", "-shared", "-fPIC", "-o",
		path, "testdata/nvml.c").CombinedOutput(); err != nil {
		t.Fatal(string(log))
	}
	before := nvmlLibraries
	nvmlLibraries = []string{"libnvml-that-is-nowhere.so", path}
	defer func() { nvmlLibraries = before }()
	r, err := OpenMonitor()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the handle is cached
		got, err := r.Read("GPU-1")
		if err != nil {
			t.Fatal(err)
		}
		if got.Use != 0.75 || got.MemoryUse != 0.3 || got.MemoryUsed != 100<<30 ||
			got.MemoryTotal != 150<<30 || got.Temperature != 61 {
			t.Errorf("reading %+v", got)
		}
		if !math.IsNaN(got.Power) || !math.IsNaN(got.Clock) {
			t.Errorf("missing readings are %+v", got)
		}
	}
	if _, err := r.Read("GPU-2"); err == nil ||
		err.Error() != "device GPU-2: nvml: nvmlDeviceGetHandleByUUID: Not Found (6)" {
		t.Errorf("another device: error %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Read("GPU-1"); err == nil {
		t.Error("a closed library is read")
	}
}

func TestNoMonitor(t *testing.T) {
	before := nvmlLibraries
	nvmlLibraries = []string{"libnvml-that-is-nowhere.so"}
	defer func() { nvmlLibraries = before }()
	if _, err := OpenMonitor(); err == nil ||
		!strings.Contains(err.Error(), "libnvml-that-is-nowhere.so was not found") {
		t.Errorf("error %v", err)
	}
	nvmlLibraries = []string{"libm.so.6"}
	if _, err := OpenMonitor(); err == nil || !strings.Contains(err.Error(), "has no nvmlInit_v2") {
		t.Errorf("error %v", err)
	}
}
