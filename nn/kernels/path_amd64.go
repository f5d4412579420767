package kernels

import "golang.org/x/sys/cpu"

// assembly lists the paths in assembly, the fastest first.
var assembly = []*Path{
	{
		name: "avx512",
		missing: missing(feature{"AVX512F", cpu.X86.HasAVX512F},
			feature{"AVX512DQ", cpu.X86.HasAVX512DQ}, feature{"AVX512VL", cpu.X86.HasAVX512VL},
			feature{"FMA", cpu.X86.HasFMA}),
		product: []func(c, a, b *float32, s *shape){
			product1AVX2, product2AVX2, product3AVX2, product4AVX512, product8AVX512,
			product12AVX512, product16AVX512,
		},
		few:            8,
		sparse:         []sparse{sparse1AVX512, sparse2AVX512, sparse4AVX512},
		boards:         boardsAVX512,
		finish:         finishAVX512,
		finishResidual: finishResidualAVX512,
		peak:           peakAVX512,
		peakFLOPs:      12 * 16 * 2,
	},
	{
		name:    "avx2",
		missing: missing(feature{"AVX2", cpu.X86.HasAVX2}, feature{"FMA", cpu.X86.HasFMA}),
		product: []func(c, a, b *float32, s *shape){
			product1AVX2, product2AVX2, product3AVX2, product4AVX2, product8AVX2, product12AVX2,
			product16AVX2,
		},
		few:            7,
		sparse:         []sparse{sparse1AVX2, sparse2AVX2, sparse4AVX2},
		boards:         boardsAVX2,
		finish:         finishAVX2,
		finishResidual: finishResidualAVX2,
		peak:           peakAVX2,
		peakFLOPs:      12 * 8 * 2,
	},
}

type feature struct {
	name string
	has  bool
}

func missing(features ...feature) []string {
	var m []string
	for _, f := range features {
		if !f.has {
			m = append(m, f.name)
		}
	}
	return m
}
