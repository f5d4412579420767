package kernels

import (
	"fmt"
	"strings"
)

// wgmmaHeader returns wgmma.h: the product m64·n·k16 in bfloat16, with A in registers and B in a
// descriptor (see wgmma_descriptor in device.h). In PTX n is part of the instruction's name and
// determines its number of registers, so the text is generated here. B is K-major, or N-major if
// columns is set: the instruction's last operand, imm-trans-b.
func wgmmaHeader(n int, columns bool) string {
	transposed, host := 0, "host_wgmma_bf16_rs"
	if columns {
		transposed, host = 1, host+"_columns"
	}
	sums := n / 2 // per thread: its part of 64 × n
	var list, operands []string
	for i := range sums {
		list = append(list, fmt.Sprintf("%%%d", i))
		operands = append(operands, fmt.Sprintf(`"+f"(c[%d])`, i))
	}
	return fmt.Sprintf(`/* c[64][%[1]d] += a[64][16] · b[16][%[1]d], by a warpgroup: in parts of 8 columns as mma's c. */
#if defined(__CUDACC__)
DEVICE void wgmma_rs(float *c, const unsigned *a, unsigned long long b) {
	PTX("{ .reg .pred p; setp.ne.b32 p, %%%[9]d, 0;"
	    "wgmma.mma_async.sync.aligned.m64n%[1]dk16.f32.bf16.bf16 {%[2]s}, {%%%[4]d,%%%[5]d,%%%[6]d,%%%[7]d}, %%%[8]d, p, 1, 1, %[10]d; }"
	    : %[3]s
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}
/* Ties the registers of c and of a to this place, between a fence or a wait and the code around it: the
 * compiler knows wgmma_rs as an instruction that is done when the next one begins, and would be free to
 * move reads of c before the wait, or to reuse a's registers. */
DEVICE void wgmma_tie(float *c) { PTX("" : %[3]s : : "memory"); }
DEVICE void wgmma_keep(unsigned *a) { PTX("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]) : : "memory"); }
#else
DEVICE void wgmma_tie(float *c) { (void)c; }
DEVICE void wgmma_keep(unsigned *a) { (void)a; }
DEVICE void wgmma_rs(float *c, const unsigned *a, unsigned long long b) { %[11]s(%[1]d, c, a, b); }
#endif
`, n, strings.Join(list, ","), strings.Join(operands, ", "), sums, sums+1, sums+2, sums+3, sums+4, sums+5,
		transposed, host)
}
