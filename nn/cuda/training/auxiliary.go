package training

import (
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// auxiliary holds the arrays of the auxiliary heads.
type auxiliary struct {
	cellStarts, factStarts driver.Ptr // see starts
	cells                  driver.Ptr // logits [positions][classes], then their gradients
	means                  driver.Ptr // the trunk's over cells [rows][filters]
	seats                  driver.Ptr // numbers [rows][Players·Seats], then their gradients
	belief, dBelief        driver.Ptr // logits, then probabilities [rows][classes]
	cellLosses, seatLosses driver.Ptr // [rows]
	beliefMeasures         driver.Ptr // [rows][beliefMeasures]
}

// starts returns where the classes of each target start among those of all, and their number.
func starts(classes []int) []int32 {
	list := []int32{0}
	for _, n := range classes {
		list = append(list, list[len(list)-1]+int32(n))
	}
	return list
}

// auxiliaryAllocations lists the arrays of the auxiliary heads.
func (p *Plan) auxiliaryAllocations(b *auxiliary) (list []allocation) {
	s, rows := &p.spec, p.config.Batch
	a := &s.Auxiliary
	if classes := a.Classes(); classes > 0 {
		list = append(list,
			allocation{&b.cellStarts, 4 * (len(a.Cells) + 1), "classes"},
			allocation{&b.cells, 4 * p.positions * classes, "logits"},
			allocation{&b.cellLosses, 4 * rows, "losses"})
	}
	if a.Seats > 0 {
		list = append(list,
			allocation{&b.means, rows * p.layout.filters * p.precision.Element(), "activations"},
			allocation{&b.seats, 4 * rows * s.Players * a.Seats, "logits"},
			allocation{&b.seatLosses, 4 * rows, "losses"})
	}
	if classes := a.BeliefClasses(); classes > 0 {
		list = append(list,
			allocation{&b.factStarts, 4 * (len(a.Belief) + 1), "classes"},
			allocation{&b.belief, 4 * rows * classes, "logits"},
			allocation{&b.dBelief, 4 * rows * classes, "logits"},
			allocation{&b.beliefMeasures, 4 * rows * beliefMeasures, "losses"})
	}
	return list
}

// auxiliaryForward computes the logits of the auxiliary heads. The belief's hidden layer is one
// more beside the players'.
func (b *builder) auxiliaryForward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	a := &s.Auxiliary
	if classes := a.Classes(); classes > 0 {
		b.mapDots(l.cells, b.number(l.cellsBias), b.auxiliary.cells, classes)
	}
	if a.Seats > 0 {
		n := rows * l.filters / 4
		b.each(kernels.TrainHeads, "cell_mean", n, driver.NewArgs().
			Ptr(b.trunk()).Ptr(b.means).Int64(int64(n)).Int32(int32(l.filters)).
			Int32(int32(s.Cells())))
		b.valueLogits(b.means, l.seats, l.seatsBias, b.auxiliary.seats, 1, l.filters,
			s.Players*a.Seats, l.filters)
	}
	if classes := a.BeliefClasses(); classes > 0 {
		b.valueLogits(b.beliefHidden(), l.belief, l.beliefBias, b.auxiliary.belief, 1, s.Hidden,
			classes, l.width)
	}
}

// beliefHidden returns the address of the belief's hidden layer, in rows of layout.width.
func (b *builder) beliefHidden() driver.Ptr {
	return b.elements(b.hidden, b.spec.Players*b.spec.Hidden)
}

// auxiliaryLosses computes losses, measures, and the gradients of the logits.
func (b *builder) auxiliaryLosses() {
	s, rows, in := &b.spec, b.config.Batch, b.inputs()
	a := &s.Auxiliary
	if len(a.Cells) > 0 {
		b.each(kernels.TrainHeads, "cells_loss", 32*rows, driver.NewArgs().
			Ptr(b.auxiliary.cells).Ptr(floats(b.input, in.cells)).Ptr(b.cellStarts).
			Ptr(floats(b.input, in.labelWeight)).Ptr(b.given(givenLabels)).Int32(int32(rows)).
			Int32(int32(len(a.Cells))).Int32(int32(s.Cells())).Int32(int32(a.Classes())).
			Ptr(b.cellLosses))
	}
	if a.Seats > 0 {
		b.each(kernels.TrainHeads, "seats_loss", rows, driver.NewArgs().
			Ptr(b.auxiliary.seats).Ptr(floats(b.input, in.seats)).
			Ptr(floats(b.input, in.labelWeight)).Ptr(b.given(givenLabels)).Int32(int32(rows)).
			Int32(int32(s.Players*a.Seats)).Ptr(b.seatLosses))
	}
	if len(a.Belief) > 0 {
		b.each(kernels.TrainHeads, "belief_loss", 32*rows, driver.NewArgs().
			Ptr(b.auxiliary.belief).Ptr(floats(b.input, in.facts)).Ptr(floats(b.input, in.priors)).
			Ptr(b.factStarts).Ptr(floats(b.input, in.factWeight)).Ptr(b.given(givenFacts)).
			Int32(int32(rows)).Int32(int32(len(a.Belief))).Int32(int32(a.BeliefClasses())).
			Ptr(b.dBelief).Ptr(b.beliefMeasures))
	}
}

// auxiliaryBackward adds the part of cells and seats to d.
func (b *builder) auxiliaryBackward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	a, f := &s.Auxiliary, l.filters
	if classes := a.Classes(); classes > 0 {
		d := b.auxiliary.cells
		b.outers = append(b.outers,
			outer{d, b.trunk(), b.positions, classes, f, classes, classes, f,
				l.cells},
			columnSums(l.cellsBias, d, b.positions, classes, classes))
		b.mapBackward(d, l.cells, classes, 1)
	}
	if n := s.Players * a.Seats; n > 0 {
		d := b.auxiliary.seats
		b.outers = append(b.outers, outer{d, b.means, rows, n, f, n, n, f, l.seats},
			columnSums(l.seatsBias, d, rows, n, n))
		b.mapBackward(d, l.seats, n, s.Cells())
	}
}

// beliefBackward computes the gradient of the belief's hidden layer.
func (b *builder) beliefBackward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	classes, first := s.Auxiliary.BeliefClasses(), s.Players*s.Hidden
	b.hiddenBackward(b.dBelief, l.belief, first, 1, classes, l.width-first)
	b.outers = append(b.outers,
		outer{b.dBelief, b.beliefHidden(), rows, classes, s.Hidden, classes, classes, l.width,
			l.belief},
		columnSums(l.beliefBias, b.dBelief, rows, classes, classes))
}
