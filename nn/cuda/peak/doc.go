// Package peak measures what a device can do at most: a large product of matrices, by
// cuBLAS, and a large copy. Rates of networks are compared with it.
//
//	rates, err := peak.Measure(ctx)
//
// cuBLAS is opened when it is wanted, in builds with the tag gpu; nothing else of Tengen needs it.
// Where it is not found (it comes with the CUDA toolkit, and with PyTorch, in whose folder
// LD_LIBRARY_PATH finds it) products are not measured, and the rates say why.
package peak
