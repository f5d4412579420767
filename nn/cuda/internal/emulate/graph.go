//go:build linux && (amd64 || arm64)

package emulate

import "tengen/nn/cuda/driver"

var _ driver.Grapher = (*context)(nil)

// uncaptured returns the error of a call that a capture does not permit.
func (q *queue) uncaptured(call string) error {
	if q.capturing {
		return &driver.CallError{
			Call: call, Code: codeCapturing,
			Reason: "operation not permitted when stream is capturing",
		}
	}
	return nil
}

// Capture implements driver.Grapher.
func (c *context) Capture(s driver.Stream, enqueue func() error) (driver.Graph, error) {
	begin := func() (*queue, error) {
		leave, err := c.enter("cuStreamBeginCapture")
		if err != nil {
			return nil, err
		}
		defer leave()
		q, err := c.queueOf("cuStreamBeginCapture", s)
		switch {
		case err != nil:
			return nil, err
		case s == 0:
			return nil, invalid("cuStreamBeginCapture", "the default stream")
		}
		if err := q.uncaptured("cuStreamBeginCapture"); err != nil {
			return nil, err
		}
		q.capturing = true
		return q, nil
	}
	q, err := begin()
	if err != nil {
		return 0, err
	}
	err = enqueue()
	world.Lock()
	defer world.Unlock()
	captured := q.captured
	q.capturing, q.captured = false, nil
	if err != nil {
		return 0, err
	}
	g := driver.Graph(c.handle())
	c.graphs[g] = captured
	return g, nil
}

// LaunchGraph implements driver.Grapher.
func (c *context) LaunchGraph(g driver.Graph, s driver.Stream) error {
	leave, err := c.enter("cuGraphLaunch")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuGraphLaunch", s)
	if err != nil {
		return err
	}
	all, ok := c.graphs[g]
	if !ok {
		return &driver.CallError{
			Call: "cuGraphLaunch", Code: codeInvalidHandle, Reason: "no such graph",
		}
	}
	for _, w := range all {
		if err := c.give(q, w); err != nil {
			return err
		}
		if c.lost != nil {
			return nil // a later call returns it
		}
	}
	return nil
}

// CloseGraph implements driver.Grapher.
func (c *context) CloseGraph(g driver.Graph) error {
	leave, err := c.enter("cuGraphExecDestroy")
	if err != nil {
		return err
	}
	defer leave()
	if _, ok := c.graphs[g]; !ok {
		return &driver.CallError{
			Call: "cuGraphExecDestroy", Code: codeInvalidHandle, Reason: "no such graph",
		}
	}
	delete(c.graphs, g)
	return nil
}
