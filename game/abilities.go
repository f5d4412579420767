package game

import (
	"context"
	"math/rand/v2"
	"strconv"
)

// This file declares optional abilities of games and states. A caller finds out by a
// type assertion whether a game has one; where it lacks it, the caller falls back or
// returns an error that names the ability.

// Outcome is a possible outcome of a chance state.
type Outcome struct {
	Action      Action
	Probability float64
}

// Chancer is a State of a game with chance. Its methods are called only while
// CurrentPlayer is Chance.
type Chancer interface {
	// Outcomes appends every outcome and returns the extended slice. The probabilities sum
	// to one.
	Outcomes(dst []Outcome) []Outcome
	// Sample draws an outcome according to the probabilities.
	Sample(rng *rand.Rand) Action
}

// Stochastic is a Game that may reach Chance states. A game without this method, or
// whose method returns false, has none.
type Stochastic interface{ HasChance() bool }

// HasChance reports whether g is a Stochastic game that has chance.
func HasChance(g Game) bool {
	s, ok := g.(Stochastic)
	return ok && s.HasChance()
}

// AfterstateObserver is a Stochastic Game whose states can be observed while they wait for an
// outcome of chance (afterstates; Sutton and Barto 2018, section 6.8): State.Observation may then
// be called at Chance states, and tells them from all states in which a player is to move. Every
// turn, all that a player does without another's decision or an outcome of chance, ends before an
// outcome of chance or with the game, and the positions within it number hundreds at most, since a
// search looks at all of them (search/nneval.Turns).
type AfterstateObserver interface{ ObservesAfterstates() bool }

// ObservesAfterstates reports whether g is an AfterstateObserver.
func ObservesAfterstates(g Game) bool {
	x, ok := g.(AfterstateObserver)
	return ok && x.ObservesAfterstates()
}

// ImperfectInformation is a State of a game with hidden information.
type ImperfectInformation interface {
	// Determinize redraws everything that seat can't see, uniformly among what is
	// consistent with what seat has seen.
	Determinize(rng *rand.Rand, seat Player)
	// InformationStateKey is equal for states that seat can't tell apart.
	InformationStateKey(seat Player) uint64
}

// Chronicler is a State that tells its history: the actions, and outcomes of chance, that lead to
// it from the first position. History appends them; they lead to a state that is equal in all that
// can be read of it. What a determinization tells is its own history, with what was drawn.
type Chronicler interface {
	History(dst []Action) []Action
}

// Concealer is a State of a game in which players do not see all that others do. Conceals reports
// whether seat does not see the current player's action a, one of the legal ones.
type Concealer interface {
	Conceals(a Action, seat Player) bool
}

// Conceals reports whether seat does not see action a of the current player of s, which may not be
// Chance: false if s is no Concealer.
func Conceals(s State, a Action, seat Player) bool {
	x, ok := s.(Concealer)
	return ok && x.Conceals(a, seat)
}

// Playouter is a State with a fast random playout, uniform among the actions that are
// not obviously bad. It may be called whoever is to move; afterwards the game is over.
type Playouter interface{ Playout(rng *rand.Rand) }

// Playout plays s to its end at random: by the game's own playout if it has one, else
// uniformly over the legal actions. buf is scratch space; the result is buf, possibly
// grown.
func Playout(s State, rng *rand.Rand, buf []Action) []Action {
	if p, ok := s.(Playouter); ok {
		p.Playout(rng)
		return buf
	}
	for {
		switch s.CurrentPlayer() {
		case Nobody:
			return buf
		case Chance:
			s.Apply(s.(Chancer).Sample(rng))
		default:
			buf = s.LegalActions(buf[:0])
			s.Apply(buf[rng.IntN(len(buf))])
		}
	}
}

// Scored is a State with a raw score in the game's own units, such as points, as
// opposed to utilities. Scores may be called at any time; it writes the scores of the
// current position to dst[0:Players].
type Scored interface{ Scores(dst []float32) }

// Measured is a Game whose final raw scores lie in [low, high], low < high.
type Measured interface{ ScoreBounds() (low, high float64) }

// Scaled is a Game whose utilities are raw scores divided by PointsPerUtility.
type Scaled interface{ PointsPerUtility() float64 }

// PointsPerUtility is the raw score that corresponds to a utility of one, or 1 if g is
// not Scaled.
func PointsPerUtility(g Game) float64 {
	if s, ok := g.(Scaled); ok {
		return s.PointsPerUtility()
	}
	return 1
}

// Scores writes the players' final scores to dst[0:Players]: raw scores if s is
// Scored, else utilities.
func Scores(s State, dst []float32) {
	if r, ok := s.(Scored); ok {
		r.Scores(dst)
		return
	}
	s.Returns(dst)
}

// ScoreRange returns the bounds of what Scores writes at the end of a game: those of a Measured
// game, 0 and 1 for utilities. Both are 0 if they are not known.
func ScoreRange(g Game) (low, high float64) {
	if m, ok := g.(Measured); ok {
		return m.ScoreBounds()
	}
	if _, ok := g.NewState().(Scored); ok {
		return 0, 0
	}
	return 0, 1
}

// ScoreUnit is the word for what Scores writes: "points" in a game with scores of its own, else
// "results", which are utilities: 1 for a win, ½ for a draw of two.
func ScoreUnit(g Game) string {
	if _, ok := g.NewState().(Scored); ok {
		return "points"
	}
	return "results"
}

// ScoreUnitOf is ScoreUnit for the game with a name; "points" if there is none of that name.
func ScoreUnitOf(name string) string {
	g, err := New(name)
	if err != nil {
		return "points"
	}
	return ScoreUnit(g)
}

// Staked is a Game played for chips: the utility u is worth u·perUtility + atZero chips won.
type Staked interface {
	Chips() (perUtility, atZero float64)
}

// ConstantSum is a Game whose final utilities always sum to UtilitySum.
type ConstantSum interface{ UtilitySum() float64 }

// Symmetry is a permutation of cells, planes, actions and players that commutes with
// play. Value [p, i] of a state's observation equals value [Planes[p], Cells[i]] of
// the transformed state's.
type Symmetry struct {
	Cells   []int    // [H*W]
	Planes  []int    // [C]
	Actions []Action // [Actions()]
	Players []Player // [Players()]
	// CellTargets is the permutation of a game's targets of cells, [len(CellTargets())]; nil: each
	// stays itself.
	CellTargets []int
	// HiddenFacts is the permutation of the classes of a game's hidden facts, all in one list,
	// [HiddenFactClasses]; the classes of a fact become those of one fact. nil: each stays itself.
	HiddenFacts []int
}

// Symmetric is a Game with symmetries. The first is the identity.
type Symmetric interface{ Symmetries() []Symmetry }

// Transform writes the observation src, transformed, to dst. The two must not overlap.
func (t *Symmetry) Transform(dst, src []float32) {
	cells := len(t.Cells)
	for p, q := range t.Planes {
		d, s := dst[q*cells:(q+1)*cells], src[p*cells:(p+1)*cells]
		for i, j := range t.Cells {
			d[j] = s[i]
		}
	}
}

// Limited is a Game in which no playthrough has more than PlyLimit actions, forced
// actions and outcomes of chance included.
type Limited interface{ PlyLimit() int }

// Paced is a State that estimates how much longer the game lasts, so that players can allot
// their time. DecisionsLeft is called while player p is to move. It returns how many decisions
// of p, the one at hand included, are to be expected, and how many there are at most.
type Paced interface {
	DecisionsLeft(p Player) (expected, most float64)
}

// Turned is a State that counts turns, which may be longer than one action. Turn is
// the number of completed turns.
type Turned interface{ Turn() int }

// Seated is a Game whose seats have names, such as "Black".
type Seated interface{ SeatName(p Player) string }

// SeatName is the name of seat p, or "player 1" for seat 0 of a game that is not
// Seated.
func SeatName(g Game, p Player) string {
	switch s, ok := g.(Seated); {
	case p == Nobody:
		return "nobody"
	case p == Chance:
		return "chance"
	case ok:
		return s.SeatName(p)
	}
	return "player " + strconv.Itoa(int(p)+1)
}

// SeatNames returns the names of all seats, in order.
func SeatNames(g Game) []string {
	names := make([]string, g.Players())
	for p := range names {
		names[p] = SeatName(g, Player(p))
	}
	return names
}

// Notated is a Game whose actions have names, such as "c3". ParseAction returns the
// action that text names, legal or not, or an error that says what is accepted.
type Notated interface {
	ActionName(s State, a Action) string
	ParseAction(s State, text string) (Action, error)
}

// ActionName is the name of a, or its number if g is not Notated.
func ActionName(g Game, s State, a Action) string {
	if n, ok := g.(Notated); ok {
		return n.ActionName(s, a)
	}
	return strconv.Itoa(int(a))
}

// Drawn is a State that draws itself for a terminal, with coordinates. The text ends
// with a newline; it contains ANSI escapes only if color is true.
type Drawn interface{ Draw(color bool) string }

// SeatDrawn is a Drawn State with hidden information. DrawFor draws what seat sees, or
// what all players see if seat is Nobody. Draw shows everything.
type SeatDrawn interface {
	DrawFor(seat Player, color bool) string
}

// Guided is a Game that explains to a person, in a few lines, what its drawings show and
// how its actions are typed.
type Guided interface{ Guide() string }

// Positioned is a Game whose states are Written. ParsePosition returns the state that
// Position describes, or an error that says what is accepted. The history is lost, so
// games whose rules depend on it are not Positioned.
type Positioned interface {
	ParsePosition(text string) (State, error)
}

// Written is a State that formats itself, with what is hidden, as a line of text.
type Written interface{ Position() string }

// Openable is a Game that also exists with nothing hidden. Opened returns that game, or
// nil if nothing is hidden in this one. LayOpen makes dst, a state of the game that
// Opened returned, the position of src, a state of this game.
type Openable interface {
	Opened() Game
	LayOpen(dst, src State)
}

// DrawingParser is a Game that parses what its states draw without colours.
// ParseDrawing returns the position without its history.
type DrawingParser interface {
	ParseDrawing(text string) (State, error)
}

// Board is a State of a game with stones on a board of the observation's height and
// width, in which action i puts a stone on cell i.
type Board interface {
	// Stones appends the owner of the stone on each cell, row by row from the top, or
	// Nobody for an empty cell.
	Stones(dst []Player) []Player
	// Mark returns how Draw writes a stone of p in plain text, or an empty cell for
	// Nobody.
	Mark(p Player) string
}

// TieBroken is a Game with preferences among equally good actions, such as attacks before
// all others, by name.
type TieBroken interface {
	// TieBreaks returns the names.
	TieBreaks() []string
	// TieBreak returns the rank of an action in the preference of that name, at least 0: the
	// least rank is preferred. It returns nil for an unknown name.
	TieBreak(name string) func(a Action) int
}

// Count is the number of positions with a property, such as "every group has a
// liberty".
type Count struct {
	Name string
	N    uint64
}

// Countable is a Game that counts its distinct positions by enumeration.
// CountPositions returns the context's error when ctx ends, and an error if the board
// is too large to enumerate.
type Countable interface {
	CountPositions(ctx context.Context) ([]Count, error)
}

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
