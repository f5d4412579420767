package fake

import (
	"fmt"
	"sync"
	"time"
)

// Model describes a device and one network on it.
type Model struct {
	Name string // for people
	// Slots is the number of positions that the device computes at once, at least 1. They take a
	// round: Slots ÷ Rate.
	Slots int
	Rate  float64 // positions a second of a full device, above 0
	// Launch is the time from the start of a batch until it is computed, and from then until its
	// results are there: copies and launches, during which the device works on other batches.
	Launch time.Duration
	// Few is the number of rows up to which a batch is computed in FewRound in place of a round, by
	// blocks of fewer positions; 0: none.
	Few      int
	FewRound time.Duration
	// A training step takes Step, and in addition its rows ÷ StepRate. Nothing else is computed
	// meanwhile.
	Step     time.Duration
	StepRate float64
	Rows     int // of a worker's batches, as in backend.Backend
	// Block is the number of positions of a block of threads: a batch takes whole blocks. 0: of
	// one.
	Block int
	// Calls is the time of a core that the driver's calls for a batch take. The driver makes those
	// of one batch at a time. 0: none.
	Calls time.Duration
	// Pack evaluates small batches that would wait for each other as one, as package cuda does.
	Pack bool
}

// H100 models an H100, with the network of the preset paper-alphazero (8 blocks × 128 filters on
// 5×5), inference in bf16 and training in tf32, from docs/results/gpu.md. Of commit a7da987: 5.27
// million positions a second, in rounds of 1,320. Of commit 53c81d86: 0.14 ms for a batch of up to
// 264 rows (0.136 to 0.143), and steps of 1,024 and 4,096 rows in 4.69 and 15.4 ms. How the 0.14 ms
// divide into Launch and FewRound is assumed. A batch of 4,096 rows alone takes 1.09 ms here and
// 1.29 there, where copies take longer for more rows; a step of 256 rows 2.0 ms and 2.42.
func H100() Model {
	return Model{
		Name: "H100", Slots: 1320, Rate: 5.27e6, Launch: 90 * time.Microsecond,
		Few: 264, FewRound: 50 * time.Microsecond,
		Step: 1120 * time.Microsecond, StepRate: 287_000, Rows: 512,
	}
}

// Slower returns a device that takes longer for everything, by a factor above 0. Beside it cores
// are faster by that factor: two cores are to a device that is 8 times slower what 16 are to m.
// Calls, the cores' own work, are as they were.
func (m Model) Slower(factor float64) Model {
	if factor == 1 {
		return m
	}
	m.Name = fmt.Sprintf("%s, %g times slower", m.Name, factor)
	m.Rate /= factor
	m.StepRate /= factor
	m.Launch = time.Duration(factor * float64(m.Launch))
	m.FewRound = time.Duration(factor * float64(m.FewRound))
	m.Step = time.Duration(factor * float64(m.Step))
	return m
}

// round is the time in which the device computes Slots positions.
func (m *Model) round() time.Duration { return seconds(float64(m.Slots) / m.Rate) }

// blocks returns rows in whole blocks.
func (m *Model) blocks(rows int) int {
	block := max(1, m.Block)
	return (rows + block - 1) / block * block
}

// work is the time of the whole device that rows of inference take.
func (m *Model) work(rows int) time.Duration { return seconds(float64(m.blocks(rows)) / m.Rate) }

// latency is the least time of a batch, from its start to its results.
func (m *Model) latency(rows int) time.Duration {
	if rows <= m.Few {
		return m.Launch + m.FewRound
	}
	rounds := (m.blocks(rows) + m.Slots - 1) / m.Slots
	return m.Launch + time.Duration(rounds)*m.round()
}

// step is the time of a training step.
func (m *Model) step(rows int) time.Duration { return m.Step + seconds(float64(rows)/m.StepRate) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Usage is how a device was used during some time.
type Usage struct {
	Seconds float64 `json:"seconds"`
	// share of the time in which it computed something, as nvidia-smi tells it
	Busy     float64 `json:"busy"`
	Work     float64 `json:"work"`     // share of what it could have computed in the time
	Training float64 `json:"training"` // share of the time that training steps took, in both
	Batches  int     `json:"batches"`
	Rows     int     `json:"rows"` // of all batches
	Steps    int     `json:"steps"`
}

// queue is the work that a device was given. Work is done in the order in which it comes, at the
// full rate of the device, but no batch is done before its least time is over: a batch that does
// not fill the device leaves room for others. Times are since the start.
type queue struct {
	model Model

	mu       sync.Mutex
	free     time.Duration // when what was given would be done at the full rate
	covered  time.Duration // the end of the last time in which something is computed
	busy     time.Duration // the length of the union of these times
	work     time.Duration
	training time.Duration
	since    time.Duration // of the last usage
	usage    Usage         // counts since then
}

// batch adds a batch at a time, and returns when its results are there.
func (q *queue) batch(now time.Duration, rows int) (done time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Batches++
	q.usage.Rows += rows
	w := q.model.work(rows)
	q.free = max(q.free, now) + w
	q.work += w
	done = max(q.free, now+q.model.latency(rows))
	q.cover(now+q.model.Launch/2, done-q.model.Launch/2)
	return done
}

// step adds a training step.
func (q *queue) step(now time.Duration, rows int) (done time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Steps++
	w := q.model.step(rows)
	q.free = max(q.free, now) + w
	q.work += w
	q.training += w
	q.cover(q.free-w, q.free)
	return q.free
}

// cover adds a time in which something is computed.
func (q *queue) cover(from, to time.Duration) {
	if from = max(from, q.covered); to > from {
		q.busy += to - from
		q.covered = to
	}
}

// read returns the usage since the last time, and begins anew. What was begun before and ends after
// now counts after it.
func (q *queue) read(now time.Duration) Usage {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.usage
	later := max(0, q.covered-now)
	span := now - q.since
	rest := min(q.work, max(0, q.free-now))
	u.Seconds = span.Seconds()
	if span > 0 {
		u.Busy = share(q.busy-later, span)
		u.Work = share(q.work-rest, span)
		u.Training = share(q.training, span)
	}
	q.since, q.usage, q.busy, q.work, q.training = now, Usage{}, later, rest, 0
	return u
}

func share(part, whole time.Duration) float64 {
	return min(1, max(0, part.Seconds()/whole.Seconds()))
}
