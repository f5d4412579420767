package driver

import (
	"math/rand/v2"
	"time"
)

// PeakRates are rates of a large product of matrices with cuBLAS, and of a large copy; 0 if a rate
// could not be measured, as bf16 and tf32 before 8.0.
type PeakRates struct {
	BF16 float64 // FLOP/s of a product of bf16 matrices, summed in fp32
	TF32 float64 // of fp32 matrices, factors rounded to tf32
	FP32 float64 // of fp32 matrices
	Copy float64 // bytes/s within the device's memory, counting reads and writes
	Why  string  // why products were not measured, "" if they were
}

// peakSide is the number of rows and columns of the matrices: a product takes about two
// milliseconds on a large device.
const peakSide = 8192

// peakTime is the minimum duration of a measurement, after a warm-up of the same length in which
// the clock settles.
const peakTime = 150 * time.Millisecond

// measurer holds the resources of the measurement.
type measurer struct {
	ctx      Context
	stream   Stream
	from, to Event
	a, b, c  Ptr // side × side of fp32 each
}

// MeasurePeak measures for about two seconds. Nothing else should use the device. It needs 768 MiB
// of the device's memory.
func MeasurePeak(ctx Context) (PeakRates, error) { return measurePeak(ctx, peakSide, peakTime) }

func measurePeak(ctx Context, side int, each time.Duration) (r PeakRates, err error) {
	m := &measurer{ctx: ctx}
	defer m.close()
	if err := m.open(side); err != nil {
		return PeakRates{}, err
	}
	bytes := 4 * side * side
	rate, err := m.rate(each, func() error { return ctx.Copy(m.b, m.a, bytes, m.stream) })
	if err != nil {
		return PeakRates{}, err
	}
	r.Copy = 2 * float64(bytes) * rate
	p, err := newProducts(m, side)
	if err != nil {
		r.Why = err.Error()
		return r, nil
	}
	defer p.close()
	for _, x := range []struct {
		rate    *float64
		factors factors
	}{{&r.BF16, bf16}, {&r.TF32, tf32}, {&r.FP32, fp32}} {
		if d := ctx.Device(); x.factors != fp32 && d.Capability() < 80 {
			continue
		}
		if err := m.fill(x.factors, side); err != nil {
			return PeakRates{}, err
		}
		rate, err := m.rate(each, func() error { return p.multiply(x.factors) })
		if err != nil {
			return PeakRates{}, err
		}
		*x.rate = 2 * float64(side) * float64(side) * float64(side) * rate
	}
	return r, nil
}

// factors is a precision of products.
type factors int

const (
	bf16 factors = iota
	tf32
	fp32
)

func (m *measurer) open(side int) (err error) {
	if m.stream, err = m.ctx.NewStream(false); err != nil {
		return err
	}
	for _, e := range []*Event{&m.from, &m.to} {
		if *e, err = m.ctx.NewEvent(true); err != nil {
			return err
		}
	}
	for _, p := range []*Ptr{&m.a, &m.b, &m.c} {
		if *p, err = m.ctx.Alloc(4 * side * side); err != nil {
			return err
		}
	}
	return m.fill(fp32, side)
}

// close frees everything. If that fails, the context reports the error elsewhere.
func (m *measurer) close() {
	if m.stream != 0 {
		_ = m.ctx.Synchronize(m.stream)
	}
	for _, p := range []Ptr{m.a, m.b, m.c} {
		_ = m.ctx.Free(p)
	}
	for _, e := range []Event{m.from, m.to} {
		if e != 0 {
			_ = m.ctx.CloseEvent(e)
		}
	}
	if m.stream != 0 {
		_ = m.ctx.CloseStream(m.stream)
	}
}

// fill writes random factors between -1 and 1 to both matrices: with zeros, which toggle no bits,
// a device clocks higher.
func (m *measurer) fill(k factors, side int) error {
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	block := make([]byte, min(4*side*side, 4<<20))
	if k == bf16 {
		numbers := View[uint16](block)
		for i := range numbers {
			// Random signs and mantissas, exponents from 2⁻⁴ to 2⁻¹.
			numbers[i] = uint16(rng.UintN(1<<16))&0x807f | uint16(123+rng.UintN(4))<<7
		}
	} else {
		numbers := View[float32](block)
		for i := range numbers {
			numbers[i] = 2*rng.Float32() - 1
		}
	}
	for _, p := range []Ptr{m.a, m.b} {
		if err := m.ctx.CopyIn(p, block, m.stream); err != nil {
			return err
		}
		for at := len(block); at < 4*side*side; at += len(block) {
			if err := m.ctx.Copy(p+Ptr(at), p, min(len(block), 4*side*side-at),
				m.stream); err != nil {
				return err
			}
		}
	}
	return m.ctx.Synchronize(m.stream)
}

// rate returns how often per second the device executes the work that f enqueues.
func (m *measurer) rate(each time.Duration, f func() error) (float64, error) {
	n, settled := 1, false
	for {
		if err := m.ctx.Record(m.from, m.stream); err != nil {
			return 0, err
		}
		for range n {
			if err := f(); err != nil {
				return 0, err
			}
		}
		if err := m.ctx.Record(m.to, m.stream); err != nil {
			return 0, err
		}
		if err := m.ctx.SynchronizeEvent(m.to); err != nil {
			return 0, err
		}
		took, err := m.ctx.Elapsed(m.from, m.to)
		switch {
		case err != nil:
			return 0, err
		case took >= each && settled:
			return float64(n) / took.Seconds(), nil
		case took >= each:
			settled = true
		case took <= each/8 && n < 1<<16:
			n *= 8
		case n < 1<<20:
			n *= 2
		default: // a clock that stands still
			return 0, nil
		}
	}
}
