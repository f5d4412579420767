package cuda

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// timed is a plan whose kernels agree with the processor, and their time per position.
type timed struct {
	plan *kernels.Inference
	time time.Duration // 0 if not measured
}

// choose tries the plans for a network's shape on a context of its own and returns the fastest
// whose results agree with the processor's. It stores the choice in the cache folder, unless a
// faster plan could not be tried.
func (d *Device) choose(spec nn.Spec, precision kernels.Precision) (*network, error) {
	plans, err := d.plans(spec, precision)
	if err != nil {
		return nil, err
	}
	if d.o.Unchecked && d.candidates() == 1 { // nothing runs
		return d.first(plans)
	}
	trials := &trials{of: d}
	defer trials.close()
	file := d.choiceFile(plans)
	if kept := d.keptChoice(file, plans); kept != nil {
		if _, err := trials.run(kept, false); err == nil {
			d.logChoice(timed{plan: kept}, "kept")
			trials.close()
			return d.compile(kept)
		}
		// if it fails again, the loop below reports it
	}
	var best timed
	var passed []error
	var bad kernels.Way // way whose kernels lost the device
	settled := true     // every plan was tried
plans:
	for _, plan := range plans {
		if best.plan != nil && (d.candidates() == 1 || sureOf(best.plan, plan.Way)) {
			break // nothing left to compare with, or no measurements wanted
		}
		if plan.Way == bad {
			continue
		}
		t, err := trials.run(plan, d.candidates() > 1 && plan.Way != kernels.Layers)
		if err == nil {
			only := best.plan == nil
			if only || faster(t, best) {
				best = t
			}
			if from, _ := d.from.Load(choiceKey(plan)); only && from == fromAhead {
				settled = false // nothing else is compiled
				break plans
			}
			continue
		}
		switch {
		case errors.Is(err, errPassing) || errors.As(err, new(*driver.LibraryError)):
			settled = false
		case !kernelsFault(err):
			return nil, fmt.Errorf("try kernels (%s): %w", plan.Way, err)
		}
		d.logPassed(plan, err)
		if driver.Lost(err) {
			bad = plan.Way
			trials.close()
			if e := d.Survived(); e != nil {
				return nil, fmt.Errorf("try kernels (%s): %w; %w", plan.Way, err, e)
			}
			err = TrialLost(err)
		}
		passed = append(passed, fmt.Errorf("%s: %w", plan.Way, err))
	}
	if best.plan == nil {
		return nil, passedOver(passed)
	}
	trials.close()
	d.logChoice(best, "")
	if settled {
		d.keepChoice(file, best.plan)
	}
	return d.compile(best.plan)
}

// sureOf reports whether a plan is faster than those of a way without a measurement.
func sureOf(plan *kernels.Inference, way kernels.Way) bool {
	switch way {
	case kernels.AnyWGMMA:
		return plan.Way == kernels.WGMMA
	case kernels.AnyShape:
		return plan.Tower != nil
	}
	return way == kernels.Layers
}

// fromAhead is driver.Cache's word for an image that was compiled ahead.
const fromAhead = "compiled ahead"

// first returns the first plan that compiles.
func (d *Device) first(plans []*kernels.Inference) (*network, error) {
	var passed []error
	for _, plan := range plans {
		n, err := d.compile(plan)
		if err == nil {
			d.logChoice(timed{plan: plan}, "")
			return n, nil
		}
		if !kernelsFault(err) && !errors.As(err, new(*driver.LibraryError)) || driver.Lost(err) {
			return nil, fmt.Errorf("compile kernels (%s): %w", plan.Way, err)
		}
		passed = append(passed, fmt.Errorf("%s: %w", plan.Way, err))
		d.logPassed(plan, err)
	}
	return nil, passedOver(passed)
}

// passedOver is the error that no kernels are left, in one line.
type passedOver []error

func (p passedOver) Error() string {
	var reasons []string
	for _, err := range p {
		if text := err.Error(); !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	return "no kernels can be used: " + strings.Join(reasons, "; ")
}

// Unwrap returns why each plan was passed over.
func (p passedOver) Unwrap() []error { return p }

// TrialLost returns the error of kernels that lost a trial's context, and with it nothing else: the
// device can be used, so that driver.Lost is false of it.
func TrialLost(err error) error { return fmt.Errorf("kernels that can't be trusted: %v", err) }

// logPassed logs that kernels are passed over: a warning, unless all that is missing is the
// compiler.
func (d *Device) logPassed(plan *kernels.Inference, err error) {
	level := slog.LevelWarn
	if errors.As(err, new(*driver.LibraryError)) {
		level = slog.LevelInfo
	}
	d.o.Log.Log(context.Background(), level, "kernels passed over", "device", d.info.Name, "way",
		string(plan.Way), "err", err)
}

// run tries a plan, and times it if that is wanted. A plan whose tower for few rows can't be
// trusted goes without it from then on.
func (t *trials) run(plan *kernels.Inference, measured bool) (timed, error) {
	r, err := t.once(plan, measured)
	var few *fewError
	if !errors.As(err, &few) || !errors.Is(err, errPassing) && !kernelsFault(err) {
		return r, err
	}
	t.of.logPassed(plan, err)
	plan.Few = nil
	if driver.Lost(err) {
		t.close()
		if err := t.of.Survived(); err != nil {
			return timed{}, err
		}
	}
	return t.once(plan, measured)
}

// once is run for all of a plan.
func (t *trials) once(plan *kernels.Inference, measured bool) (timed, error) {
	device, err := t.open()
	if err != nil {
		return timed{}, fmt.Errorf("open a context for trials: %w", err)
	}
	n, err := device.try(plan)
	if err != nil {
		return timed{}, err
	}
	r := timed{plan: plan}
	if measured {
		rows := 2 * plan.Round(&device.info)
		r.time, err = n.time(rows, largeTower)
		if r.time /= time.Duration(rows); err == nil {
			device.o.Log.Info("kernels measured", "way", string(plan.Way), "plan",
				plan.Describe(&device.info), "a_position", r.time)
		}
	}
	if err == nil && n.few != 0 && !device.info.Emulated { // emulated times mean nothing
		err = n.measureFew()
	}
	if !driver.Lost(err) {
		err = errors.Join(err, n.unload())
	}
	return r, err
}

// measureFew times a row in both towers. Where that for few rows is slower, the plan goes without.
func (n *network) measureFew() error {
	large, err := n.time(1, largeTower)
	if err != nil {
		return err
	}
	few, err := n.time(1, fewTower)
	if err != nil {
		return err
	}
	n.device.o.Log.Info("kernels for few rows measured", "way", string(n.plan.Way), "a_row", few,
		"a_row_among_many", large)
	if few > large {
		n.plan.Few = nil
	}
	return nil
}

// kernelsFault reports whether an error is due to the kernels themselves, so that it would come
// again: they do not compile, do not load, can't be launched, disagree, or lose the device. Other
// errors, such as a lack of memory, say nothing about them.
func kernelsFault(err error) bool {
	var call *driver.CallError
	switch {
	case errors.Is(err, errDisagrees), errors.As(err, new(*driver.CompileError)), driver.Lost(err):
		return true
	case errors.As(err, &call):
		switch call.Code {
		case 1, 200, 209, 218, 222, 301, 500, 701:
			// value, image, no binary, PTX, PTX's version, file, not found, resources
			return true
		}
	}
	return false
}

// faster reports whether t should replace the best so far. Another way has other last bits, so it
// must be clearly faster: equal devices should make equal choices.
func faster(t, best timed) bool {
	if t.plan.Way != best.plan.Way {
		return t.time < best.time*9/10
	}
	return t.time < best.time
}

// logChoice logs the plan in use.
func (d *Device) logChoice(t timed, how string) {
	p := t.plan
	args := []any{"device", d.info.Name, "network",
		fmt.Sprintf("%s on %d × %d", p.Spec.Size(), p.Spec.Height, p.Spec.Width),
		"way", string(p.Way), "plan", p.Describe(&d.info)}
	if t.time > 0 {
		args = append(args, "a_position", t.time)
	}
	if how != "" {
		args = append(args, "choice", how)
	}
	if from, ok := d.from.Load(choiceKey(p)); ok {
		args = append(args, "kernels", from)
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

// plans returns the plans to try: those that were compiled ahead, then the fastest way first.
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
	// What was compiled ahead comes first, so that nothing is compiled for it.
	slices.SortStableFunc(all, func(p, q *kernels.Inference) int { return d.ahead(q) - d.ahead(p) })
	return all, nil
}

// ahead returns 1 for a plan whose kernels were compiled ahead for its shape, otherwise 0.
func (d *Device) ahead(p *kernels.Inference) int {
	s := p.Source()
	if p.Tower != nil && d.o.Ahead.Has(&s, d.info) {
		return 1
	}
	return 0
}

// try compiles a plan and compares its results with the processor's.
func (d *Device) try(plan *kernels.Inference) (*network, error) {
	n, err := d.compile(plan)
	if err == nil && !d.o.Unchecked {
		if plan.Way == kernels.Layers {
			err = n.check()
		} else {
			err = d.recorded(plan.Source(), n.check)
		}
		if err == nil && n.few != 0 {
			if err = d.recorded(plan.FewSource(), n.checkFew); err != nil {
				err = &fewError{err}
			}
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

// recorded checks kernels that may never have run, with a record on disk.
func (d *Device) recorded(s driver.Source, check func() error) error {
	end, err := d.beginTrial(s)
	if err == nil {
		err = check()
		end(err)
	}
	return err
}
