package game

// Historic is a Game whose observations may show what was played, where that tells of what is
// hidden: the last plays of each seat, and what each seat has played and passed up. HistoryPlanes
// returns the planes [from, to) of an observation that show it; from equals to if there are none.
// They are public: equal for all histories that a seat can't tell apart, whichever seat that is and
// whoever is to move.
//
// Which planes there are is a matter of the game's parameters and therefore in its name, so that
// a network is refused where it would see others than in training.
type Historic interface{ HistoryPlanes() (from, to int) }

// HistoryPlanes returns the planes [from, to) that show the public history of g; from equals to
// if there are none.
func HistoryPlanes(g Game) (from, to int) {
	if h, ok := g.(Historic); ok {
		return h.HistoryPlanes()
	}
	return 0, 0
}
