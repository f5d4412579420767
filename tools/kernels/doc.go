// Kernels compiles kernels ahead, so that a machine with the driver alone can use its device:
//
//	go run -tags gpu ./tools/kernels --nvrtc /path/libnvrtc.so.11.2                                  # PTX and 8.x
//	go run -tags gpu ./tools/kernels --nvrtc /path/libnvrtc.so.12 --capabilities 90 --ptx "" --add   # wgmma
//
// It needs NVRTC, but neither a device nor a driver. It writes
// nn/backend/cudabackend/kernels.zip, which builds with the tag gpu embed: the kernels that need no
// shape, for inference and training, as PTX for every device, and the presets' inference in bf16
// (and that of the network with which auto tries a device), as machine code for the given
// capabilities and, with mma.sync, as PTX for 9.0 and later. A change of a kernel's source makes
// its image useless (it is found by the source's hash) until the tool is run again. Kernels whose
// products of wgmma the compiler serializes are left out: those of mma.sync serve there. A test of
// nn/backend/cudabackend fails if a preset's kernels are missing.
//
// PTX is loaded by drivers of the compiler's CUDA version and later ones, machine code by those
// of its major version: use NVRTC 11.8 where it knows the device. Where NVRTC can't be found, the
// tool says where to get it: Debian's packages libnvrtc11.2 and libnvrtc12 (non-free; unpack them
// with dpkg -x together with libnvrtc-builtins of the same version), or NVIDIA's cuda-nvrtc-11-8
// and cuda-nvrtc-12-8.
package main
