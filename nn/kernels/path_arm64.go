package kernels

// assembly lists the paths in assembly. Every arm64 processor has NEON.
var assembly = []*Path{
	{
		name: "neon",
		product: []func(c, a, b *float32, s *shape){
			product1NEON, product2NEON, product3NEON, product4NEON, product8NEON, product12NEON,
			product16NEON,
		},
		sparse:         []sparse{sparse1NEON, sparse2NEON, sparse4NEON},
		boards:         boardsNEON,
		finish:         finishNEON,
		finishResidual: finishResidualNEON,
		peak:           peakNEON,
		peakFLOPs:      24 * 4 * 2,
	},
}
