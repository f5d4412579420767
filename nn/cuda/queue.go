package cuda

import (
	"slices"
	"sync"
)

// Launch is the memory and the stream of a launch: a batch's own, or a pack's.
type Launch interface {
	// Launch enqueues the evaluation of rows 0 to rows-1 and returns before it is done.
	Launch(rows int) error
	// Wait returns when the results of the last Launch are there. It is called by one goroutine at
	// a time, which need not be that of Launch.
	Wait() error
	// Done reports, without waiting, whether they are there. It may be called during Wait.
	Done() (bool, error)
}

// Packable is a batch of a goroutine. It embeds a PackState.
type Packable interface {
	Launch
	// Weights returns the weights for its rows. Rows with different weights are never in one pack.
	// The values must be comparable.
	Weights() any
	// Put copies the first rows into a pack of NewPack, from row at on. Get copies their results
	// from there.
	Put(pack Launch, at, rows int)
	Get(pack Launch, at, rows int)
	state() *PackState
}

// PackState is what a Queue keeps of a Packable. The zero value is that of a batch that is not
// started.
type PackState struct {
	on   *flight // nil: not started
	at   int     // first row in the pack
	rows int
	own  flight // for launches in the batch's own memory
}

func (s *PackState) state() *PackState { return s }

// flight is a launch, from the time when rows are put into it until all results are fetched. All
// but leader is guarded by Queue.mu.
type flight struct {
	launch  Launch
	weights any // of a pack
	pack    bool
	rows    int
	members int // batches whose results were not fetched
	number  int // counts launches: a flight is used again
	waits   int // goroutines that wait for it
	stage   stage
	err     error
	leader  sync.Mutex // held by the goroutine that is in launch.Wait
}

type stage int

const (
	waiting   stage = iota // in Queue.waiting
	launching              // a goroutine is in launch.Launch
	launched               // in Queue.under
	done
	idle // in Queue.free
)

// Queue evaluates small batches of several goroutines as one launch where they would wait for the
// device anyway.
//
// It belongs to a network on a device. A batch of few rows is launched at once, alone and in
// its own memory, if nobody is in the driver's calls and the device has room. Otherwise its rows
// are copied into a pack, and whoever is done with a launch, or finds that the device has room
// again, launches the pack. Nothing waits for batches that may come: there are no timers, and a
// pack holds only what had to wait.
//
//	q := &Queue{Rows: 512, Small: 128, Block: 10, Most: 2640, NewPack: newPack}
//	q.Start(b, n) // b is a Packable that embeds PackState
//	err := q.Wait(b)
//
// Rows have the same results alone and in a pack, since those of a row depend on it and on the
// weights only. That is the device's part; tests compare bits.
//
// Its methods may be called from any goroutine; each batch is used by one at a time. The fields
// must not change after the first use.
type Queue struct {
	Rows int // of a pack
	// batches of up to this many rows may wait and be packed; larger ones never wait. At most Rows
	Small int
	Block int // rows that share a block of the device: a launch takes whole blocks
	// Most is the number of rows, in whole blocks, from which on small batches wait until something
	// is done: the device has work enough.
	Most int
	// NewPack makes a pack of Rows rows; SetPack sets the weights of its next launch, nil if it has
	// none. Both are called with the queue locked. After an error NewPack is not called again:
	// batches for which there is no pack are launched alone.
	NewPack func() (Launch, error)
	SetPack func(pack Launch, weights any)

	mu      sync.Mutex
	changed *sync.Cond // a launch was made, or ended
	busy    bool       // a goroutine is in the Launch of a small batch or a pack
	waiting []*flight  // packs, in the order in which they were begun
	under   []*flight  // launches that are not known to be done
	load    int        // rows of under, in whole blocks
	free    []*flight  // packs
	full    bool       // NewPack returned an error: no more packs are made
	packed  int        // batches that were put into packs
}

// blocks returns rows in whole blocks.
func (q *Queue) blocks(rows int) int {
	block := max(1, q.Block)
	return (rows + block - 1) / block * block
}

// Packed returns how many batches were evaluated in packs.
func (q *Queue) Packed() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.packed
}

// Start starts the evaluation of rows 0 to rows-1 of a batch that is not under way. The error is
// that of a launch in the batch's own memory; Wait returns it too.
func (q *Queue) Start(b Packable, rows int) error {
	s := b.state()
	s.rows = rows
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changed == nil {
		q.changed = sync.NewCond(&q.mu)
	}
	small := rows <= q.Small
	if small && (q.busy || len(q.waiting) > 0 || !q.room()) && q.join(b, s) {
		q.pump()
		return nil
	}
	f := &s.own
	f.launch, f.rows, f.members, f.stage, f.err = b, rows, 1, launching, nil
	s.on, s.at = f, 0
	if small && !q.busy {
		q.launch(f, true)
		q.pump()
	} else {
		q.launch(f, false)
	}
	return f.err
}

// join puts a batch into a pack that waits. It returns false if there is no memory for one.
func (q *Queue) join(b Packable, s *PackState) bool {
	weights := b.Weights()
	var f *flight
	for _, w := range q.waiting {
		if w.weights == weights && w.rows+s.rows <= q.Rows {
			f = w
			break
		}
	}
	if f == nil {
		if n := len(q.free); n > 0 {
			f, q.free = q.free[n-1], q.free[:n-1]
		} else if q.full {
			return false
		} else {
			pack, err := q.NewPack()
			if q.full = err != nil; q.full {
				return false
			}
			f = &flight{launch: pack, pack: true}
		}
		q.SetPack(f.launch, weights)
		f.weights, f.rows, f.members, f.stage, f.err = weights, 0, 0, waiting, nil
		q.waiting = append(q.waiting, f)
	}
	b.Put(f.launch, f.rows, s.rows)
	s.on, s.at = f, f.rows
	f.rows += s.rows
	f.members++
	q.packed++
	return true
}

// room reports whether the device may be given more now.
func (q *Queue) room() bool {
	for q.load >= q.Most && len(q.under) > 0 {
		f := q.under[0]
		is, err := f.launch.Done()
		if !is && err == nil {
			return false
		}
		q.end(f, err)
	}
	return true
}

// mostPumped bounds the packs that one goroutine launches for others in a row.
const mostPumped = 4

// pump launches packs that wait, as long as the device has room and no other goroutine does it.
func (q *Queue) pump() {
	for range mostPumped {
		if q.busy || len(q.waiting) == 0 || !q.room() {
			return
		}
		f := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.launch(f, true)
	}
}

// launch launches a flight; q.mu is not held meanwhile. alone says that other small launches wait
// for this one.
func (q *Queue) launch(f *flight, alone bool) {
	if alone {
		q.busy = true
	}
	f.stage = launching
	rows := f.rows
	q.mu.Unlock()
	err := f.launch.Launch(rows)
	q.mu.Lock()
	if alone {
		q.busy = false
	}
	f.number++
	f.stage = launched
	q.under = append(q.under, f)
	q.load += q.blocks(rows)
	if err != nil {
		q.end(f, err)
	}
	q.changed.Broadcast()
}

// end records that a launch is done or failed.
func (q *Queue) end(f *flight, err error) {
	if i := slices.Index(q.under, f); i >= 0 {
		q.under = slices.Delete(q.under, i, i+1)
		q.load -= q.blocks(f.rows)
	}
	f.stage, f.err = done, err
	q.recycle(f)
	q.changed.Broadcast()
}

// recycle keeps a pack for later that nobody needs any more.
func (q *Queue) recycle(f *flight) {
	if f.pack && f.stage == done && f.members == 0 && f.waits == 0 {
		f.weights, f.stage = nil, idle
		q.SetPack(f.launch, nil)
		q.free = append(q.free, f)
	}
}

// await waits until a launched flight is done. q.mu is not held meanwhile.
func (q *Queue) await(f *flight) {
	number := f.number
	f.waits++
	q.mu.Unlock()
	f.leader.Lock()
	q.mu.Lock()
	if f.number == number && f.stage == launched {
		q.mu.Unlock()
		err := f.launch.Wait()
		q.mu.Lock()
		if f.number == number && f.stage == launched { // room may have seen that it is done
			q.end(f, err)
		}
	}
	f.leader.Unlock()
	f.waits--
	if f.waits == 0 {
		q.recycle(f)
		q.changed.Broadcast()
	}
}

// Wait returns when the results of a batch that was started are there, or its launch's error.
func (q *Queue) Wait(b Packable) error {
	s := b.state()
	q.mu.Lock()
	defer q.mu.Unlock()
	f := s.on
	q.settle(f)
	err := f.err
	if f.pack && err == nil {
		q.mu.Unlock()
		b.Get(f.launch, s.at, s.rows)
		q.mu.Lock()
	}
	q.leave(s)
	q.pump()
	return err
}

// settle waits until a flight is done.
func (q *Queue) settle(f *flight) {
	for f.stage != done {
		switch {
		case f.stage == launched:
			q.await(f)
		case q.busy:
			q.changed.Wait() // whoever launches goes on with the packs
		default:
			before := len(q.waiting)
			q.pump()
			if len(q.waiting) == before && len(q.under) > 0 && f.stage == waiting {
				q.await(q.under[0])
			}
		}
	}
}

// leave takes a batch out of its flight.
func (q *Queue) leave(s *PackState) {
	f := s.on
	s.on = nil
	if f.members--; f.members > 0 {
		return
	}
	if f.pack && f.stage == waiting {
		q.waiting = slices.DeleteFunc(q.waiting, func(w *flight) bool { return w == f })
		f.stage = done
	}
	q.recycle(f)
}

// Forget ends the use of a batch whose memory is to be freed: nothing uses it after that.
func (q *Queue) Forget(b Packable) {
	s := b.state()
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.on == nil && s.own.waits == 0 {
		return
	}
	if s.on == &s.own {
		q.settle(&s.own)
	}
	if s.on != nil {
		q.leave(s)
	}
	for s.own.waits > 0 {
		q.changed.Wait()
	}
}

// Drain returns the packs that no batch uses, which the queue gives up. It waits for those that are
// under way still.
func (q *Queue) Drain() []Launch {
	q.mu.Lock()
	defer q.mu.Unlock()
	abandoned := func(f *flight) bool { return f.pack && f.members == 0 }
	for i := slices.IndexFunc(q.under, abandoned); i >= 0; i = slices.IndexFunc(q.under,
		abandoned) {
		q.await(q.under[i])
	}
	var all []Launch
	for _, f := range q.free {
		all = append(all, f.launch)
	}
	q.free = nil
	return all
}
