package game

import "math"

// NoLabel in place of a class says that a cell has no label, so that nothing is learned there.
const NoLabel = -1

// CellLabel is what becomes of every cell of an observation by the end of the game: one of a
// number of classes, such as the colour that owns a point.
type CellLabel struct {
	Name    string // such as "owner"
	Classes int    // 2 to MaxClasses
	// Seats says that the first Players() classes are seats, which symmetries exchange.
	Seats bool
}

// MaxClasses is the upper limit of CellLabel.Classes.
const MaxClasses = math.MaxInt8

// Labeled is a Game whose final states have labels, which networks learn to predict beside the
// policy and the value. Its states are LabeledStates. Labels may show what was hidden: they are
// targets of training alone, and no player sees them.
type Labeled interface {
	// CellLabels lists the labels of cells, with different names.
	CellLabels() []CellLabel
	// SeatLabels lists the names of the numbers that each seat has, such as "points".
	SeatLabels() []string
}

// LabeledState is a State of a Labeled game. Labels may be called only when CurrentPlayer is
// Nobody. It writes every element of
//
//	cells [len(CellLabels), H, W]         a class, or NoLabel
//	seats [Players, len(SeatLabels)]      a number in [0, 1]
type LabeledState interface {
	Labels(cells []int8, seats []float32)
}

// LabelsOf returns the labels of g, none if it is not Labeled.
func LabelsOf(g Game) (cells []CellLabel, seats []string) {
	if l, ok := g.(Labeled); ok {
		return l.CellLabels(), l.SeatLabels()
	}
	return nil, nil
}

// TransformCellLabels writes the classes src of a Labeled game's cells, [len(labels), H, W],
// transformed, to dst. The two must not overlap.
func (t *Symmetry) TransformCellLabels(labels []CellLabel, dst, src []int8) {
	cells := len(t.Cells)
	for k := range labels {
		to := k
		if t.Labels != nil {
			to = t.Labels[k]
		}
		d, s := dst[to*cells:(to+1)*cells], src[k*cells:(k+1)*cells]
		for i, j := range t.Cells {
			class := s[i]
			if labels[k].Seats && class >= 0 && int(class) < len(t.Players) {
				class = int8(t.Players[class])
			}
			d[j] = class
		}
	}
}

// TransformSeatLabels writes the numbers src of a Labeled game's seats, [Players, n],
// transformed, to dst. The two must not overlap.
func (t *Symmetry) TransformSeatLabels(n int, dst, src []float32) {
	for p, q := range t.Players {
		copy(dst[int(q)*n:(int(q)+1)*n], src[p*n:(p+1)*n])
	}
}
