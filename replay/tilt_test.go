package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/stream"
)

// slowTilt is the tilted distribution by bisection in λ.
func slowTilt(support, base []float64, mean float64) []float64 {
	p := make([]float64, len(support))
	last := len(support) - 1
	if mean <= support[0] || mean >= support[last] {
		if mean <= support[0] {
			last = 0
		}
		p[last] = 1
		return p
	}
	tilt := func(lambda float64) (m float64) {
		top, total := math.Inf(-1), 0.0
		for i, s := range support {
			p[i] = math.Log(base[i]) + lambda*s
			top = max(top, p[i])
		}
		for i := range p {
			p[i] = math.Exp(p[i] - top)
			total += p[i]
		}
		for i, s := range support {
			p[i] /= total
			m += p[i] * s
		}
		return m
	}
	low, high := -1e6, 1e6
	for range 200 {
		mid := (low + high) / 2
		if tilt(mid) < mean {
			low = mid
		} else {
			high = mid
		}
	}
	return p
}

// anySupport draws an ascending support whose neighbours are not too close, and a base.
func anySupport(rng *rand.Rand) (support []float32, base []float64) {
	n := 2 + rng.IntN(25)
	for i := range n {
		support = append(support, (float32(i)+0.8*rng.Float32())/float32(n))
	}
	if rng.IntN(2) == 0 {
		for i := range support {
			support[i] = float32(i) / float32(n-1)
		}
	}
	for range n {
		b := math.Exp(6 * rng.NormFloat64()) // hardly any draws, say
		base = append(base, b)
	}
	if rng.IntN(4) == 0 { // all but one nearly impossible
		k := rng.IntN(n)
		for i := range base {
			base[i] = 1e-9
		}
		base[k] = 1
	}
	return support, base
}

func divergence(p, q []float64) (sum float64) {
	total := 0.0
	for _, x := range q {
		total += x
	}
	for i, x := range p {
		if x > 0 {
			sum += x * math.Log(x/(q[i]/total))
		}
	}
	return sum
}

// TestTilt: the tilted distribution is that of the reference, keeps the mean, and among
// distributions with that mean is nearest to the base.
func TestTilt(t *testing.T) {
	rng := stream.New(1, stream.Test)
	for range 3000 {
		support, base := anySupport(rng)
		n := len(support)
		low, high := float64(support[0]), float64(support[n-1])
		mean := low + rng.Float64()*(high-low)
		if rng.IntN(3) == 0 {
			mean = high - (high-low)*math.Pow(10, -8*rng.Float64())
		}
		x := newTilter(support)
		if err := x.setBase(base); err != nil {
			t.Fatal(err)
		}
		got := make([]float32, n)
		x.add(got, mean, 1)
		want := slowTilt(x.support, base, mean)
		p := make([]float64, n)
		var mass, first float64
		for i, v := range got {
			p[i] = float64(v)
			mass += p[i]
			first += p[i] * x.support[i]
			if math.Abs(p[i]-want[i]) > 2e-6 {
				t.Fatalf("support %v, base %v, mean %v:\n%v, want\n%v", support, base, mean, got, want)
			}
		}
		if math.Abs(mass-1) > 1e-5 || math.Abs(first-mean) > 1e-5 {
			t.Fatalf("support %v, base %v: mass %v, mean %v, want %v", support, base, mass, first, mean)
		}
		// Another distribution with the same mean: mass moves from one utility to two around it.
		if n < 3 {
			continue
		}
		i := 1 + rng.IntN(n-2)
		below, at, above := x.support[i-1], x.support[i], x.support[i+1]
		share := (at - below) / (above - below)
		moved := 0.5 * rng.Float64() * want[i]
		if rng.IntN(2) == 0 {
			moved = -0.5 * rng.Float64() * min(want[i-1]/(1-share), want[i+1]/share)
		}
		other := slices.Clone(want)
		other[i] -= moved
		other[i-1] += (1 - share) * moved
		other[i+1] += share * moved
		if d, least := divergence(other, base), divergence(want, base); d < least-1e-9 {
			t.Fatalf("support %v, base %v, mean %v: %v is nearer than %v", support, base, mean, other, want)
		}
	}
}

// TestTiltByHand: with results that are won or lost, a search's 0.55 is 55 % of a win, not 90 % of
// a draw; a mean of the base leaves it as it is; the ends and what is beyond them are certain.
func TestTiltByHand(t *testing.T) {
	x := newTilter([]float32{0, 0.5, 1})
	if err := x.setBase([]float64{0.4999, 0.0002, 0.4999}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mean float64
		want []float32
	}{
		{0.55, []float32{0.4499, 0.0002, 0.5499}},
		{0.5, []float32{0.4999, 0.0002, 0.4999}},
		{0, []float32{1, 0, 0}}, {-0.2, []float32{1, 0, 0}},
		{1, []float32{0, 0, 1}}, {1.5, []float32{0, 0, 1}},
		{1 - 1e-12, []float32{0, 0, 1}},
	} {
		got := make([]float32, 3)
		x.add(got, test.mean, 1)
		for i := range got {
			if math.Abs(float64(got[i]-test.want[i])) > 2e-5 {
				t.Errorf("mean %v: %v, want %v", test.mean, got, test.want)
				break
			}
		}
	}
	for _, bad := range [][]float64{{1, 1}, {1, 0, 1}, {1, math.NaN(), 1}, {1, math.Inf(1), 1}} {
		if err := x.setBase(bad); err == nil {
			t.Errorf("the base %v is accepted", bad)
		}
	}
}

// TestTiltIsMonotone: a greater mean makes every utility more likely to be exceeded.
func TestTiltIsMonotone(t *testing.T) {
	rng := stream.New(2, stream.Test)
	for range 300 {
		support, base := anySupport(rng)
		x := newTilter(support)
		if err := x.setBase(base); err != nil {
			t.Fatal(err)
		}
		before := make([]float32, len(support))
		before[0] = 1
		low, high := float64(support[0]), float64(support[len(support)-1])
		for k := range 20 {
			got := make([]float32, len(support))
			x.add(got, low+(high-low)*float64(k+1)/20, 1)
			a, b := 0.0, 0.0
			for i := range got {
				a, b = a+float64(before[i]), b+float64(got[i])
				if b > a+1e-5 {
					t.Fatalf("support %v, base %v: P(at most %v) rises from %v to %v", support, base, support[i], a, b)
				}
			}
			before = got
		}
	}
}

// TestResults: the distribution of a window's results is the same however the games came and
// went, and is that of the games for training alone.
func TestResults(t *testing.T) {
	games := playMany(80, 4)
	support := pairs{}.Support()
	config := WindowConfig{Capacity: 20, HeldOut: 0.3, Seed: 5, Support: support}
	long := newWindow(t, config)
	got, want := make([]float64, len(support)), make([]float64, len(support))
	for i, g := range games {
		if err := long.Add(g); err != nil {
			t.Fatal(err)
		}
		if i%7 != 0 {
			continue
		}
		fresh := newWindow(t, config)
		naive := make([]float64, len(support))
		n := 0.0
		for k := range long.Len() {
			g := long.Game(k)
			if err := fresh.Add(g); err != nil {
				t.Fatal(err)
			}
			if long.Held(g.Number) {
				continue
			}
			row := make([]float32, len(support))
			for _, u := range g.Returns {
				project(row, support, u)
				n++
				for j, x := range row {
					naive[j] += float64(x)
				}
			}
		}
		long.Results(got)
		fresh.Results(want)
		if !slices.Equal(got, want) {
			t.Fatalf("after %d games: %v, filled anew %v", i+1, got, want)
		}
		sum := 0.0
		for j := range naive {
			naive[j] = (naive[j] + 1/float64(len(support))) / (n + 1)
			if sum += got[j]; math.Abs(got[j]-naive[j]) > 1e-5 || got[j] <= 0 {
				t.Fatalf("after %d games: %v, want %v", i+1, got, naive)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the distribution sums to %v", sum)
		}
	}
	newWindow(t, config).Results(got)
	for _, x := range got {
		if x != 1/float64(len(support)) {
			t.Errorf("without games: %v", got)
		}
	}
}

// TestTiltedRows: a target is the projected result and the tilted value, mixed; a ply without a
// value has the result alone.
func TestTiltedRows(t *testing.T) {
	support := pairs{}.Support()
	const mix = 0.25
	e := newEncoder(t, EncoderConfig{Support: support, Mix: mix, Tilted: true, Augment: true})
	plain := newEncoder(t, EncoderConfig{Support: support, Augment: true})
	base := []float64{0.5, 0.01, 0.2, 0.29}
	if err := e.SetBase(base); err != nil {
		t.Fatal(err)
	}
	if err := plain.SetBase(base); err == nil {
		t.Error("an encoder that tilts nothing takes a base")
	}
	wide := make([]float64, len(support))
	for i, s := range support {
		wide[i] = float64(s)
	}
	mixed := 0
	for _, rec := range playMany(30, 7) {
		for _, s := range naiveSamples([]*Game{rec}) {
			for k, sym := range (pairs{}).Symmetries() {
				var got, result row
				if err := got.encode(e, s, k); err != nil {
					t.Fatal(err)
				}
				if err := result.encode(plain, s, k); err != nil {
					t.Fatal(err)
				}
				want := result.value
				if v := rec.Moves[s.Ply].Value; len(v) > 0 {
					mixed++
					want = slices.Clone(want)
					for p := range 2 {
						for i, x := range slowTilt(wide, base, float64(v[p])) {
							at := int(sym.Players[p])*len(support) + i
							want[at] = (1-mix)*want[at] + mix*float32(x)
						}
					}
				}
				for i := range want {
					if math.Abs(float64(got.value[i]-want[i])) > 1e-5 {
						t.Fatalf("game %d, ply %d, symmetry %d: %v, want %v", rec.Number, s.Ply, k, got.value, want)
					}
				}
			}
		}
	}
	if mixed == 0 {
		t.Fatal("no ply has a value")
	}
	if _, err := NewEncoder(pairs{}, EncoderConfig{Tilted: true}); err == nil {
		t.Error("tilted targets without a support are accepted")
	}
}

func BenchmarkTilt(b *testing.B) {
	support := make([]float32, 26)
	base := make([]float64, 26)
	for i := range support {
		support[i], base[i] = float32(i)/25, 1/float64(1+i)
	}
	x := newTilter(support)
	if err := x.setBase(base); err != nil {
		b.Fatal(err)
	}
	dst := make([]float32, 26)
	rng := stream.New(1, stream.Test)
	b.ReportAllocs()
	for b.Loop() {
		x.add(dst, rng.Float64(), 1)
	}
}
