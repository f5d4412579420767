package training

import (
	"fmt"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// again adds the launches that exchange what a step changes with the kept copy, and that compare
// it and a step's results with the copies.
func (b *builder) again() {
	differ := b.flag(flagAgain)
	kept := b.kept
	for _, a := range b.changed(&b.buffers) {
		n := a.bytes / 4
		b.to = &b.programs.exchange
		b.each(kernels.TrainCheck, "exchange", n,
			driver.NewArgs().Ptr(*a.at).Ptr(kept).Int64(int64(n)))
		b.to = &b.programs.compare
		b.each(kernels.TrainCheck, "compare", n,
			driver.NewArgs().Ptr(*a.at).Ptr(kept).Int64(int64(n)).Ptr(differ))
		kept += driver.Ptr(a.bytes)
	}
	b.each(kernels.TrainCheck, "compare", resultStopped/4, driver.NewArgs().
		Ptr(b.output).Ptr(b.keptOutput).Int64(int64(resultStopped/4)).Ptr(differ))
}

// keepState enqueues the copy of what a step changes.
func (t *Trainer) keepState() error {
	kept := t.buffers.kept
	for _, a := range t.plan.changed(&t.buffers) {
		if err := t.session.Copy(kept, *a.at, a.bytes, t.stream); err != nil {
			return err
		}
		kept += driver.Ptr(a.bytes)
	}
	return nil
}

// takeTwice enqueues a step with the batch that was sent, and the same step again from the same
// state. If its results, the parameters, moments or averages have other bits than the first time,
// a flag is set.
func (t *Trainer) takeTwice(changes *bool) error {
	for _, call := range []func() error{
		t.keepState,
		func() error { return t.takeStep(changes) },
		func() error {
			*changes = true
			return t.session.Copy(t.buffers.keptOutput, t.buffers.output, resultStopped, t.stream)
		},
		func() error { return t.programs.exchange.run(t.session, t.stream) },
		func() error { var again bool; return t.takeStep(&again) },
		func() error { return t.programs.compare.run(t.session, t.stream) },
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// computesWrongly is the error that a step of the run had other results when it was taken again.
// The device is as good as lost.
func (t *Trainer) computesWrongly(step int) error {
	info := t.device.Info()
	since := max(0, step-againSteps)
	return &driver.LostError{
		Device: info.Name, Call: fmt.Sprintf("training step %d, taken twice", step),
		Reason: fmt.Sprintf("other results the second time: the device computes wrongly, and what it learned since step %d may be wrong; resume from a checkpoint of step %d or before, on another device", since, since),
	}
}
