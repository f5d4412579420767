package game

// Historic is a Game whose observations may show what was played, where that tells of what is
// hidden: the last plays of each seat, and what each seat has played and passed up. HistoryPlanes
// returns the planes [from, to) of an observation that show it; from equals to if there are none.
// They are public: equal for all histories that a seat can't tell apart, whichever seat that is and
// whoever is to move.
//
// Which planes there are is a matter of the game's parameters and therefore in its name. A network
// sees those of training: see Observed.
type Historic interface{ HistoryPlanes() (from, to int) }

// HistoryPlanes returns the planes [from, to) that show the public history of g; from equals to
// if there are none.
func HistoryPlanes(g Game) (from, to int) {
	if h, ok := g.(Historic); ok {
		return h.HistoryPlanes()
	}
	return 0, 0
}

// Observed is a Game of which there are others with the same rules and other observations. A
// network that was trained on one of them plays in a game that shows at least what it has seen.
type Observed interface {
	// ObservedAs returns the planes of an observation of this game that in this order are one of
	// other, in every position. It reports false where other has other rules, or shows what this
	// game does not.
	ObservedAs(other Game) (planes []int, ok bool)
}

// ObservedAs returns the planes of an observation of g that make one of other, nil for all of them.
// It reports false if g is not another form of other, or shows less.
func ObservedAs(g, other Game) (planes []int, ok bool) {
	if g.Name() == other.Name() {
		return nil, true
	}
	if o, is := g.(Observed); is {
		return o.ObservedAs(other)
	}
	return nil, false
}
