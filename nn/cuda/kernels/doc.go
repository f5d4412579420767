// Package kernels holds the CUDA kernels' source and the plans of their launches: sizes of
// tiles, shared memory, streams of weights and workspaces, computed from an
// nn.Spec and a device's limits. It needs no device: plans are made and held to the limits anywhere,
// and nn/cuda/emulate runs the very source on the host.
//
// For inference, [Ways] says how a network can be computed on a device, [Candidates] plans
// it, [Inference.Source] is the text to compile, [Inference.Pack] lays a network's weights out
// as the kernels read them, and the Grid methods give the launches:
//
//	plan, err := kernels.NewInference(spec, kernels.BF16, kernels.WGMMA, &device)
//	fmt.Println(plan.Describe(&device)) // what runs and what the model expects
//	source, weights := plan.Source(), plan.Pack(params)
//
// The trunk is one kernel (tower.h tells how): a block of threads takes about 250
// cells of whole boards, keeps them in shared memory through all layers and multiplies
// on the tensor cores, by wgmma on Hopper and by mma.sync elsewhere, while the weights stream in from L2. [Cost]
// is the arithmetic behind the choice of sizes. What no block has room for is computed a
// layer at a time ([Layered]), which is slow.
//
// For training, [Product] and its kind plan single layers; the order of launches is nn/cuda's.
//
// # Source
//
// The .cu and .h files keep to what CUDA C++ and GNU C share; device.h is the
// border between them. Sizes are macros, so each shape of network is compiled for itself.
//
// # Caveats
//
// Sums run over taps, then channels, in one order for every plan of a way, and so a row's results
// depend neither on the batch nor on the sizes chosen; those of wgmma, mma.sync and
// plain arithmetic differ in their last bits.
package kernels
