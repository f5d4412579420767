package emulate_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// bf16 rounds to the nearest bfloat16, ties to even, by definition: it returns the nearer of x's
// two neighbours.
func bf16(x float32) uint16 {
	below := uint16(math.Float32bits(x) >> 16) // towards zero
	above := below + 1
	value := func(b uint16) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }
	down, up := math.Abs(float64(x)-value(below)), math.Abs(value(above)-float64(x))
	if down < up || down == up && below%2 == 0 {
		return below
	}
	return above
}

func fromBF16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// randomBF16 returns random numbers that bf16 represents exactly.
func randomBF16(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = fromBF16(bf16(float32(rng.NormFloat64())))
	}
	return s
}

// pair packs two numbers into a register, the first into the low half.
func pair(first, second float32) uint32 { return uint32(bf16(first)) | uint32(bf16(second))<<16 }

// product returns a (m×k) · b (k×n) + c, with sums in float64.
func product(m, n, k int, a, b, c []float32) []float32 {
	d := make([]float32, m*n)
	for i := range m {
		for j := range n {
			sum := float64(c[i*n+j])
			for l := range k {
				sum += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			d[i*n+j] = float32(sum)
		}
	}
	return d
}

func compare(t *testing.T, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= tolerance) {
			t.Fatalf("number %d is %v, not %v", i, got[i], want[i])
		}
	}
}

// The fragments in these tests follow the formulas of the PTX ISA manual ("Matrix Fragments for
// mma.m16n8k16 with floating point type" and "… mma.m16n8k8 with .tf32"), for element i of a
// lane:
//
//	A bf16: row = groupID (+ 8 unless i < 2 or 4 ≤ i < 6), col = 2·thread + (i & 1) (+ 8 for i ≥ 4)
//	B bf16: row = 2·thread + (i & 1) (+ 8 for i ≥ 2), col = groupID
//	A tf32: row = groupID for a0, a2, else + 8; col = thread for a0, a1, else + 4
//	B tf32: row = thread for b0, + 4 for b1; col = groupID
//	C:      row = groupID for c0, c1, else + 8; col = 2·thread + (i & 1)
func rowA(lane, i int) int {
	if i < 2 || 4 <= i && i < 6 {
		return lane >> 2
	}
	return lane>>2 + 8
}

func columnA(lane, i int) int {
	c := lane%4*2 + i&1
	if i >= 4 {
		c += 8
	}
	return c
}

func rowB(lane, i int) int {
	r := lane%4*2 + i&1
	if i >= 2 {
		r += 8
	}
	return r
}

func rowC(lane, i int) int {
	if i < 2 {
		return lane >> 2
	}
	return lane>>2 + 8
}

func columnC(lane, i int) int { return lane%4*2 + i&1 }

const mmaText = `KERNEL(test)(const unsigned *a, const unsigned *b, float *c, int a_registers, int b_registers) {
	unsigned ra[4], rb[2];
	float rc[4];
	for (int i = 0; i < a_registers; i++)
		ra[i] = a[threadIdx.x * a_registers + i];
	for (int i = 0; i < b_registers; i++)
		rb[i] = b[threadIdx.x * b_registers + i];
	for (int i = 0; i < 4; i++)
		rc[i] = c[threadIdx.x * 4 + i];
	MMA(rc, ra, rb);
	for (int i = 0; i < 4; i++)
		c[threadIdx.x * 4 + i] = rc[i];
}`

// multiply runs mmaText's kernel on registers and returns the 16×8 sums.
func multiply(
	t *testing.T, ctx driver.Context, f driver.Function, a, b []uint32, c []float32,
) []float32 {
	t.Helper()
	rc := make([]float32, 128)
	for lane := range 32 {
		for i := range 4 {
			rc[lane*4+i] = c[rowC(lane, i)*8+columnC(lane, i)]
		}
	}
	pa, pb, pc := upload(t, ctx, a), upload(t, ctx, b), upload(t, ctx, rc)
	must(t, ctx.Launch(f, line(1, 32, 0), 0,
		driver.NewArgs().Ptr(pa).Ptr(pb).Ptr(pc).Int32(4).Int32(2)))
	rc = download[float32](t, ctx, pc, 128)
	got := make([]float32, 128)
	for lane := range 32 {
		for i := range 4 {
			got[rowC(lane, i)*8+columnC(lane, i)] = rc[lane*4+i]
		}
	}
	return got
}

func TestMMABF16(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, mmaText, "MMA=mma_bf16_16816")
	rng := random.New(1, random.Test, 0)
	for range 5 {
		a, b, c := randomBF16(rng, 256), randomBF16(rng, 128), randomBF16(rng, 128)
		ra, rb := make([]uint32, 128), make([]uint32, 64)
		for lane := range 32 {
			for r := range 4 {
				first, second := 2*r, 2*r+1
				ra[lane*4+r] = pair(a[rowA(lane, first)*16+columnA(lane, first)],
					a[rowA(lane, second)*16+columnA(lane, second)])
			}
			for r := range 2 {
				first, second := 2*r, 2*r+1
				rb[lane*2+r] = pair(b[rowB(lane, first)*8+lane>>2], b[rowB(lane, second)*8+lane>>2])
			}
		}
		compare(t, multiply(t, ctx, f, ra, rb, c), product(16, 8, 16, a, b, c), 1e-5)
	}
}

// fp16 rounds to the nearest number of fp16, ties to even, by definition: the value of bits grows
// with them, and that after the greatest, 65,536, stands for infinity.
func fp16(x float32) uint16 {
	value := func(b int) float64 {
		if exponent := b >> 10; exponent > 0 {
			return math.Ldexp(float64(1024+b&1023), exponent-25)
		}
		return math.Ldexp(float64(b), -24)
	}
	v := math.Abs(float64(x))
	above := sort.Search(0x7c00, func(b int) bool { return value(b) >= v })
	bits := above
	if below := above - 1; below >= 0 {
		down, up := v-value(below), value(above)-v
		if down < up || down == up && below%2 == 0 {
			bits = below
		}
	}
	if math.Signbit(float64(x)) {
		bits |= 0x8000
	}
	return uint16(bits)
}

// TestFP16 checks the conversions, for random numbers of all sizes and at the limits, and back for
// all numbers.
func TestFP16(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, `KERNEL(test)(const float *x, unsigned *y, int n, float *back) {
		for (int i = threadIdx.x; i < n; i += 32)
			y[i] = pack_fp16(x[i], -x[i]);
		for (int i = threadIdx.x; i < 65536; i += 32)
			back[i] = fp16_high((unsigned)i << 16);
	}`)
	x := []float32{
		0, 65504, 65519.996, 65520, 1e30, float32(math.Inf(1)), 1, 1 + 1./2048, 1 + 3./2048,
		0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-24, 0x1.8p-25, 0x1p-30, 0x1.ffep-15, 0x1.fffp-15,
	}
	rng := random.New(1, random.Test, 5)
	for range 5000 {
		x = append(x, float32(math.Ldexp(1+rng.Float64(), rng.IntN(44)-27)))
	}
	px, py := upload(t, ctx, x), upload(t, ctx, make([]uint32, len(x)))
	pb := upload(t, ctx, make([]float32, 65536))
	must(t, ctx.Launch(f, line(1, 32, 0), 0,
		driver.NewArgs().Ptr(px).Ptr(py).Int32(int32(len(x))).Ptr(pb)))
	for i, y := range download[uint32](t, ctx, py, len(x)) {
		if want := uint32(fp16(x[i])); y != want|(want|0x8000)<<16 {
			t.Errorf("%v in fp16 is %#x, want %#x", x[i], y, want)
		}
	}
	for i, v := range download[float32](t, ctx, pb, 65536) {
		switch bits := uint16(i); {
		case bits&0x7fff > 0x7c00:
			if v == v {
				t.Errorf("%#x is %v, not NaN", i, v)
			}
		case bits&0x7fff == 0x7c00:
			if !math.IsInf(float64(v), 1-int(bits>>15)*2) {
				t.Errorf("%#x is %v", i, v)
			}
		case fp16(v) != bits:
			t.Errorf("%#x is %v, which is %#x", i, v, fp16(v))
		}
	}
}

// TestMMAFP16 checks a product of depth 16 that is made of two of depth 8.
func TestMMAFP16(t *testing.T) {
	ctx := open(t, emulate.Options{Devices: []driver.Device{emulate.Turing()}})
	f := kernel(t, ctx, mmaText,
		"MMA(c,a,b)=mma_fp16_1688(c,a,b);mma_fp16_1688(c,(a)+2,(b)+1)")
	rng := random.New(1, random.Test, 4)
	a, b, c := randomBF16(rng, 256), randomBF16(rng, 128), randomBF16(rng, 128) // fp16 holds them
	pair := func(first, second float32) uint32 {
		return uint32(fp16(first)) | uint32(fp16(second))<<16
	}
	ra, rb := make([]uint32, 128), make([]uint32, 64)
	for lane := range 32 {
		for r := range 4 {
			first, second := 2*r, 2*r+1
			ra[lane*4+r] = pair(a[rowA(lane, first)*16+columnA(lane, first)],
				a[rowA(lane, second)*16+columnA(lane, second)])
		}
		for r := range 2 {
			first, second := 2*r, 2*r+1
			rb[lane*2+r] = pair(b[rowB(lane, first)*8+lane>>2], b[rowB(lane, second)*8+lane>>2])
		}
	}
	compare(t, multiply(t, ctx, f, ra, rb, c), product(16, 8, 16, a, b, c), 1e-4)
}

func TestMMATF32(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, mmaText, "MMA=mma_tf32_1688")
	rng := random.New(1, random.Test, 1)
	// Ten bits of mantissa are kept, lower bits are ignored.
	number := func() float32 {
		return math.Float32frombits(math.Float32bits(float32(rng.NormFloat64())) &^ 0x1fff)
	}
	noise := func(x float32) uint32 { return math.Float32bits(x) | uint32(rng.IntN(0x2000)) }
	for range 5 {
		a, b, c := make([]float32, 128), make([]float32, 64), randomBF16(rng, 128)
		for i := range a {
			a[i] = number()
		}
		for i := range b {
			b[i] = number()
		}
		ra, rb := make([]uint32, 128), make([]uint32, 64)
		for lane := range 32 {
			group, thread := lane>>2, lane%4
			for i, at := range [4][2]int{
				{group, thread}, {group + 8, thread}, {group, thread + 4}, {group + 8, thread + 4},
			} {
				ra[lane*4+i] = noise(a[at[0]*8+at[1]])
			}
			rb[lane*2] = noise(b[thread*8+group])
			rb[lane*2+1] = noise(b[(thread+4)*8+group])
		}
		compare(t, multiply(t, ctx, f, ra, rb, c), product(16, 8, 8, a, b, c), 1e-5)
	}
}

// TestLdmatrixFeedsMMA computes a product as kernels do: both operands by ldmatrix from shared
// memory, A row-major, B with k contiguous (ldmatrix) or with n contiguous (transposed).
func TestLdmatrixFeedsMMA(t *testing.T) {
	ctx := open(t, emulate.Options{})
	text := `KERNEL(test)(const unsigned short *a, const unsigned short *b, float *c) {
		SHARED(unsigned short, sa); // 16 rows of 16, padded to 24
		unsigned short *sb = sa + 16 * 24;
		int lane = threadIdx.x;
		for (int i = lane; i < 256; i += 32)
			sa[i / 16 * 24 + i % 16] = a[i];
		for (int i = lane; i < 128; i += 32)
			sb[i / B_ROW * (B_ROW + 8) + i % B_ROW] = b[i];
		__syncthreads();
		unsigned ra[4], rb[2];
		float rc[4] = {0, 0, 0, 0};
		ldmatrix_x4(ra, shared_of(sa + lane % 16 * 24 + lane / 16 * 8));
		if (B_ROW == 8)
			ldmatrix_x2_trans(rb, shared_of(sb + lane % 16 * 16));
		else
			ldmatrix_x2(rb, shared_of(sb + lane % 8 * 24 + lane / 8 % 2 * 8));
		mma_bf16_16816(rc, ra, rb);
		for (int i = 0; i < 4; i++)
			c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = rc[i];
	}`
	rng := random.New(1, random.Test, 2)
	a, b := randomBF16(rng, 256), randomBF16(rng, 128)
	want := product(16, 8, 16, a, b, make([]float32, 128))
	for name, row := range map[string]int{"k contiguous": 16, "n contiguous": 8} {
		t.Run(name, func(t *testing.T) {
			f := kernel(t, ctx, text, map[int]string{16: "B_ROW=16", 8: "B_ROW=8"}[row])
			ha, hb := make([]uint16, 256), make([]uint16, 128)
			for i, x := range a {
				ha[i] = bf16(x)
			}
			for k := range 16 {
				for n := range 8 {
					if row == 8 {
						hb[k*8+n] = bf16(b[k*8+n])
					} else {
						hb[n*16+k] = bf16(b[k*8+n])
					}
				}
			}
			pa, pb := upload(t, ctx, ha), upload(t, ctx, hb)
			pc, err := ctx.Alloc(512)
			must(t, err)
			must(t, ctx.Launch(f, line(1, 32, 2*(16*24+16*16)), 0,
				driver.NewArgs().Ptr(pa).Ptr(pb).Ptr(pc)))
			compare(t, download[float32](t, ctx, pc, 128), want, 1e-5)
		})
	}
}

// TestLdmatrix compares every form of ldmatrix with its description: without transposition lane l
// gets row l/4, columns 2(l%4) and 2(l%4)+1 of matrix i; transposed, those of the matrix's
// transpose.
func TestLdmatrix(t *testing.T) {
	ctx := open(t, emulate.Options{})
	text := `KERNEL(test)(const unsigned short *m, unsigned *r) {
		SHARED(unsigned short, s);
		int lane = threadIdx.x;
		for (int i = lane; i < N * 64; i += 32)
			s[i] = m[i];
		__syncthreads();
		unsigned q[N];
		LOAD(q, shared_of(s + lane % (8 * N) * 8));
		for (int i = 0; i < N; i++)
			r[lane * N + i] = q[i];
	}`
	for _, c := range []struct {
		load       string
		n          int
		transposed bool
	}{
		{"ldmatrix_x4", 4, false}, {"ldmatrix_x4_trans", 4, true}, {"ldmatrix_x2", 2, false},
		{"ldmatrix_x2_trans", 2, true},
	} {
		t.Run(c.load, func(t *testing.T) {
			f := kernel(t, ctx, text, "LOAD="+c.load, "N="+string(rune('0'+c.n)))
			m := make([]uint16, c.n*64)
			for i := range m {
				m[i] = uint16(i*31 + 7)
			}
			pm := upload(t, ctx, m)
			pr, err := ctx.Alloc(32 * c.n * 4)
			must(t, err)
			must(t, ctx.Launch(f, line(1, 32, c.n*128), 0, driver.NewArgs().Ptr(pm).Ptr(pr)))
			r := download[uint32](t, ctx, pr, 32*c.n)
			for lane := range 32 {
				for i := range c.n {
					for half := range 2 {
						row, column := lane/4, lane%4*2+half
						if c.transposed {
							row, column = column, row
						}
						want := m[i*64+row*8+column]
						if got := uint16(r[lane*c.n+i] >> (16 * half)); got != want {
							t.Fatalf("lane %d, matrix %d, half %d: %d, not %d",
								lane, i, half, got, want)
						}
					}
				}
			}
		})
	}
}

// TestConversions compares conversions with their definitions, on random bit patterns and special
// ones.
func TestConversions(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, `KERNEL(test)(const float *x, unsigned *r) {
		int i = threadIdx.x;
		r[4 * i] = float_to_bf16(x[i]);
		r[4 * i + 1] = pack_bf16(x[i], -x[i]);
		r[4 * i + 2] = float_to_tf32(x[i]);
		r[4 * i + 3] = __float_as_uint(bf16_to_float((unsigned short)(__float_as_uint(x[i]) >> 16)));
	}`)
	rng := random.New(1, random.Test, 3)
	x := make([]float32, 1024)
	for i := range x {
		for x[i] = math.Float32frombits(rng.Uint32()); x[i] != x[i]; {
			x[i] = math.Float32frombits(rng.Uint32())
		}
		if i%4 == 1 { // ties of bf16
			x[i] = math.Float32frombits(math.Float32bits(x[i])&^0xffff | 0x8000)
		}
		if i%4 == 2 { // ties of tf32
			x[i] = math.Float32frombits(math.Float32bits(x[i])&^0x1fff | 0x1000)
		}
		if math.Abs(float64(x[i])) > 3e38 { // rounds to infinity, which bf16 above doesn't handle
			x[i] = 1
		}
	}
	x[0], x[1], x[2] = 0, 1, -1
	px := upload(t, ctx, x)
	pr, err := ctx.Alloc(4096 * 4)
	must(t, err)
	must(t, ctx.Launch(f, line(1, 1024, 0), 0, driver.NewArgs().Ptr(px).Ptr(pr)))
	r := download[uint32](t, ctx, pr, 4096)
	for i, v := range x {
		if got, want := r[4*i], uint32(bf16(v)); got != want {
			t.Fatalf("float_to_bf16(%v) is %#x, not %#x", v, got, want)
		}
		if got, want := r[4*i+1], pair(v, -v); got != want {
			t.Fatalf("pack_bf16(%v, -) is %#x, not %#x", v, got, want)
		}
		// Round to 10 bits, ties away from zero: adding half a unit is exact in float64.
		unit := math.Ldexp(1, max(math.Ilogb(float64(v)), -126)-10)
		if v == 0 {
			unit = 1
		}
		want := float32(math.Copysign(math.Floor(math.Abs(float64(v))/unit+0.5)*unit, float64(v)))
		if got := math.Float32frombits(r[4*i+2]); got != want {
			t.Fatalf("float_to_tf32(%v) is %v, not %v", v, got, want)
		}
		if got, want := r[4*i+3], math.Float32bits(v)&^0xffff; got != want {
			t.Fatalf("bf16_to_float gives %#x, not %#x", got, want)
		}
	}
}
