package planning

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// bandit is a root whose actions give random utilities around a mean.
type bandit struct {
	node
	means []float64
	sums  []float64
	under []int32
	rng   *rand.Rand
}

func newBandit(rng *rand.Rand, n int) *bandit {
	b := &bandit{
		node: randomNode(rng, n), means: make([]float64, n), sums: make([]float64, n),
		under: make([]int32, n), rng: rng,
	}
	for k := range b.means {
		b.means[k] = rng.Float64()
		b.visits[k], b.q[k] = 0, math.NaN()
	}
	return b
}

func (b *bandit) tell(r *Root) {
	r.Resize(len(b.means))
	copy(r.Priors, b.priors)
	copy(r.Visits, b.visits)
	copy(r.Under, b.under)
	copy(r.Q, b.q)
	clear(r.Closed)
	r.Raw = b.raw
}

func (b *bandit) visit(k int) {
	b.visits[k]++
	b.sums[k] += b.means[k] + 0.2*b.rng.NormFloat64()
	b.q[k] = b.sums[k] / float64(b.visits[k])
}

// slowRoot is the root of mctx's gumbel_muzero_policy, straight from its formulas.
type slowRoot struct {
	o      Gumbel
	n      int // simulations
	gumbel []float64
	before []int32
}

// scores returns g + logits + sigma for the actions with a number of visits, -inf for others.
func (s slowRoot) scores(b *bandit, visits int32) []float64 {
	sigma := slowSigma(s.o, b.node)
	for k := range sigma {
		sigma[k] += s.gumbel[k] + math.Log(float64(b.priors[k]))
		if b.visits[k]-s.before[k] != visits {
			sigma[k] = math.Inf(-1)
		}
	}
	return sigma
}

func argmax(x []float64) int {
	best := 0
	for k := range x {
		if x[k] > x[best] {
			best = k
		}
	}
	return best
}

func (s slowRoot) next(b *bandit) int {
	done := 0
	for k, n := range b.visits {
		done += int(n - s.before[k])
	}
	return argmax(s.scores(b, sequence(min(s.o.Considered, len(b.q)), s.n)[done]))
}

func (s slowRoot) best(b *bandit) int {
	most := int32(0)
	for k, n := range b.visits {
		most = max(most, n-s.before[k])
	}
	return argmax(s.scores(b, most))
}

// TestRoot plays bandits with Root and with the slow root: the same action at every step, and
// the same choice after each.
func TestRoot(t *testing.T) {
	rng := random.New(1, random.Test)
	for trial := range 1500 {
		o := published
		o.Considered, o.Unscaled = 1+rng.IntN(20), trial%4 == 0
		b := newBandit(rng, 1+rng.IntN(30))
		simulations := 1 + rng.IntN(100)
		r := NewRoot(o, 30)
		b.tell(r)
		draws := rng
		if trial%3 == 0 {
			draws = nil
		}
		r.Begin(simulations, draws)
		slow := slowRoot{o, simulations, r.gumbel, make([]int32, len(b.q))}
		for i := range simulations {
			want := slow.next(b)
			b.tell(r)
			if got := r.Next(); got != want {
				t.Fatalf("trial %d, simulation %d of %d: action %d is selected, not %d",
					trial, i, simulations, got, want)
			}
			b.visit(want)
			b.tell(r)
			if got, want := r.Best(), slow.best(b); got != want {
				t.Fatalf("trial %d, after simulation %d of %d: %d is best, not %d",
					trial, i, simulations, got, want)
			}
		}
		if draws == nil && slices.Max(r.gumbel) != 0 {
			t.Fatal("without a random source g is not 0")
		}
	}
}

// TestKeptVisits: visits from before the search count in Q, but not in sequential halving: the
// counts of this search are those of a fresh one.
func TestKeptVisits(t *testing.T) {
	rng := random.New(2, random.Test)
	for range 300 {
		b := newBandit(rng, 2+rng.IntN(20))
		for range rng.IntN(200) {
			b.visit(rng.IntN(len(b.means)))
		}
		before := slices.Clone(b.visits)
		r := NewRoot(published, 30)
		b.tell(r)
		simulations := 1 + rng.IntN(100)
		r.Begin(simulations, rng)
		var got []int32
		for range simulations {
			b.tell(r)
			b.visit(r.Next())
		}
		for k := range b.visits {
			got = append(got, b.visits[k]-before[k])
		}
		checkCounts(t, got, min(16, len(b.means)), simulations)
		b.tell(r)
		if best := r.Best(); got[best] != slices.Max(got) {
			t.Fatalf("the best has %d visits of %v", got[best], got)
		}
	}
}

// checkCounts compares visits with those of sequential halving.
func checkCounts(t *testing.T, got []int32, m, n int) {
	t.Helper()
	want := make([]int32, len(got))
	for _, visits := range sequence(m, n) {
		want[slices.Index(want, visits)]++
	}
	got = slices.Clone(got)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("%d simulations of %d actions: the visits are %v, want %v", n, m, got, want)
	}
}

// TestUnderWay: visits under way count as visits for sequential halving, so that with several at
// once the same numbers of visits result; they count in neither Q nor sigma.
func TestUnderWay(t *testing.T) {
	rng := random.New(3, random.Test)
	for range 300 {
		b := newBandit(rng, 2+rng.IntN(20))
		r := NewRoot(published, 30)
		b.tell(r)
		simulations, batchSize := 1+rng.IntN(100), 1+rng.IntN(16)
		r.Begin(simulations, rng)
		var flying []int
		for range simulations {
			b.tell(r)
			k := r.Next()
			b.under[k]++
			if flying = append(flying, k); len(flying) == batchSize {
				for _, k := range flying {
					b.under[k]--
					b.visit(k)
				}
				flying = flying[:0]
			}
		}
		for _, k := range flying {
			b.under[k]--
			b.visit(k)
		}
		checkCounts(t, b.visits, min(16, len(b.means)), simulations)
	}
}

// TestGivenUp: simulations under way that are given up leave counts that sequential halving does
// not know. It goes on among the considered actions, and none gets far more than its share.
func TestGivenUp(t *testing.T) {
	rng := random.New(4, random.Test)
	for trial := range 300 {
		b := newBandit(rng, 2+rng.IntN(20))
		r := NewRoot(published, 30)
		r.o.Considered = 4
		b.tell(r)
		simulations := 1 + rng.IntN(100)
		if trial%2 == 0 {
			r.Begin(0, rng)
		} else {
			r.Begin(simulations, rng)
		}
		for done := 0; done < simulations; {
			var flying []int
			for range 1 + rng.IntN(8) {
				b.tell(r)
				k := r.Next()
				if !r.arm[k] {
					t.Fatalf("action %d is not considered", k)
				}
				b.under[k]++
				flying = append(flying, k)
			}
			for _, k := range flying {
				b.under[k]--
				if rng.IntN(3) > 0 {
					b.visit(k)
					done++
				}
			}
		}
		visited := 0
		for _, n := range b.visits {
			if n > 0 {
				visited++
			}
		}
		if visited > 4 {
			t.Fatalf("%d actions are visited, 4 considered", visited)
		}
	}
}

// TestAnytime: after whole rounds of 8 actions each round has added 1 visit to four of them, 3
// to two and 7 to the best two.
func TestAnytime(t *testing.T) {
	rng := random.New(5, random.Test)
	for range 100 {
		b := newBandit(rng, 20)
		r := NewRoot(published, 20)
		r.o.Considered = 8
		b.tell(r)
		r.Begin(0, rng)
		for range 20 {
			before := slices.Clone(b.visits)
			for range 24 {
				b.tell(r)
				b.visit(r.Next())
			}
			for k := range before {
				before[k] = b.visits[k] - before[k]
			}
			slices.Sort(before)
			if !slices.Equal(before[11:], []int32{0, 1, 1, 1, 1, 3, 3, 7, 7}) {
				t.Fatalf("a round adds the visits %v", before)
			}
		}
		b.tell(r)
		if best := r.Best(); b.visits[best] != slices.Max(b.visits) {
			t.Fatalf("the best has %d visits of %v", b.visits[best], b.visits)
		}
	}
}

// TestClosed: closed actions are not selected, even if all considered ones are closed.
func TestClosed(t *testing.T) {
	rng := random.New(6, random.Test)
	for range 300 {
		b := newBandit(rng, 2+rng.IntN(20))
		open := rng.IntN(len(b.means))
		r := NewRoot(published, 30)
		r.o.Considered = 3
		b.tell(r)
		r.Begin(50, rng)
		for i := range 50 {
			b.tell(r)
			for k := range r.Closed {
				r.Closed[k] = i > 10 && k != open
			}
			k := r.Next()
			if r.Closed[k] {
				t.Fatal("a closed action is selected")
			}
			b.visit(k)
		}
	}
}

// TestSamplesPolicy: where all actions are worth the same, the choice is a sample of the prior
// (the Gumbel-max trick), and the considered actions are samples without replacement.
func TestSamplesPolicy(t *testing.T) {
	rng := random.New(7, random.Test)
	priors := []float32{0.4, 0.3, 0.2, 0.1}
	r := NewRoot(published, 4)
	r.o.Considered = 2
	const n = 40_000
	chosen := make([]float64, 4)
	var second [4][4]float64
	for range n {
		r.Resize(4)
		copy(r.Priors, priors)
		clear(r.Visits)
		clear(r.Under)
		clear(r.Closed)
		for k := range r.Q {
			r.Q[k] = 0.5
		}
		r.Raw = 0.5
		r.Begin(4, rng)
		var order []int
		for range 4 {
			k := r.Next()
			r.Visits[k]++
			order = append(order, k)
		}
		chosen[r.Best()]++
		second[order[0]][order[1]]++
	}
	for k, p := range priors {
		if got := chosen[k] / n; math.Abs(got-float64(p)) > 5*math.Sqrt(0.25/n) {
			t.Errorf("action %d is chosen with probability %.3f, want %.3f", k, got, p)
		}
		for j, q := range priors {
			want := float64(p) * float64(q) / (1 - float64(p))
			if got := second[k][j] / n; k != j && math.Abs(got-want) > 5*math.Sqrt(0.25/n) {
				t.Errorf("%d then %d are sampled with probability %.3f, want %.3f", k, j, got, want)
			}
		}
	}
}

// TestImproves: with exact values the expected value of the choice is at least that of the
// prior, however few simulations there are (section 3), and so is that of the improved policy.
func TestImproves(t *testing.T) {
	rng := random.New(8, random.Test)
	for trial := range 40 {
		b := newBandit(rng, 2+rng.IntN(8))
		prior := 0.0
		for k, p := range b.priors {
			prior += float64(p) * b.means[k]
		}
		r := NewRoot(published, 10)
		r.o.Considered = 2 + trial%3
		simulations := 1 + rng.IntN(8)
		sum := 0.0
		const n = 2000
		for range n {
			clear(b.visits)
			b.raw = prior
			b.tell(r)
			r.Begin(simulations, rng)
			for range simulations {
				k := r.Next()
				r.Visits[k]++
				r.Q[k] = b.means[k]
			}
			sum += b.means[r.Best()]
			improved := 0.0
			for k, p := range r.Improved() {
				improved += float64(p) * b.means[k]
			}
			if improved < prior-1e-6 && simulations >= len(b.means) &&
				r.o.Considered >= len(b.means) {
				t.Fatalf("the improved policy is worth %g, the prior %g", improved, prior)
			}
		}
		if mean := sum / n; mean < prior-5*math.Sqrt(0.25/n) {
			t.Errorf("the choice of %d simulations is worth %.3f, the prior %.3f",
				simulations, mean, prior)
		}
	}
}

// TestKnownIsNotConsidered: an action that is known when the search begins takes no place among
// those considered.
func TestKnownIsNotConsidered(t *testing.T) {
	rng := random.New(8, random.Test)
	for round := range 50 {
		b := newBandit(rng, 8)
		r := NewRoot(Gumbel{Considered: 3, VisitOffset: 50, ValueScale: 0.1}, 8)
		b.tell(r)
		known := rng.IntN(8) // how many of the actions
		for _, k := range rng.Perm(8)[:known] {
			r.Priors[k] *= 1000
			r.Known[k], r.Closed[k] = true, true
		}
		r.Begin(12, rng)
		arms := 0
		for k, arm := range r.arm {
			if arm && r.Known[k] {
				t.Errorf("round %d: action %d is known and considered", round, k)
			}
			if arm {
				arms++
			}
		}
		if want := min(3, 8-known); arms != want || r.arms != want {
			t.Errorf("round %d: %d actions are considered, %d by the count, not %d",
				round, arms, r.arms, want)
		}
	}
}

// TestNextOfClosed: where all actions are closed there is none to simulate.
func TestNextOfClosed(t *testing.T) {
	b := newBandit(random.New(8, random.Test), 4)
	r := NewRoot(Gumbel{Considered: 3, VisitOffset: 50, ValueScale: 0.1}, 4)
	b.tell(r)
	r.Begin(12, nil)
	for k := range r.Closed {
		if n := r.Next(); n < 0 || r.Closed[n] {
			t.Errorf("action %d is next, with %d closed", n, k)
		}
		r.Closed[k] = true
	}
	if n := r.Next(); n != -1 {
		t.Errorf("action %d of closed ones is next", n)
	}
}

// TestDraw compares the first two moments of g with those of Gumbel(0, 1): Euler's constant and
// pi²/6.
func TestDraw(t *testing.T) {
	rng := random.New(9, random.Test)
	const n = 400_000
	sum, squares := 0.0, 0.0
	for range n {
		g := draw(rng)
		sum += g
		squares += g * g
	}
	mean := sum / n
	variance := squares/n - mean*mean
	if math.Abs(mean-0.5772157) > 5*1.2825/math.Sqrt(n) ||
		math.Abs(variance-math.Pi*math.Pi/6) > 0.03 {
		t.Errorf("g has mean %.4f and variance %.4f", mean, variance)
	}
}

func TestAllocations(t *testing.T) {
	rng := random.New(10, random.Test)
	b := newBandit(rng, 20)
	r := NewRoot(published, 20)
	value := make([]float32, 2)
	if n := testing.AllocsPerRun(20, func() {
		b.tell(r)
		r.Begin(50, rng)
		r.Next()
		r.Best()
		r.Improved()
		r.Value(value, func(k int, _ game.Player) float64 { return b.q[k] },
			func(game.Player) float64 { return b.raw })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
