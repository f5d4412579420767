// Package nvml reads a GPU's use, memory, power and temperature through
// NVIDIA's management library, where that is present.
//
//	r, err := nvml.Open()
//	if err == nil {
//		defer r.Close()
//		now, err := r.Read(device.UUID) // of driver.Device
//	}
//
// The library (libnvidia-ml.so.1, part of the driver) is opened at run time, in builds
// with the tag gpu; in others Open answers an error.
package nvml
