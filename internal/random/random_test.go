package random

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The first outputs of SplitMix64 for the seeds 0 and 1 are published with it; the
// others were computed from the definition with integers of arbitrary size.
func TestGoldenSeeds(t *testing.T) {
	for _, c := range []struct {
		seed   uint64
		path   []uint64
		hi, lo uint64
	}{
		{0, nil, 0xe220a8397b1dcdaf, 0xa706dd2f4d197e6f},
		{1, nil, 0x910a2dec89025cc1, 0x5e41ab087439611e},
		{1, []uint64{1, 0}, 0xe972a0591e2a77b9, 0x9fca7e36a82effbd},
		{1, []uint64{1, 1}, 0x73c78dd97a249f4a, 0x65f158560d476a4},
		{1<<64 - 1, []uint64{7, 123456789}, 0xa1017bf469599f67, 0x534bd571c522b08a},
	} {
		if hi, lo := Seeds(c.seed, c.path...); hi != c.hi || lo != c.lo {
			t.Errorf("Seeds(%d, %v) = %#x, %#x, want %#x, %#x", c.seed, c.path, hi, lo, c.hi, c.lo)
		}
	}
}

// The random numbers must not change between versions of Go, because games of old
// runs are replayed.
func TestGoldenDraws(t *testing.T) {
	rng := New(1, SelfPlay, 0)
	for i, want := range []uint64{0xa1317935b0badabe, 0xba45d4ed17886496, 0xc7655b647c6bff9b} {
		if got := rng.Uint64(); got != want {
			t.Errorf("draw %d is %#x, want %#x", i, got, want)
		}
	}
}

// The numbers of the purposes are part of the format of a run, and must not change.
func TestPurposesStay(t *testing.T) {
	got := [...]uint64{SelfPlay, Playout, Seats, Replay, Weights, Arena, Test, Classes, Views}
	if want := [...]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}; got != want {
		t.Errorf("the purposes are %v, want %v", got, want)
	}
}

// Different seeds and paths give different streams.
func TestPathsDiffer(t *testing.T) {
	type origin struct{ seed, a, b, length uint64 }
	seen := map[uint64]origin{}
	add := func(o origin) {
		hi, _ := Seeds(o.seed, []uint64{o.a, o.b}[:o.length]...)
		if other, ok := seen[hi]; ok {
			t.Errorf("%+v and %+v give the same stream", other, o)
		}
		seen[hi] = o
	}
	for seed := range uint64(40) {
		add(origin{seed: seed})
		for a := range uint64(40) {
			add(origin{seed, a, 0, 1})
			for b := range uint64(40) {
				add(origin{seed, a, b, 2})
			}
		}
	}
}

// Streams of neighbouring game numbers agree in half of their bits, as independent ones do.
func TestNeighboursAreUnrelated(t *testing.T) {
	const streams, draws = 2000, 8
	agree := 0
	for n := range uint64(streams) {
		a, b := New(1, SelfPlay, n), New(1, SelfPlay, n+1)
		for range draws {
			agree += 64 - bits.OnesCount64(a.Uint64()^b.Uint64())
		}
	}
	// The standard deviation of the share is 0.5/sqrt(1,024,000) = 0.0005.
	if share := float64(agree) / (streams * draws * 64); share < 0.4975 || share > 0.5025 {
		t.Errorf("neighbours agree in %.4f of their bits, want 0.5000", share)
	}
}

// Reseed gives the same stream as New, whatever the source's state.
func TestReseed(t *testing.T) {
	pcg := rand.NewPCG(1, 2)
	for seed := range uint64(3) {
		for _, path := range [][]uint64{nil, {Playout}, {Playout, 9}, {Playout, 9, 1}} {
			pcg.Uint64()
			Reseed(pcg, seed, path...)
			fresh := New(seed, path...)
			for i := range 10 {
				if got, want := pcg.Uint64(), fresh.Uint64(); got != want {
					t.Fatalf("draw %d from the path %v of seed %d is %#x, from a new stream %#x",
						i, path, seed, got, want)
				}
			}
		}
	}
}

func TestReseedAllocatesNothing(t *testing.T) {
	pcg := rand.NewPCG(1, 2)
	n := uint64(0)
	if a := testing.AllocsPerRun(100, func() {
		Reseed(pcg, 1, SelfPlay, n)
		n++
	}); a > 0 {
		t.Errorf("Reseed allocates %v times", a)
	}
}

// The first outputs of the reference implementation (Vigna's splitmix64.c) for
// the state 1234567.
func TestReference(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821,
	} {
		if got := Step(state); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
		state += Gamma
	}
	if Mix(0) != 0 {
		t.Error("Mix(0) is not 0")
	}
}
