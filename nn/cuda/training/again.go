package training

import (
	"fmt"
	"strings"

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
func (x *part) keepState() error {
	kept := x.buffers.kept
	for _, a := range x.plan.changed(&x.buffers) {
		if err := x.session.Copy(kept, *a.at, a.bytes, x.stream); err != nil {
			return err
		}
		kept += driver.Ptr(a.bytes)
	}
	return nil
}

// exchange enqueues the copy of a step's results, and the exchange of what it has changed with the
// kept state. It clears the gradients, so that what the second step leaves out shows.
func (x *part) exchange() error {
	err := x.session.Copy(x.buffers.keptOutput, x.buffers.output, resultStopped, x.stream)
	if err == nil {
		err = x.programs.exchange.run(x.session, x.stream)
	}
	if err == nil {
		err = x.session.Fill(x.buffers.gradients, 0, 4*x.plan.layout.learned, x.stream)
	}
	return err
}

// takeTwice enqueues a step with the batch that was sent, and the same step again from the same
// state. If its results, the parameters, moments or averages have other bits than the first time,
// a flag is set.
func (t *Trainer) takeTwice(changes *bool) error {
	for _, call := range []func() error{
		func() error { return t.all((*part).keepState) },
		func() error { return t.takeStep(changes) },
		func() error {
			*changes = true
			return t.all((*part).exchange)
		},
		func() error { var again bool; return t.takeStep(&again) },
		func() error {
			return t.all(func(x *part) error {
				return x.programs.compare.run(x.session, x.stream)
			})
		},
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// wrong returns an error if a step of the run had other results when it was taken again. The device
// is as good as lost. Of several, a wrong gradient of one makes all wrong: it is not known then
// which one it is.
func (t *Trainer) wrong(step int) error {
	var list []*part
	for _, x := range t.parts {
		if x.outputs[(step-1)%ahead].differs() {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil
	}
	info := list[0].device.Info()
	since := max(0, step-againSteps)
	call := fmt.Sprintf("training step %d, taken twice", step)
	reason := fmt.Sprintf("other results the second time: the device computes wrongly, and what it learned since step %d may be wrong; resume from a checkpoint of step %d or before, on another device", since, since)
	if len(list) > 1 {
		return fmt.Errorf("%s on %d devices: %s", call, len(t.parts),
			strings.Replace(reason, "the device computes", "one of them computes", 1))
	}
	return t.of(list[0], &driver.LostError{Device: info.Name, Call: call, Reason: reason})
}
