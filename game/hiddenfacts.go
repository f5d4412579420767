package game

import "strconv"

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
