package cuda

// Packs of small batches. A pack has as many rows as a worker's full batch, but no more than
// mostPackBytes of observations, and batches up to a quarter of it may be packed: copying more rows
// costs the host more than the driver's calls do.
const (
	packRows      = 512
	mostPackBytes = 4 << 20
)

// newPacks returns the queue of a network's batches.
func (n *network) newPacks() *Queue {
	s := &n.plan.Spec
	rows := max(1, min(packRows, mostPackBytes/(4*s.Planes*s.Cells())))
	q := &Queue{
		Rows: rows, Small: rows / 4, Block: 1, Most: 2 * n.plan.Round(&n.device.info),
		NewPack: func() (Launch, error) {
			policy := 0
			if n.hasPolicy() {
				policy = rows * s.Actions
			}
			b, err := newBatch(n, rows, rows*s.Planes*s.Cells(), policy, rows*s.Players)
			if err != nil {
				return nil, err
			}
			return b, nil
		},
		SetPack: func(pack Launch, weights any) {
			pack.(*batch).weights, _ = weights.(*Weights)
		},
	}
	if n.plan.Tower != nil {
		q.Block = n.plan.Tower.Positions
	}
	return q
}

// join counts a batch of an evaluator, leave counts it off. Packs are kept while there are any.
func (n *network) join() { n.batches.Add(1) }

func (n *network) leave() {
	if n.batches.Add(-1) > 0 {
		return
	}
	for _, p := range n.packs.Drain() {
		p.(*batch).free()
	}
}

var _ Packable = (*batch)(nil)

// Weights implements Packable.
func (b *batch) Weights() any { return b.weights }

// Wait implements Launch.
func (b *batch) Wait() error {
	defer b.land()
	if b.few || b.rows <= polledRows {
		if done, err := b.poll(); done || err != nil {
			return err
		}
	}
	return b.network.session.SynchronizeEvent(b.done)
}

// Done implements Launch.
func (b *batch) Done() (bool, error) {
	done, err := b.network.session.Done(b.done)
	if done || err != nil {
		b.land()
	}
	return done, err
}

// Put implements Packable.
func (b *batch) Put(pack Launch, at, rows int) {
	s := &b.network.plan.Spec
	row := 4 * s.Planes * s.Cells()
	copy(pack.(*batch).observations[at*row:], b.observations[:rows*row])
}

// Get implements Packable.
func (b *batch) Get(pack Launch, at, rows int) {
	p, s := pack.(*batch), &b.network.plan.Spec
	if b.network.hasPolicy() {
		copy(b.results[:4*rows*s.Actions], p.results[4*at*s.Actions:])
	}
	copy(b.results[b.values:b.values+4*rows*s.Players], p.results[p.values+4*at*s.Players:])
}
