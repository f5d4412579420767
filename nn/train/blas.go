package train

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// float is the type in which networks compute: float32, and float64 to check gradients.
type float interface{ float32 | float64 }

var impl gonum.Implementation

// matVec computes y = A·x, or y += A·x if add is set. A is m×n with rows lda apart.
//
// The order in which an element's dot product is summed depends only on n and on
// x's address modulo 16 (see aligned).
func matVec[T float](m, n int, a []T, lda int, x []T, add bool, y []T) {
	var beta T
	if add {
		beta = 1
	}
	switch a := any(a).(type) {
	case []float32:
		impl.Sgemv(blas.NoTrans, m, n, 1, a, lda, any(x).([]float32), 1, float32(beta),
			any(y).([]float32), 1)
	case []float64:
		impl.Dgemv(blas.NoTrans, m, n, 1, a, lda, any(x).([]float64), 1, float64(beta),
			any(y).([]float64), 1)
	}
}

// Sizes of the blocks of a product: gonum starts goroutines for more than three blocks of 64,
// and the processor's store queue is too short for more columns.
const (
	blockRows    = 64
	blockColumns = 128
)

// addProduct computes C += A·B; A is m×k, B k×n, C m×n. Every element's sum
// runs over k in order and omits the terms in which A is zero.
func addProduct[T float](m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	for i := 0; i < m; i += blockRows {
		for j := 0; j < n; j += blockColumns {
			gemm(blas.NoTrans, min(blockRows, m-i), min(blockColumns, n-j), k, a[i*lda:], lda,
				b[j:], ldb, c[i*ldc+j:], ldc)
		}
	}
}

// addOuterProducts computes C += Aᵀ·B; A is k×m, B k×n, C m×n, with sums as in addProduct.
func addOuterProducts[T float](m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	for i := 0; i < m; i += blockRows {
		for j := 0; j < n; j += blockColumns {
			gemm(blas.Trans, min(blockRows, m-i), min(blockColumns, n-j), k, a[i:], lda, b[j:], ldb,
				c[i*ldc+j:], ldc)
		}
	}
}

func gemm[T float](
	transA blas.Transpose, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int,
) {
	switch a := any(a).(type) {
	case []float32:
		impl.Sgemm(transA, blas.NoTrans, m, n, k, 1, a, lda, any(b).([]float32), ldb, 1,
			any(c).([]float32), ldc)
	case []float64:
		impl.Dgemm(transA, blas.NoTrans, m, n, k, 1, a, lda, any(b).([]float64), ldb, 1,
			any(c).([]float64), ldc)
	}
}

// transpose copies n rows of m numbers, stride apart, to columns first to
// first+n-1 of an array of m rows of total numbers.
func transpose[T float](n, m int, src []T, stride int, dst []T, total, first int) {
	const tile = 16 // rows read together, so that a cache line of float32 in dst is written at once
	for r0 := 0; r0 < n; r0 += tile {
		r1 := min(r0+tile, n)
		for c := range m {
			to := dst[c*total+first+r0 : c*total+first+r1]
			i := r0*stride + c
			for j := range to {
				to[j] = src[i]
				i += stride
			}
		}
	}
}

// aligned returns n zeros at an address that is a multiple of 64 bytes.
func aligned[T float](n int) []T {
	const line = 64
	size := int(unsafe.Sizeof(T(0)))
	raw := make([]T, n+line/size)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%line) / size
	return raw[off : off+n : off+n]
}
