// Package kernels holds the source of the CUDA kernels and the plans of their launches: sizes of
// tiles, shared memory, streams of weights and workspaces, computed from an nn.Spec and a
// device's limits. It needs no device: plans can be made and checked anywhere, and
// nn/cuda/internal/emulate runs the same source on the host.
//
// For inference, [Ways] lists how a network can be computed on a device, [Candidates] makes
// plans, [Inference.Source] returns the source to compile, [Inference.Pack] arranges a network's
// weights as the kernels read them, and the Grid methods return the launches:
//
//	plan, err := kernels.NewInference(spec, kernels.BF16, kernels.WGMMA, &device)
//	fmt.Println(plan.Describe(&device)) // what runs and what the model expects
//	source, weights := plan.Source(), plan.Pack(params)
//
// The trunk is one kernel (see tower.h): a block of threads takes about 250 cells of whole
// boards, keeps them in shared memory through all layers and multiplies on the tensor cores, with
// wgmma on Hopper and mma.sync elsewhere, while the weights stream in from L2. [Cost] is the
// model for the choice of sizes. If no block has room for a position, the network is computed
// layer by layer ([Layered]), which is slow. [General] computes layer by layer with the tensor
// cores, by kernels that need no shape at compile time and can so be compiled ahead; on Hopper the
// blocks' convolutions may use wgmma.
//
// For training, [Product] and [Gradient] plan single layers; package nn/cuda/training has the
// order of launches.
//
// # Source
//
// The .cu and .h files use the common subset of CUDA C++ and GNU C; device.h abstracts the
// differences. Sizes are macros, so kernels are compiled for each shape of network.
//
// # Caveats
//
// Sums run over taps, then channels, in the same order for every plan of a way. So a row's
// results depend neither on the batch nor on the chosen sizes; those of wgmma, mma.sync and plain
// arithmetic differ in their last bits.
package kernels
