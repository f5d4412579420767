package cuda

import (
	"time"

	"tengen/nn/cuda/driver"
)

// time returns the time of a batch of rows in a tower, copies left out: the shortest of three.
func (n *network) time(rows int, size towerSize) (time.Duration, error) {
	_, w, err := n.random(checkSource()) // products of zeros would take less power and time
	if err != nil {
		return 0, err
	}
	defer w.Close()
	e := NewEvaluator(w)
	defer e.Close()
	b := e.NewBatch(rows)
	source := checkSource()
	for i := range b.Observations {
		b.Observations[i] = float32(source.IntN(2))
	}
	b.N = rows
	n.always = size
	if err := e.Evaluate(b); err != nil { // the first evaluation takes longer
		return 0, err
	}
	c, in := n.session, e.batches[b]
	in.weights, in.calls = w, n.session
	defer func() { in.weights = nil }()
	var events [2]driver.Event
	for i := range events {
		if events[i], err = c.NewEvent(true); err != nil {
			return 0, err
		}
		defer c.CloseEvent(events[i])
	}
	least := time.Duration(0)
	for range 3 {
		err := c.Record(events[0], in.stream)
		for from := 0; from < rows && err == nil; from += in.part {
			err = in.run(from, min(in.part, rows-from))
		}
		if err == nil {
			err = c.Record(events[1], in.stream)
		}
		if err == nil {
			err = c.SynchronizeEvent(events[1])
		}
		if err != nil {
			return 0, err
		}
		t, err := c.Elapsed(events[0], events[1])
		if err != nil {
			return 0, err
		}
		if least == 0 || t < least {
			least = t
		}
	}
	return least, nil
}
