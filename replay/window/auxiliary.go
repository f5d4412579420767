package window

import (
	"tengen/game"
	"tengen/replay/record"
)

// AuxiliaryTargets holds the targets of the ends of games (game.HasAuxiliaryTargets) that a Window
// has replayed, so that encoders need not replay them. A Window writes it, and its encoders read
// it, not at the same time.
type AuxiliaryTargets struct {
	cells []game.CellTarget
	seats int // targets of a seat
	size  int // cells of all targets
	of    map[*record.Game]final
}

// final holds the targets of a game's end.
type final struct {
	cells []int8    // [targets, H, W]
	seats []float32 // [Players, targets]
}

// NewAuxiliaryTargets returns AuxiliaryTargets for games of g, nil if g has none.
func NewAuxiliaryTargets(g game.Game) *AuxiliaryTargets {
	cells, seats := game.AuxiliaryTargetsOf(g)
	if len(cells)+len(seats) == 0 {
		return nil
	}
	return &AuxiliaryTargets{
		cells, len(seats), len(cells) * g.Planes().H * g.Planes().W, map[*record.Game]final{},
	}
}

// add keeps the targets of a game, whose final position s is. One that ended by resignation has
// none.
func (l *AuxiliaryTargets) add(rec *record.Game, s game.State) {
	if l == nil || rec.Resigned {
		return
	}
	f := final{make([]int8, l.size), make([]float32, l.seats*len(rec.Seats))}
	s.(game.AuxiliaryTargetState).AuxiliaryTargets(f.cells, f.seats)
	l.of[rec] = f
}

// drop forgets a game.
func (l *AuxiliaryTargets) drop(rec *record.Game) {
	if l != nil {
		delete(l.of, rec)
	}
}

// Auxiliary writes the targets of the end of the sample's game, transformed by the symmetry:
//
//	cells   [targets, H, W]     a class, or game.NoClass
//	seats   [Players, targets]  numbers in [0, 1]
//	weight  1; 0 for a state of a tree, which the game need not have reached, and in a game that ended by
//	        resignation: it has no targets
//
// The encoder must have EncoderConfig.Auxiliary. A game that no Window has added to it is replayed
// to its end. Auxiliary does not allocate once the encoder's buffers have grown.
func (e *Encoder) Auxiliary(
	s Sample, symmetry int, cells []int8, seats []float32, weight *float32,
) error {
	l := e.config.Auxiliary
	cells, seats = cells[:l.size], seats[:l.seats*e.replay.Game.Players()]
	if *weight = 0; s.tree != nil || s.Game.Resigned {
		clear(seats)
		for i := range cells {
			cells[i] = game.NoClass
		}
		return nil
	}
	f, known := l.of[s.Game]
	if !known {
		var err error
		if f, err = e.finish(s.Game); err != nil {
			return err
		}
	}
	if t := e.symmetry(symmetry); t == nil {
		copy(cells, f.cells)
		copy(seats, f.seats)
	} else {
		t.TransformCellTargets(l.cells, cells, f.cells)
		t.TransformSeatTargets(l.seats, seats, f.seats)
	}
	*weight = 1
	return nil
}

// finish replays a game and returns the targets of its end, which are valid until the next call.
func (e *Encoder) finish(rec *record.Game) (final, error) {
	r := e.replay
	e.at = Sample{}
	if err := r.Begin(rec); err != nil {
		return final{}, err
	}
	for range rec.Moves {
		if err := r.Step(rec); err != nil {
			return final{}, err
		}
	}
	if err := r.Finish(rec); err != nil {
		return final{}, err
	}
	l := e.config.Auxiliary
	if e.last.cells == nil {
		e.last = final{make([]int8, l.size), make([]float32, l.seats*r.Game.Players())}
	}
	r.State().(game.AuxiliaryTargetState).AuxiliaryTargets(e.last.cells, e.last.seats)
	return e.last, nil
}

// symmetry returns a symmetry, nil for the identity.
func (e *Encoder) symmetry(i int) *game.Symmetry {
	if i == 0 {
		return nil
	}
	return &e.symmetries[i]
}
