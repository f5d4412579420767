package training

import (
	"errors"

	"tengen/nn/cuda/driver"
)

// graph is a row of calls that is captured when it is made for the second time, and is then
// enqueued by one call. The first time shows errors of its kernels, and loads them.
type graph struct {
	graph driver.Graph
	of    graphKey
	warm  bool // the calls of the key were made once
}

// graphKey is all that captured calls refer to: the kernels' arguments in programs change only with
// it.
type graphKey struct {
	buffers  buffers
	program  *launch
	launches int
}

// key returns the key of a program's calls.
func (t *part) key(p program) graphKey {
	k := graphKey{buffers: t.buffers, launches: len(p)}
	if len(p) > 0 {
		k.program = &p[0]
	}
	return k
}

// enqueue makes the calls of a program by one launch of its graph, or one by one where there is no
// graph.
func (t *part) enqueue(g *graph, p program, calls func() error) error {
	if t.plan.ungraphed {
		return calls()
	}
	if key := t.key(p); g.of != key {
		t.dropGraph(g)
		g.of = key
	}
	if !g.warm {
		err := calls()
		g.warm = err == nil
		return err
	}
	grapher, ok := t.session.Context.(driver.Grapher)
	err := error(&driver.LibraryError{
		Library: "the driver", Missing: "graphs", Advice: "a newer one has them",
	})
	if ok {
		if g.graph == 0 {
			g.graph, err = grapher.Capture(t.stream, calls)
		} else {
			err = nil
		}
		if err == nil {
			err = grapher.LaunchGraph(g.graph, t.stream)
		}
	}
	if err == nil || driver.Lost(err) {
		return err
	}
	info := t.device.Info()
	t.device.Options().Log.Info("training: kernels are launched one by one", "device",
		info.Name, "why", err)
	t.plan.ungraphed = true
	t.dropGraph(g)
	return calls()
}

// dropGraph closes a graph, if there is one.
func (t *part) dropGraph(g *graph) {
	if g.graph != 0 {
		_ = t.session.Context.(driver.Grapher).CloseGraph(g.graph) // nothing depends on it
	}
	*g = graph{}
}

// errGraph reports that a graph can't be trusted.
var errGraph = errors.New("a captured step's results differ from those of its launches")
