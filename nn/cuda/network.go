package cuda

import (
	"errors"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// network holds the kernels that evaluate networks of one shape in one precision.
type network struct {
	device  *Device
	session Session
	plan    *kernels.Inference
	module  driver.Module

	tower                  driver.Function // or:
	planes, layer, maps    driver.Function
	policy, hidden, values driver.Function // policy is 0 without a policy head; for fp32 hidden is the kernel layer
}

// compile compiles a plan's kernels and looks them up.
func (d *Device) compile(plan *kernels.Inference) (*network, error) {
	module, err := d.Compile(plan.Source())
	if err != nil {
		return nil, err
	}
	session := d.Session()
	n := &network{device: d, session: session, plan: plan, module: module}
	find := func(f *driver.Function, name string, shared int) {
		if err != nil {
			return
		}
		if *f, err = session.Function(module, name); err != nil {
			return
		}
		if shared > 48<<10 {
			if err = session.AllowShared(*f, shared); err != nil {
				return
			}
		}
		if info, e := session.FunctionInfo(*f); e == nil && info.Local > 0 {
			d.o.Log.Warn("a kernel keeps some of its registers in memory", "kernel", name, "way", string(plan.Way), "bytes", info.Local)
		}
	}
	if plan.Tower != nil {
		find(&n.tower, "tower", plan.Tower.Shared)
	} else {
		find(&n.planes, "planes", 0)
		find(&n.layer, "layer", 0)
		find(&n.maps, "maps", 0)
	}
	switch {
	case plan.Heads.Maps > 0 && plan.Layered != nil:
		find(&n.policy, "policy", 0)
	case plan.Heads.Maps > 0:
		find(&n.policy, "policy", plan.Heads.PolicyGrid(1).Shared)
	}
	if plan.Layered != nil {
		n.hidden = n.layer
	} else {
		find(&n.hidden, "hidden", plan.Heads.HiddenGrid(1).Shared)
	}
	find(&n.values, "values", 0)
	if err != nil {
		return nil, errors.Join(err, n.unload())
	}
	return n, nil
}

// unload unloads the kernels.
func (n *network) unload() error { return n.session.Unload(n.module) }
