package cuda

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// device computes 10·x + weight of each row. A launch is done when its turn comes.
type device struct {
	mu       sync.Mutex
	launches []int         // rows of each
	gate     chan struct{} // if not nil, Launch waits for a value
	entered  chan struct{} // if not nil, Launch sends a value first
	fail     error         // of the next Launch
	noPacks  error
	made     int
	instant  bool // what is launched is done
}

// work is a launch's memory. Its results are there once done is closed.
type work struct {
	d       *device
	in, out []int
	weight  int
	rows    int
	done    chan struct{}
	fails   error // of Wait
}

func (w *work) Launch(rows int) error {
	d := w.d
	if d.entered != nil {
		d.entered <- struct{}{}
	}
	if d.gate != nil {
		<-d.gate
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fail; err != nil {
		d.fail = nil
		return err
	}
	w.rows = rows
	d.launches = append(d.launches, rows)
	return nil
}

func (w *work) Wait() error {
	if w.done != nil {
		<-w.done
	}
	if w.fails != nil {
		return w.fails
	}
	for i := range w.rows {
		w.out[i] = 10*w.in[i] + w.weight
	}
	return nil
}

func (w *work) Done() (bool, error) {
	if w.d.instant {
		return true, w.Wait()
	}
	return false, nil // Wait computes
}

// member is a batch of a goroutine.
type member struct {
	PackState
	work
}

func (m *member) Weights() any { return m.weight }

func (m *member) Put(pack Launch, at, rows int) { copy(pack.(*work).in[at:], m.in[:rows]) }

func (m *member) Get(pack Launch, at, rows int) { copy(m.out[:rows], pack.(*work).out[at:at+rows]) }

func (d *device) member(rows int) *member {
	return &member{work: work{d: d, in: make([]int, rows), out: make([]int, rows)}}
}

func (d *device) queue(rows, small, block, most int) *Queue {
	return &Queue{
		Rows: rows, Small: small, Block: block, Most: most,
		NewPack: func() (Launch, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.noPacks != nil {
				return nil, d.noPacks
			}
			d.made++
			return &work{d: d, in: make([]int, rows), out: make([]int, rows)}, nil
		},
		SetPack: func(p Launch, weights any) { p.(*work).weight, _ = weights.(int) },
	}
}

// fill gives a batch rows that no other has.
func (m *member) fill(first, rows, weight int) {
	m.weight = weight
	for i := range rows {
		m.in[i] = first + i
	}
}

func (m *member) check(t *testing.T, rows int) {
	t.Helper()
	for i := range rows {
		if want := 10*m.in[i] + m.weight; m.out[i] != want {
			t.Fatalf("row %d of %d is %d, want %d", i, rows, m.out[i], want)
		}
	}
}

// TestAlone: batches that wait for nobody are launched at once in their own memory.
func TestAlone(t *testing.T) {
	d := &device{}
	q := d.queue(16, 8, 1, 1000)
	a, b := d.member(8), d.member(8)
	for i := range 5 {
		a.fill(100*i, 3, 1)
		b.fill(100*i+50, 8, 1)
		must(t, q.Start(a, 3))
		must(t, q.Start(b, 8))
		must(t, q.Wait(a))
		must(t, q.Wait(b))
		a.check(t, 3)
		b.check(t, 8)
	}
	if q.Packed() != 0 || d.made != 0 || len(d.launches) != 10 {
		t.Errorf("%d batches were packed, %d packs made, %d launches",
			q.Packed(), d.made, len(d.launches))
	}
}

// TestWhileLaunching: what comes while another is launched is launched as one, by weights.
func TestWhileLaunching(t *testing.T) {
	d := &device{gate: make(chan struct{}), entered: make(chan struct{}, 10)}
	q := d.queue(16, 8, 1, 1000)
	first := d.member(8)
	first.fill(0, 2, 1)
	began := make(chan error)
	go func() { began <- q.Start(first, 2) }()
	<-d.entered
	others := []*member{d.member(8), d.member(8), d.member(8), d.member(8)}
	for i, m := range others {
		m.fill(100*(1+i), 3, 1+i/3) // the last has other weights
		must(t, q.Start(m, 3))
	}
	large := d.member(9)
	large.fill(900, 9, 1)
	go func() { began <- q.Start(large, 9) }()
	<-d.entered // it does not wait for the first
	for range 4 {
		d.gate <- struct{}{}
	}
	must(t, <-began)
	must(t, <-began)
	for _, m := range others {
		must(t, q.Wait(m))
		m.check(t, 3)
	}
	must(t, q.Wait(large))
	must(t, q.Wait(first))
	first.check(t, 2)
	large.check(t, 9)
	slices.Sort(d.launches)
	if want := []int{2, 3, 9, 9}; !slices.Equal(d.launches, want) || q.Packed() != 4 {
		t.Errorf("launches of %v rows, %d batches packed; want %v, 4", d.launches, q.Packed(), want)
	}
	if got := len(q.Drain()); got != 2 || len(q.under) != 0 || q.load != 0 {
		t.Errorf("%d packs are free, %d launches and %d rows under way", got, len(q.under), q.load)
	}
}

// TestWhileFull: small batches wait while the device has enough, and the one that waits for results
// launches them.
func TestWhileFull(t *testing.T) {
	d := &device{}
	q := d.queue(32, 8, 10, 20) // two blocks of ten
	a, b := d.member(8), d.member(8)
	a.done, b.done = make(chan struct{}), make(chan struct{})
	a.fill(0, 1, 1)
	b.fill(50, 8, 1)
	must(t, q.Start(a, 1))
	must(t, q.Start(b, 8))
	var late []*member
	for i := range 4 {
		m := d.member(8)
		m.fill(100*(i+1), 5, 1)
		must(t, q.Start(m, 5))
		late = append(late, m)
	}
	if len(d.launches) != 2 || q.Packed() != 4 {
		t.Fatalf("launches of %v rows, %d batches wait", d.launches, q.Packed())
	}
	ended := make(chan error)
	go func() { ended <- q.Wait(late[3]) }()
	close(a.done) // whoever started it does not come
	must(t, <-ended)
	for _, m := range late[:3] {
		must(t, q.Wait(m))
		m.check(t, 5)
	}
	late[3].check(t, 5)
	must(t, q.Wait(a))
	a.check(t, 1)
	close(b.done)
	must(t, q.Wait(b))
	b.check(t, 8)
	if want := []int{1, 8, 20}; !slices.Equal(d.launches, want) {
		t.Errorf("launches of %v rows, want %v", d.launches, want)
	}
}

// TestSeesDone: what is done leaves room, though nobody waited for it.
func TestSeesDone(t *testing.T) {
	d := &device{instant: true}
	q := d.queue(32, 8, 1, 1)
	for i := range 5 {
		m := d.member(8)
		m.fill(10*i, 2, 1)
		must(t, q.Start(m, 2))
	}
	if len(d.launches) != 5 || q.Packed() != 0 {
		t.Errorf("launches of %v rows, %d batches packed", d.launches, q.Packed())
	}
}

// TestErrors: a failed launch reaches the batches in it and no others, and without memory for packs
// all are launched alone.
func TestErrors(t *testing.T) {
	wanted := errors.New("lost")
	d := &device{}
	q := d.queue(32, 8, 1, 1)
	a, b, c := d.member(8), d.member(8), d.member(8)
	d.fail = wanted
	if err := q.Start(a, 1); err != wanted || q.Wait(a) != wanted {
		t.Errorf("a failed launch alone gives %v", err)
	}
	must(t, q.Start(a, 1))
	must(t, q.Start(b, 1)) // they wait for a
	must(t, q.Start(c, 2))
	d.fail = wanted
	if err := q.Wait(b); err != wanted {
		t.Errorf("a failed launch of a pack gives %v", err)
	}
	if err := q.Wait(c); err != wanted {
		t.Errorf("a failed launch of a pack gives another batch %v", err)
	}
	must(t, q.Wait(a))
	a.fails = wanted
	must(t, q.Start(a, 1))
	must(t, q.Start(b, 1))
	must(t, q.Wait(b)) // it waits for a, whose error is a's
	if err := q.Wait(a); err != wanted {
		t.Errorf("a failure during a launch gives %v", err)
	}
	a.fails = nil
	q.Drain()
	d.noPacks = wanted
	must(t, q.Start(a, 1))
	must(t, q.Start(b, 1))
	must(t, q.Wait(a))
	must(t, q.Wait(b))
	if q.load != 0 || len(q.under) != 0 || len(q.waiting) != 0 {
		t.Errorf("%d rows, %d launches, %d packs are left", q.load, len(q.under), len(q.waiting))
	}
}

// TestForget: batches that nobody waits for leave nothing behind.
func TestForget(t *testing.T) {
	d := &device{}
	q := d.queue(32, 8, 1, 1)
	for i := range 4 {
		a, b, c := d.member(8), d.member(8), d.member(8)
		must(t, q.Start(a, 1))
		must(t, q.Start(b, 1))
		must(t, q.Start(c, 1))
		q.Forget(b)
		if i%2 == 0 {
			q.Forget(c) // the pack has nobody left
		} else {
			must(t, q.Wait(c))
		}
		q.Forget(a)
		q.Forget(a)
	}
	if q.load != 0 || len(q.under) != 0 || len(q.waiting) != 0 || len(q.Drain()) != 1 {
		t.Errorf("%d rows, %d launches, %d packs are left", q.load, len(q.under), len(q.waiting))
	}
}

// TestMany: goroutines with two batches each get their own rows, whatever the limits.
func TestMany(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := &device{}
		q := d.queue(24, 8, 1+rng.IntN(4), 1+rng.IntN(40))
		var all sync.WaitGroup
		for g := range 8 {
			random := rand.New(rand.NewPCG(seed, uint64(g)+2))
			all.Go(func() {
				pair := [2]*member{d.member(12), d.member(12)}
				var rows [2]int
				for i := range 100 {
					m := pair[i%2]
					if rows[i%2] > 0 {
						if err := q.Wait(m); err != nil {
							t.Error(err)
						}
						m.check(t, rows[i%2])
					}
					rows[i%2] = 1 + random.IntN(12)
					m.fill(random.IntN(1e6), rows[i%2], random.IntN(3))
					if err := q.Start(m, rows[i%2]); err != nil {
						t.Error(err)
					}
				}
				for i := range 2 {
					q.Forget(pair[i])
				}
			})
		}
		all.Wait()
		free := len(q.Drain())
		if q.load != 0 || len(q.under) != 0 || len(q.waiting) != 0 || free != d.made {
			t.Errorf("%d rows, %d launches, %d packs are left, %d of %d packs free",
				q.load, len(q.under), len(q.waiting), free, d.made)
		}
	}
}

// TestNoAllocations holds for batches alone and in packs.
func TestNoAllocations(t *testing.T) {
	d := &device{}
	q := d.queue(32, 8, 1, 1)
	all := []*member{d.member(8), d.member(8), d.member(8)}
	run := func() {
		d.launches = d.launches[:0]
		for _, m := range all {
			must(t, q.Start(m, 2))
		}
		for _, m := range all {
			must(t, q.Wait(m))
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%g allocations", n)
	}
	if q.Packed() == 0 {
		t.Error("nothing was packed")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
