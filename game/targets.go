package game

import (
	"math"
	"strconv"
)

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

// HiddenFact is something that may be hidden from a seat, and is one of a number of classes: the
// colour that another seat has, how many cards of a kind it holds.
type HiddenFact struct {
	Name    string // different from those of all others: "player 2's red+"
	Kind    string // of facts that are measured together: "colour", "cards"
	Seat    Player // whom it is about
	Classes int    // 2 to MaxClasses
	// ClassNames are the names of the classes; nil: their numbers.
	ClassNames []string
}

// ClassName is the name of a class.
func (f *HiddenFact) ClassName(class int) string {
	if class < len(f.ClassNames) {
		return f.ClassNames[class]
	}
	return strconv.Itoa(class)
}

// HasHiddenFacts is a Game with hidden information that offers what is hidden as facts, so that a
// network can learn how likely they are. Its states are HiddenFactStates. The facts about all seats
// are in one list; which of them are hidden, and from whom, is a matter of the state.
type HasHiddenFacts interface{ HiddenFacts() []HiddenFact }

// HiddenFactState is a State of a game that HasHiddenFacts. Its methods may be called while a
// player is to move.
type HiddenFactState interface {
	// HiddenFacts writes the class of each fact that is hidden from seat, as it is in this state,
	// and NoClass for all others. Determinize for seat changes the classes, and never which of them
	// are NoClass.
	HiddenFacts(seat Player, classes []int8)
	// HiddenFactPriors writes the probability of each class of each fact, in order, if what seat
	// can't see is drawn as Determinize draws it. It depends on nothing else than what seat sees.
	// The classes of a fact that is NoClass are all 0.
	HiddenFactPriors(seat Player, priors []float32)
}

// HiddenFactsOf returns the hidden facts of g, none if it has none.
func HiddenFactsOf(g Game) []HiddenFact {
	if s, ok := g.(HasHiddenFacts); ok {
		return s.HiddenFacts()
	}
	return nil
}

// HiddenFactClasses returns the number of classes of all facts together.
func HiddenFactClasses(facts []HiddenFact) int {
	n := 0
	for i := range facts {
		n += facts[i].Classes
	}
	return n
}

// TransformHiddenFacts writes the classes src of a game's facts, transformed, to dst. The two
// must not overlap.
func (t *Symmetry) TransformHiddenFacts(facts []HiddenFact, dst, src []int8) {
	if t.HiddenFacts == nil {
		copy(dst, src)
		return
	}
	first := 0
	for k := range facts {
		to, start := factOf(facts, t.HiddenFacts[first])
		dst[to] = NoClass
		if class := src[k]; class >= 0 {
			dst[to] = int8(t.HiddenFacts[first+int(class)] - start)
		}
		first += facts[k].Classes
	}
}

// TransformHiddenFactClasses writes numbers of each class of each fact, transformed, to dst. The
// two must not overlap.
func (t *Symmetry) TransformHiddenFactClasses(dst, src []float32) {
	if t.HiddenFacts == nil {
		copy(dst, src)
		return
	}
	for i, j := range t.HiddenFacts {
		dst[j] = src[i]
	}
}

// factOf returns the fact to which a class belongs, by its place among all classes, and the place
// of the fact's first class.
func factOf(facts []HiddenFact, place int) (fact, first int) {
	for place >= first+facts[fact].Classes {
		first += facts[fact].Classes
		fact++
	}
	return fact, first
}
