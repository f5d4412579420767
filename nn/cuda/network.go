package cuda

import (
	"errors"
	"sync/atomic"
	"time"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// network holds the kernels that evaluate networks of one shape in one precision.
type network struct {
	device  *Device
	session Session
	plan    *kernels.Inference
	modules []driver.Module
	packs   *Queue
	batches atomic.Int64 // of evaluators
	canary  canary

	tower, heads, values driver.Function // or, with values:
	few                  driver.Function // kernel tower of the plan Few; 0 without one
	always               towerSize       // whichever tower the rows would get
	// for fp32 hidden is the kernel layer
	planes, layer, maps, policy, hidden driver.Function
	// with General, layer is the blocks'; wide is 0 without General.Wide
	stem, wide driver.Function
}

// hasPolicy reports whether the network has a policy head.
func (n *network) hasPolicy() bool { return n.plan.Heads.Maps > 0 }

// compile compiles a plan's kernels and looks them up.
func (d *Device) compile(plan *kernels.Inference) (*network, error) {
	n := &network{device: d, session: d.Session(), plan: plan}
	n.packs = n.newPacks()
	n.canary.due.Store(time.Now().Add(canaryEvery).UnixNano())
	if err := n.find(); err != nil {
		if driver.Lost(err) {
			return nil, err
		}
		return nil, errors.Join(err, n.unload())
	}
	return n, nil
}

// add compiles a source and returns its kernels by name, with the dynamic shared memory of their
// launches.
func (n *network) add(
	s driver.Source,
) (func(f *driver.Function, name string, shared int) error, error) {
	module, err := n.device.Compile(s)
	if err != nil {
		return nil, err
	}
	n.modules = append(n.modules, module)
	return func(f *driver.Function, name string, shared int) error {
		var err error
		if *f, err = n.session.Function(module, name); err != nil {
			return err
		}
		if shared > 48<<10 {
			if err = n.session.AllowShared(*f, shared); err != nil {
				return err
			}
		}
		if info, e := n.session.FunctionInfo(*f); e == nil && info.Local > 0 {
			n.device.o.Log.Warn("a kernel keeps some of its registers in memory", "kernel",
				name, "way", string(n.plan.Way), "bytes", info.Local)
		}
		return nil
	}, nil
}

// find compiles all sources and looks up the kernels.
func (n *network) find() error {
	if n.plan.General != nil {
		return n.findGeneral()
	}
	if n.plan.Layered != nil {
		return n.findLayered()
	}
	find, err := n.add(n.plan.Source())
	if err == nil {
		err = find(&n.tower, "tower", n.plan.Tower.Shared)
	}
	if err == nil {
		find, err = n.add(kernels.HeadsSource(n.plan.Precision))
	}
	if err == nil {
		err = errors.Join(find(&n.heads, "heads", n.plan.Heads.Grid(1, 1).Shared),
			find(&n.values, "values", 0))
	}
	if err != nil {
		return err
	}
	return n.findFew()
}

// findLayered is find for kernels.Layers.
func (n *network) findLayered() error {
	find, err := n.add(n.plan.Source())
	if err != nil {
		return err
	}
	err = errors.Join(find(&n.planes, "planes", 0), find(&n.layer, "layer", 0),
		find(&n.maps, "maps", 0), find(&n.values, "values", 0))
	if n.plan.Heads.Maps > 0 {
		err = errors.Join(err, find(&n.policy, "policy", 0))
	}
	n.hidden = n.layer
	return err
}

// findGeneral is find for kernels that serve every shape.
func (n *network) findGeneral() error {
	g := n.plan.General
	own, err := n.add(g.Source())
	if err == nil {
		err = errors.Join(own(&n.planes, "planes", 0), own(&n.maps, "maps", 0))
	}
	if err != nil {
		return err
	}
	heads, err := n.add(kernels.LayeredSource())
	if err == nil && n.plan.Heads.Maps > 0 {
		err = heads(&n.policy, "policy", 0)
	}
	if err == nil {
		err = heads(&n.values, "values", 0)
	}
	for _, x := range []struct {
		to      *driver.Function
		product *kernels.Product
	}{{&n.stem, g.Stem}, {&n.layer, g.Block}, {&n.hidden, g.Hidden}} {
		if err != nil || x.product == nil {
			continue
		}
		var find func(*driver.Function, string, int) error
		if find, err = n.add(x.product.Source); err == nil {
			err = find(x.to, "product", x.product.Shared)
		}
	}
	if err != nil || g.Wide == nil {
		return err
	}
	find, err := n.add(g.Wide.Source)
	if err == nil {
		err = find(&n.wide, "product", g.Wide.Shared)
	}
	if driver.Lost(err) {
		return err
	}
	if err != nil { // the others serve as well: there is no compiler, for one
		n.wide = 0
		n.device.o.Log.Info("inference: a kernel is left out", "kernel", "product", "why", err)
	}
	return nil
}

// unload unloads the kernels.
func (n *network) unload() error {
	var errs []error
	for _, m := range n.modules {
		errs = append(errs, n.session.Unload(m))
	}
	return errors.Join(errs...)
}
