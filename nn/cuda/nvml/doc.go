// Package nvml reads a GPU's utilization, memory, power and temperature with NVIDIA's management
// library.
//
//	r, err := nvml.Open()
//	if err == nil {
//		defer r.Close()
//		now, err := r.Read(device.UUID) // of driver.Device
//	}
//
// The library (libnvidia-ml.so.1, part of the driver) is opened at run time, in builds with the
// tag gpu; in others Open returns an error.
package nvml
