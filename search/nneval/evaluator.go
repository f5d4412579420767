package nneval

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tengen/game"
	"tengen/nn"
	"tengen/search"
)

// Evaluator evaluates the requests of searches with a network. It implements
// search.Evaluator, search.Recaller and search.Starter, and is used by one
// goroutine.
type Evaluator struct {
	evaluator nn.Evaluator
	name      string    // Options.Name
	async     nn.Async  // the evaluator, if it is one; else nil
	started   bool      // the batch is in flight
	batch     *nn.Batch // the rows that the network has to compute
	size      int       // values in one observation
	planes    []int     // of the state's observation; nil: all
	whole     []float32 // the state's observation, if planes is not nil
	capacity  int
	classes   int // of a row of the batch's belief
	// of the states added, in order; the batch's own memory where direct
	evaluations search.Evaluations
	n           int     // states added
	memory      *memory // nil without a cache
	oriented    *orientation
	places      []place // [n], unless rows are the batch's
	scratch     []float32
	stats       Stats

	// OnBatch, if not nil, is called with the number of rows of each batch
	// evaluated, and the time for which Evaluate waited for it.
	OnBatch func(rows int, waited time.Duration)
}

// place says where the row of a state comes from.
type place struct {
	batch    int32 // row of the batch; known: the row is there already
	symmetry int32 // that the observation evaluated is the image under
}

const known = -1

// Options are optional steps of an Evaluator.
type Options struct {
	// Name is what errors call the network: its path, or "network of iteration 7".
	Name string
	// Cache, if not nil, has the rows of observations that were evaluated before
	// with the same Weights. Within a batch no observation is evaluated twice.
	Cache *Cache
	// Weights are those of the nn.Evaluator, where there is a cache.
	Weights nn.Network
	// Planes are those of a state's observation that the network sees (game.ObservedAs); nil: all.
	// They are not for Cache and Canonical.
	Planes []int
	// Canonical evaluates every state in its canonical orientation: the least
	// image of its observation under the game's symmetries. It changes results
	// where the network is not symmetric.
	Canonical bool
}

// Stats counts what an Evaluator has done.
type Stats struct {
	Rows    uint64 // evaluated by the network
	Lookups uint64 // in the cache
	Hits    uint64 // of these, answered without the network
}

// New makes an Evaluator of up to capacity states at a time.
func New(g game.Game, e nn.Evaluator, capacity int, o Options) *Evaluator {
	n := &Evaluator{
		evaluator:   e,
		name:        o.Name,
		batch:       e.NewBatch(capacity),
		size:        g.Planes().Size(),
		capacity:    capacity,
		evaluations: search.Evaluations{Actions: g.Actions(), Players: g.Players()},
	}
	if o.Planes != nil {
		if o.Cache != nil || o.Canonical {
			panic("nneval: a choice of planes with a cache or canonical orientations")
		}
		n.planes, n.whole = o.Planes, make([]float32, n.size)
		n.size = n.size / g.Planes().C * len(o.Planes)
	}
	n.classes = len(n.batch.Belief) / max(1, capacity)
	n.async, _ = e.(nn.Async)
	if o.Cache != nil {
		if len(n.batch.Policy) > 0 && o.Cache.actions == 0 {
			panic("nneval: a cache of values alone for a network with a policy")
		}
		n.memory = newMemory(o.Cache, o.Weights, capacity, n.size)
	}
	if o.Canonical {
		if n.oriented = newOrientation(g); len(n.oriented.symmetries) < 2 {
			n.oriented = nil
		}
	}
	if n.direct() {
		n.evaluations.Policy, n.evaluations.Values = n.batch.Policy, n.batch.Values
		return n
	}
	n.evaluations.Policy = make([]float32, len(n.batch.Policy))
	n.evaluations.Values = make([]float32, len(n.batch.Values))
	n.places = make([]place, capacity)
	n.scratch = make([]float32, max(n.size, n.evaluations.Actions+n.evaluations.Players))
	return n
}

// direct says whether row i of the evaluations is row i of the batch.
func (n *Evaluator) direct() bool { return n.memory == nil && n.oriented == nil }

// Add encodes the state into the next row of the batch, unless its evaluation is
// known. It panics where more states than the capacity are added between two calls
// of Evaluate.
func (n *Evaluator) Add(s game.State) {
	if n.n == n.capacity {
		panic("nneval: more states are added than the batch holds")
	}
	row := n.batch.N
	observation := n.batch.Observations[row*n.size : (row+1)*n.size]
	n.observe(s, observation)
	n.n++
	if n.direct() {
		n.batch.N++
		return
	}
	p := &n.places[n.n-1]
	*p = place{batch: int32(row)}
	if n.oriented != nil {
		if p.symmetry = int32(n.oriented.choose(observation)); p.symmetry != 0 {
			copy(n.scratch, observation)
			n.oriented.image(int(p.symmetry), observation, n.scratch[:n.size])
		}
	}
	if n.memory != nil {
		policy, values := n.canonicalRow(p)
		n.stats.Lookups++
		switch p.batch = n.memory.lookup(row, observation, policy, values); {
		case p.batch == known:
			n.stats.Hits++
			n.turnBack(n.n-1, policy, values)
			return
		case p.batch != int32(row):
			n.stats.Hits++
			return
		}
	}
	n.batch.N++
}

// observe writes what the network sees of a state.
func (n *Evaluator) observe(s game.State, dst []float32) {
	if n.planes == nil {
		s.Observation(dst)
		return
	}
	s.Observation(n.whole)
	SelectPlanes(dst, n.whole, n.planes)
}

// SelectPlanes copies planes of an observation to dst, which has as many.
func SelectPlanes(dst, observation []float32, planes []int) {
	cells := len(dst) / len(planes)
	for i, p := range planes {
		copy(dst[i*cells:][:cells], observation[p*cells:])
	}
}

// canonicalRow returns the memory for the network's row of the last state: the
// state's own row, or scratch where the row is of an image.
func (n *Evaluator) canonicalRow(p *place) (policy, values []float32) {
	if p.symmetry == 0 {
		return n.row(n.n - 1)
	}
	actions := 0
	if len(n.evaluations.Policy) > 0 {
		actions = n.evaluations.Actions
	}
	return n.scratch[:actions], n.scratch[actions : actions+n.evaluations.Players]
}

// row returns the memory of row i of the evaluations.
func (n *Evaluator) row(i int) (policy, values []float32) {
	r := &n.evaluations
	if len(r.Policy) > 0 {
		policy = r.Policy[i*r.Actions : (i+1)*r.Actions]
	}
	return policy, r.Values[i*r.Players : (i+1)*r.Players]
}

// turnBack writes row i, given the row of the state's image.
func (n *Evaluator) turnBack(i int, imagePolicy, imageValues []float32) {
	policy, values := n.row(i)
	if t := int(n.places[i].symmetry); t != 0 {
		n.oriented.back(t, policy, values, imagePolicy, imageValues)
		return
	}
	copy(policy, imagePolicy)
	copy(values, imageValues)
}

// Recall implements search.Recaller.
func (n *Evaluator) Recall(k int) (search.Evaluations, bool) {
	from := n.n - k
	if n.memory == nil ||
		slices.ContainsFunc(n.places[from:n.n], func(p place) bool { return p.batch != known }) {
		return search.Evaluations{}, false
	}
	evaluations := n.evaluations.Slice(from, n.n)
	n.n = from
	return evaluations, true
}

// Start implements search.Starter. It does nothing unless the evaluator is nn.Async.
func (n *Evaluator) Start() {
	if n.async != nil && !n.started && n.batch.N > 0 {
		n.async.Start(n.batch)
		n.started = true
	}
}

// Close releases the resources of the nn.Evaluator (nn.Async). Of several Evaluators
// that share it, one closes it.
func (n *Evaluator) Close() { nn.Close(n.evaluator) }

// Evaluate evaluates the states added since the last call. It returns an error that wraps
// nn.NotFiniteError if the network gives one of them an output that is NaN or infinite.
func (n *Evaluator) Evaluate() (search.Evaluations, error) {
	b := n.batch
	var waited time.Duration
	if b.N > 0 {
		var err error
		if waited, err = n.evaluate(); err != nil {
			if n.memory != nil {
				n.memory.forget(b.N)
			}
			b.N, n.n = 0, 0
			return search.Evaluations{}, err
		}
	}
	if !n.direct() {
		n.spread()
	}
	evaluated := b.N
	evaluations := n.evaluations.Slice(0, n.n)
	b.N, n.n = 0, 0
	if n.OnBatch != nil && evaluated > 0 {
		n.OnBatch(evaluated, waited)
	}
	return evaluations, nil
}

// evaluate evaluates the batch. It returns the time taken if OnBatch is set.
func (n *Evaluator) evaluate() (took time.Duration, err error) {
	n.stats.Rows += uint64(n.batch.N)
	if n.OnBatch == nil {
		return 0, n.compute()
	}
	began := time.Now()
	err = n.compute()
	return time.Since(began), err
}

// compute evaluates the batch, or waits for it if it was started. Outputs that are not finite are
// an error: no search can go on from them, and what it would play is not what the network has
// learned.
func (n *Evaluator) compute() error {
	var err error
	if n.started {
		n.started = false
		err = n.async.Wait(n.batch)
	} else {
		err = n.evaluator.Evaluate(n.batch)
	}
	if err != nil {
		return err
	}
	if err := n.batch.CheckFinite(n.evaluations.Actions, n.evaluations.Players,
		n.classes); err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	return nil
}

// spread copies the rows of the batch to the evaluations and to the cache.
func (n *Evaluator) spread() {
	b, r := n.batch, &n.evaluations
	row := func(j int) (policy, values []float32) {
		if len(b.Policy) > 0 {
			policy = b.Policy[j*r.Actions : (j+1)*r.Actions]
		}
		return policy, b.Values[j*r.Players : (j+1)*r.Players]
	}
	if n.memory != nil {
		for j := range b.N {
			policy, values := row(j)
			n.memory.keep(j, policy, values)
		}
		n.memory.forget(b.N)
	}
	for i, p := range n.places[:n.n] {
		if p.batch != known {
			policy, values := row(int(p.batch))
			n.turnBack(i, policy, values)
		}
	}
}

// Stats returns the counts so far.
func (n *Evaluator) Stats() Stats { return n.stats }

// orientation maps observations to their canonical images, and rows back.
type orientation struct {
	symmetries []game.Symmetry
	sources    [][]int32 // [symmetries][size]: image value i is observation value sources[i]
	left       []int     // scratch: symmetries whose images are equal so far
}

func newOrientation(g game.Game) *orientation {
	o := &orientation{}
	if s, ok := g.(game.Symmetric); ok {
		o.symmetries = s.Symmetries()
	}
	shape := g.Planes()
	cells := shape.H * shape.W
	for _, t := range o.symmetries {
		source := make([]int32, shape.Size())
		for p, q := range t.Planes {
			for i, j := range t.Cells {
				source[q*cells+j] = int32(p*cells + i)
			}
		}
		o.sources = append(o.sources, source)
	}
	o.left = make([]int, 0, len(o.symmetries))
	return o
}

// choose returns the symmetry with an observation's least image, compared value by
// value by their bits; the first of several with the same image.
func (o *orientation) choose(observation []float32) int {
	if len(o.symmetries) < 2 {
		return 0
	}
	left := o.left[:0]
	for t := range o.symmetries {
		left = append(left, t)
	}
	for i := range observation {
		least := uint32(math.MaxUint32)
		n := 0
		for _, t := range left {
			v := math.Float32bits(observation[o.sources[t][i]])
			if v < least {
				least, n = v, 0
			}
			if v == least {
				left[n] = t
				n++
			}
		}
		if left = left[:n]; n == 1 {
			break
		}
	}
	return left[0]
}

// image writes the image of the observation under symmetry t to dst.
func (o *orientation) image(t int, dst, observation []float32) {
	for i, j := range o.sources[t] {
		dst[i] = observation[j]
	}
}

// back writes the row of an observation to policy and values, given the row of its
// image under symmetry t.
func (o *orientation) back(t int, policy, values, imagePolicy, imageValues []float32) {
	s := &o.symmetries[t]
	if len(imagePolicy) > 0 {
		for a, b := range s.Actions {
			policy[a] = imagePolicy[b]
		}
	}
	for p, q := range s.Players {
		values[p] = imageValues[q]
	}
}
