package fake

import (
	"math/rand/v2"
	"testing"
	"time"
)

// model has rounds of 100 positions and 1 ms.
var model = Model{
	Slots: 100, Rate: 100_000, Launch: 100 * time.Microsecond, Step: 2 * time.Millisecond,
	StepRate: 10_000, Rows: 50,
}

const us = time.Microsecond

func TestBatchTimes(t *testing.T) {
	q := queue{model: model}
	for _, c := range []struct {
		name      string
		now       time.Duration
		rows      int
		want      time.Duration
		wantsFree time.Duration
	}{
		{"a small batch takes a whole round", 0, 1, 1100 * us, 10 * us},
		{"others are computed beside it", 0, 99, 1100 * us, 1000 * us},
		{"until the device is full", 0, 100, 2000 * us, 2000 * us},
		{"an idle time is lost", 5000 * us, 150, 7100 * us, 6500 * us},
	} {
		if got := q.batch(c.now, c.rows); got != c.want || q.free != c.wantsFree {
			t.Errorf("%s: done at %v, the device is free at %v; want %v, %v",
				c.name, got, q.free, c.want, c.wantsFree)
		}
	}
	if got := q.step(6500*us, 30); got != 11500*us {
		t.Errorf("a step of 5 ms is done at %v", got)
	}
	if got := q.batch(6500*us, 10); got != 11600*us {
		t.Errorf("a batch after it is done at %v", got)
	}
}

// TestThroughput: whatever the batches, the device does no more than its rate, and a busy one no
// less.
func TestThroughput(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		q := queue{model: model}
		rows, now, last := 0, time.Duration(0), time.Duration(0)
		for range 500 {
			n := 1 + rng.IntN(300)
			rows += n
			last = max(last, q.batch(now, n))
			if got := float64(rows) / last.Seconds(); got > 1.0001*model.Rate {
				t.Fatalf("%d rows by %v: %.0f a second", rows, last, got)
			}
			// batches come faster than they are computed
			now += time.Duration(rng.IntN(int(model.work(n))))
		}
		if got := float64(rows) / last.Seconds(); got < 0.97*model.Rate {
			t.Errorf("a busy device computes %.0f a second", got)
		}
		if u := q.read(last); u.Work < 0.97 || u.Busy < 0.97 || u.Rows != rows || u.Batches != 500 {
			t.Errorf("its usage is %+v", u)
		}
	}
}

// slowBusy is the share of the time, in steps of 10 µs, in which one of the batches or steps is
// computed.
func slowBusy(spans [][2]time.Duration, from, to time.Duration) float64 {
	n, all := 0, 0
	for at := from + 5*us; at < to; at += 10 * us {
		all++
		for _, s := range spans {
			if s[0] <= at && at < s[1] {
				n++
				break
			}
		}
	}
	return float64(n) / float64(all)
}

func TestUsage(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		q := queue{model: model}
		var spans [][2]time.Duration
		work, now := time.Duration(0), time.Duration(0)
		for range 200 {
			now += time.Duration(rng.IntN(4000)) * us
			if rng.IntN(10) == 0 {
				done := q.step(now, 20)
				spans = append(spans, [2]time.Duration{done - 4*time.Millisecond, done})
				work += 4 * time.Millisecond
				continue
			}
			n := 1 + rng.IntN(120)
			done := q.batch(now, n)
			spans = append(spans, [2]time.Duration{now + model.Launch/2, done - model.Launch/2})
			work += model.work(n)
		}
		now += time.Second // everything is done
		half := now / 2
		u := q.read(now)
		if want := slowBusy(spans, 0, now); abs(u.Busy-want) > 0.005 {
			t.Errorf("busy %.4f of the time, want %.4f", u.Busy, want)
		}
		if want := work.Seconds() / now.Seconds(); abs(u.Work-want) > 1e-6 {
			t.Errorf("work %.4f, want %.4f", u.Work, want)
		}
		if u = q.read(now + half); u != (Usage{Seconds: half.Seconds()}) {
			t.Errorf("an idle device has the usage %+v", u)
		}
	}
}

// What is not done at a reading counts at the next.
func TestUsageOfUnfinishedWork(t *testing.T) {
	q := queue{model: model}
	q.step(0, 80) // 10 ms
	if u := q.read(5 * time.Millisecond); abs(u.Busy-1) > 1e-9 || abs(u.Work-1) > 1e-9 {
		t.Errorf("in the middle of a step the usage is %+v", u)
	}
	if u := q.read(15 * time.Millisecond); abs(u.Busy-0.5) > 1e-9 || abs(u.Work-0.5) > 1e-9 {
		t.Errorf("5 ms after it the usage is %+v", u)
	}
}

// TestModel compares the model of an H100 with what was measured, and slower ones with it.
func TestModel(t *testing.T) {
	m := H100()
	for _, c := range []struct {
		what      string
		got, want time.Duration // in docs/results/gpu.md
		within    float64
	}{
		{"a row", m.latency(1), 136 * us, 0.05}, {"8 rows", m.latency(8), 142 * us, 0.05},
		{"64 rows", m.latency(64), 138 * us, 0.05}, {"264 rows", m.latency(264), 143 * us, 0.05},
		{"4,096 rows alone", m.latency(4096), 1287 * us, 0.2},
		{"a step of 256", m.step(256), 2420 * us, 0.2},
		{"a step of 1,024", m.step(1024), 4690 * us, 0.02},
		{"a step of 4,096", m.step(4096), 15400 * us, 0.02},
	} {
		if off := c.got.Seconds()/c.want.Seconds() - 1; abs(off) > c.within {
			t.Errorf("%s takes %v, and was measured to take %v", c.what, c.got, c.want)
		}
	}
	if m.latency(265) < m.latency(264)+m.round()/2 {
		t.Errorf("265 rows take %v, hardly more than 264", m.latency(265))
	}
	for _, rows := range []int{64, 2000} {
		slow := m.Slower(8)
		if slow.Slots != m.Slots || slow.latency(rows) < 8*m.latency(rows)-us ||
			slow.latency(rows) > 8*m.latency(rows)+us || slow.step(256) < 8*m.step(256)-us {
			t.Errorf("8 times slower: %+v", slow)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }
