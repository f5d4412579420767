// Package peak measures a device's peak rates: a large matrix product with cuBLAS, and a large
// copy. Rates of networks are compared with them.
//
//	rates, err := peak.Measure(ctx)
//
// cuBLAS is opened when needed, in builds with the tag gpu; only this package uses it. It is part
// of the CUDA toolkit and of PyTorch; LD_LIBRARY_PATH may name its folder. If it is not found,
// products are not measured, and Rates.Why says so.
package peak
