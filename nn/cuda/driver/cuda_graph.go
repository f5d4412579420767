//go:build gpu && linux

package driver

import (
	"fmt"
	"unsafe"
)

// captureRelaxed (CU_STREAM_CAPTURE_MODE_RELAXED) lets any goroutine make any call during a
// capture, and the calls of a capture come from any thread.
const captureRelaxed = 2

var _ Grapher = (*cudaContext)(nil)

// graphs returns an error if the driver has no graphs.
func (x *cudaContext) graphs() error {
	for name, p := range x.optional() {
		if *p == 0 {
			return &LibraryError{
				Library: cudaLibraries[0], Missing: name, Advice: "a newer driver has graphs",
			}
		}
	}
	return nil
}

// Capture implements Grapher.
func (x *cudaContext) Capture(s Stream, enqueue func() error) (Graph, error) {
	if err := x.graphs(); err != nil {
		return 0, err
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	err := x.check("cuStreamBeginCapture", call(x.cuStreamBeginCapture, uintptr(s), captureRelaxed))
	x.leave()
	if err != nil {
		return 0, err
	}
	made := enqueue()
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var graph, exec uintptr
	err = x.check("cuStreamEndCapture",
		call(x.cuStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&graph))))
	if made != nil {
		err = made // the end of the capture only repeats it
	}
	if err == nil && graph == 0 {
		err = &CallError{Call: "cuStreamEndCapture", Code: 901, Reason: "there is no graph"}
	}
	if err == nil {
		err = x.check("cuGraphInstantiateWithFlags",
			call(x.cuGraphInstantiate, uintptr(unsafe.Pointer(&exec)), graph, 0))
	}
	if graph != 0 {
		if e := x.check("cuGraphDestroy", call(x.cuGraphDestroy, graph)); err == nil {
			err = e
		}
	}
	if err != nil {
		if exec != 0 {
			call(x.cuGraphExecDestroy, exec)
		}
		return 0, fmt.Errorf("capture a graph: %w", err)
	}
	x.keep(graphKind, exec)
	return Graph(exec), nil
}

// LaunchGraph implements Grapher.
func (x *cudaContext) LaunchGraph(g Graph, s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuGraphLaunch", call4(x.cuGraphLaunch, uintptr(g), uintptr(s), 0, 0))
}

// CloseGraph implements Grapher.
func (x *cudaContext) CloseGraph(g Graph) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	x.forget(graphKind, uintptr(g))
	return x.check("cuGraphExecDestroy", call(x.cuGraphExecDestroy, uintptr(g)))
}
