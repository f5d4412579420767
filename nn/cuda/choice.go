package cuda

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// timed holds kernels that agree with the processor, and their time per position.
type timed struct {
	network *network
	time    time.Duration // 0 if not measured
}

// choose compiles the plans for a network's shape and returns the fastest whose results agree
// with the processor's. It stores the choice in the cache folder.
func (d *Device) choose(spec nn.Spec, precision kernels.Precision) (*network, error) {
	plans, err := d.plans(spec, precision)
	if err != nil {
		return nil, err
	}
	file := d.choiceFile(plans)
	if kept := d.keptChoice(file, plans); kept != nil {
		if n, err := d.try(kept); err == nil {
			d.logChoice(timed{network: n}, "kept")
			return n, nil
		}
		// if it fails again, the loop below reports it
	}
	var best timed
	var passed []error
	var bad kernels.Way // way whose kernels lost the device
	for _, plan := range plans {
		if best.network != nil && (plan.Way == kernels.Layers || d.candidates() == 1) {
			break // nothing left to compare with, or no measurements wanted
		}
		if plan.Way == bad {
			continue
		}
		n, err := d.try(plan)
		var t timed
		if err == nil {
			t = timed{network: n}
			if d.candidates() > 1 && plan.Way != kernels.Layers {
				if t.time, err = n.time(); err == nil {
					d.o.Log.Info("kernels measured", "way", string(plan.Way), "plan", plan.Describe(&d.info), "a_position", t.time)
				} else if !driver.Lost(err) {
					err = errors.Join(err, n.unload())
				}
			}
		}
		if err != nil {
			passed = append(passed, fmt.Errorf("%s: %w", plan.Way, err))
			d.o.Log.Warn("kernels passed over", "device", d.info.Name, "way", string(plan.Way), "err", err)
		} else {
			worse := t
			if best.network == nil || faster(t, best) {
				worse, best = best, t
			}
			if worse.network != nil {
				err = worse.network.unload()
			}
		}
		if !driver.Lost(err) {
			continue
		}
		bad = plan.Way
		if e := d.Reopen(); e != nil {
			return nil, fmt.Errorf("try kernels (%s): %w; the device can't be opened again: %w", plan.Way, err, e)
		}
		if best.network != nil { // it was lost with the context
			if best.network, err = d.try(best.network.plan); err != nil {
				return nil, fmt.Errorf("compile kernels again: %w", err)
			}
		}
	}
	if best.network == nil {
		return nil, errors.Join(passed...)
	}
	d.logChoice(best, "")
	d.keepChoice(file, best.network.plan)
	return best.network, nil
}

// faster reports whether t should replace the best so far. Another way has other last bits, so it
// must be clearly faster: equal devices should make equal choices.
func faster(t, best timed) bool {
	if t.network.plan.Way != best.network.plan.Way {
		return t.time < best.time*9/10
	}
	return t.time < best.time
}

// logChoice logs the plan in use.
func (d *Device) logChoice(t timed, how string) {
	p := t.network.plan
	args := []any{"device", d.info.Name, "network", fmt.Sprintf("%d blocks × %d filters on %d × %d", p.Spec.Blocks, p.Spec.Filters, p.Spec.Height, p.Spec.Width),
		"way", string(p.Way), "plan", p.Describe(&d.info)}
	if t.time > 0 {
		args = append(args, "a_position", t.time)
	}
	if how != "" {
		args = append(args, "choice", how)
	}
	d.o.Log.Info("inference", args...)
}

// candidates returns the number of plans to try of the first way; one less is tried of the
// others.
func (d *Device) candidates() int {
	if d.o.Candidates > 0 {
		return d.o.Candidates
	}
	if d.info.Emulated {
		return 1 // emulated times mean nothing
	}
	return 3
}

// plans returns the plans to try, the fastest way first.
func (d *Device) plans(spec nn.Spec, precision kernels.Precision) ([]*kernels.Inference, error) {
	var all []*kernels.Inference
	for _, way := range kernels.Ways(spec, precision, &d.info) {
		if d.o.Ways != nil && way != kernels.Layers && !slices.Contains(d.o.Ways, way) {
			continue
		}
		most := d.candidates()
		if len(all) > 0 {
			most = max(1, most-1)
		}
		plans, err := kernels.Candidates(spec, precision, way, most, &d.info)
		if err != nil {
			return nil, err
		}
		all = append(all, plans...)
	}
	return all, nil
}

// try compiles a plan and compares its results with the processor's.
func (d *Device) try(plan *kernels.Inference) (*network, error) {
	n, err := d.compile(plan)
	if err == nil && !d.o.Unchecked {
		var end func(error)
		if end, err = d.beginTrial(plan); err == nil {
			err = n.check()
			end(err)
		}
		if err != nil && !driver.Lost(err) {
			err = errors.Join(err, n.unload())
		}
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}
