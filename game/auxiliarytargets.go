package game

import "math"

// NoClass in place of a class says that there is none: a cell without a target, from which nothing
// is learned, or a fact that is not hidden.
const NoClass = -1

// CellTarget is what becomes of every cell of an observation by the end of the game: one of a
// number of classes, such as the colour that owns a point.
type CellTarget struct {
	Name    string // such as "owner"
	Classes int    // 2 to MaxClasses
	// Seats says that the first Players() classes are seats, which symmetries exchange.
	Seats bool
}

// MaxClasses is the upper limit of CellTarget.Classes.
const MaxClasses = math.MaxInt8

// HasAuxiliaryTargets is a Game whose final states have auxiliary targets, which networks learn to
// predict beside the policy and the value. Its states are AuxiliaryTargetStates. Targets may show
// what was hidden: they are for training alone, and no player sees them.
type HasAuxiliaryTargets interface {
	// CellTargets lists the targets of cells, with different names.
	CellTargets() []CellTarget
	// SeatTargets lists the names of the numbers that each seat has, such as "points".
	SeatTargets() []string
}

// AuxiliaryTargetState is a State of a game that HasAuxiliaryTargets. AuxiliaryTargets may be
// called only when CurrentPlayer is Nobody. It writes every element of
//
//	cells [len(CellTargets), H, W]         a class, or NoClass
//	seats [Players, len(SeatTargets)]      a number in [0, 1]
type AuxiliaryTargetState interface {
	AuxiliaryTargets(cells []int8, seats []float32)
}

// AuxiliaryTargetsOf returns the auxiliary targets of g, none if it has none.
func AuxiliaryTargetsOf(g Game) (cells []CellTarget, seats []string) {
	if l, ok := g.(HasAuxiliaryTargets); ok {
		return l.CellTargets(), l.SeatTargets()
	}
	return nil, nil
}

// TransformCellTargets writes the classes src of a game's targets of cells, [len(targets), H, W],
// transformed, to dst. The two must not overlap.
func (t *Symmetry) TransformCellTargets(targets []CellTarget, dst, src []int8) {
	cells := len(t.Cells)
	for k := range targets {
		to := k
		if t.CellTargets != nil {
			to = t.CellTargets[k]
		}
		d, s := dst[to*cells:(to+1)*cells], src[k*cells:(k+1)*cells]
		for i, j := range t.Cells {
			class := s[i]
			if targets[k].Seats && class >= 0 && int(class) < len(t.Players) {
				class = int8(t.Players[class])
			}
			d[j] = class
		}
	}
}

// TransformSeatTargets writes the numbers src of a game's targets of seats, [Players, n],
// transformed, to dst. The two must not overlap.
func (t *Symmetry) TransformSeatTargets(n int, dst, src []float32) {
	for p, q := range t.Players {
		copy(dst[int(q)*n:(int(q)+1)*n], src[p*n:(p+1)*n])
	}
}
