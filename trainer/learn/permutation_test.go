package learn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
)

// A permutation has each number once a pass, and is another one in the next.
func TestPermutationIsABijection(t *testing.T) {
	sizes := []int{1000, 1023, 1024, 1025, 4095, 65_537}
	for n := 1; n <= 130; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		p := permutation{rng: random.New(1, random.Test, uint64(n)), n: n}
		var before []int
		for range 3 {
			seen, order := make([]bool, n), make([]int, n)
			for i := range order {
				x := p.next()
				if x < 0 || x >= n || seen[x] {
					t.Fatalf("n = %d: %d after %v", n, x, order[:i])
				}
				seen[x], order[i] = true, x
			}
			if n > 20 && slices.Equal(order, before) {
				t.Errorf("n = %d: two passes have the same order", n)
			}
			before = order
		}
	}
}

// chiSquared compares counts with equal ones.
func chiSquared(counts []int, all int) float64 {
	want, sum := float64(all)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// The first draw is uniform, and the first two are together: of all ordered pairs of two numbers.
// In a large range the shares of the parts and of differences are.
func TestPermutationIsUniform(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33} {
		first, pairs := make([]int, n), make([]int, n*(n-1))
		tries := 1000 * len(pairs)
		rng := random.New(2, random.Test, uint64(n))
		for range tries {
			p := permutation{rng: rng, n: n}
			a := p.next()
			b := p.next()
			first[a]++
			if b > a {
				b--
			}
			pairs[a*(n-1)+b]++
		}
		within(t, fmt.Sprintf("n = %d: first draws", n), first, tries)
		if n > 2 {
			within(t, fmt.Sprintf("n = %d: pairs of draws", n), pairs, tries)
		}
	}
	for _, n := range []int{100_003, 40_000_000} {
		const parts, tries = 16, 40_000
		share, difference := make([]int, parts), make([]int, parts)
		rng := random.New(3, random.Test, uint64(n))
		for range tries {
			p := permutation{rng: rng, n: n}
			a := p.next()
			b := p.next()
			share[b*parts/n]++
			difference[(a-b+n)%n*parts/n]++
		}
		within(t, fmt.Sprintf("n = %d: parts", n), share, tries)
		within(t, fmt.Sprintf("n = %d: differences", n), difference, tries)
	}
	// Within a pass too.
	const n, draws = 40_000_000, 160_000
	parts := make([]int, 400)
	p := permutation{rng: random.New(4, random.Test), n: n}
	last := p.next()
	for range draws {
		x := p.next()
		parts[last*20/n*20+x*20/n]++
		last = x
	}
	within(t, "successive draws", parts, draws)
}

// within fails if the chi-squared statistic is 5 standard deviations and 10 from its mean, or more:
// with few degrees of freedom its distribution has a long tail.
func within(t *testing.T, what string, counts []int, all int) {
	t.Helper()
	freedom := float64(len(counts) - 1)
	x := chiSquared(counts, all)
	if d := math.Abs(x - freedom); d > 5*math.Sqrt(2*freedom)+10 {
		t.Errorf("%s: chi-squared is %.1f, of %v degrees of freedom", what, x, freedom)
	}
}

// The first draws cost no more in a large range than in a small one: they take no memory.
func TestPermutationTakesNoMemory(t *testing.T) {
	rng := random.New(5, random.Test)
	if allocations := testing.AllocsPerRun(10, func() {
		p := permutation{rng: rng, n: 1 << 40}
		for range 100 {
			p.next()
		}
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// BenchmarkPermutation measures a draw, and how an update of 10 batches of 256 begins.
func BenchmarkPermutation(b *testing.B) {
	rng := random.New(6, random.Test)
	for _, n := range []int{4_000, 40_000_000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			for range b.N {
				p := permutation{rng: rng, n: n}
				for range 2560 {
					p.next()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2560, "ns/draw")
		})
	}
}
