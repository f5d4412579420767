package game

import (
	"context"
	"math/rand/v2"
	"strconv"
)

// Abilities are what some games or states offer beyond the basic interfaces.
// A caller asks by type assertion and falls back, or refuses with an error
// that names the ability, where a game lacks it.

// Outcome is one of the things that chance may do.
type Outcome struct {
	Action      Action
	Probability float64
}

// Chancer is a State of a game with chance. Its methods are called only while
// CurrentPlayer is Chance.
type Chancer interface {
	// Outcomes appends every outcome; the probabilities sum to one.
	Outcomes(dst []Outcome) []Outcome
	// Sample draws one outcome by its probability.
	Sample(rng *rand.Rand) Action
}

// Stochastic is a Game that may reach Chance states. A game without this
// method, or for which it returns false, never does.
type Stochastic interface{ HasChance() bool }

// Hidden is a State of a game with hidden information.
type ImperfectInformation interface {
	// Determinize redraws, uniformly among all that is consistent with what
	// seat has seen, everything that seat can't see.
	Determinize(rng *rand.Rand, seat Player)
	// InformationStateKey is equal for states that seat can't tell apart.
	InformationStateKey(seat Player) uint64
}

// Playouter is a State that knows how to play itself to the end quickly and
// sensibly: uniformly at random among actions that are not obviously foolish.
// The mover may be anybody; afterwards it is Nobody.
type Playouter interface{ Playout(rng *rand.Rand) }

// Playout plays s to its end at random: by the game's own playout where it has
// one, else uniformly over the legal actions. buf is scratch space, which is
// returned, possibly grown.
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

// Scored is a State with a raw score in the game's own units (points, kept
// apart from utilities). Scores may be called at any time and writes the score
// of the position as it stands to dst[0:Players].
type Scored interface{ Scores(dst []float32) }

// Measured is a Game whose raw scores at the end lie between two bounds, low < high.
type Measured interface{ ScoreBounds() (low, high float64) }

// Scaled is a Game whose utilities are a raw score divided by PointsPerUtility.
type Scaled interface{ PointsPerUtility() float64 }

// PointsPerUtility is the raw score that a utility of one stands for, 1 where
// the game has no such scale.
func PointsPerUtility(g Game) float64 {
	if s, ok := g.(Scaled); ok {
		return s.PointsPerUtility()
	}
	return 1
}

// Scores writes the players' scores at the end of a game to dst[0:Players]: the raw score where the
// game has one, else the utilities.
func Scores(s State, dst []float32) {
	if r, ok := s.(Scored); ok {
		r.Scores(dst)
		return
	}
	s.Returns(dst)
}

// ConstantSum is a Game in which the utilities of a finished game always sum
// to the same number.
type ConstantSum interface{ UtilitySum() float64 }

// Symmetry is one way in which a game looks the same: a permutation of cells,
// planes, actions and players that commutes with play. Observation value
// [p, i] of a state is found at [Planes[p], Cells[i]] of the transformed one.
type Symmetry struct {
	Cells   []int    // [H*W]
	Planes  []int    // [C]
	Actions []Action // [Actions()]
	Players []Player // [Players()]
}

// Symmetric is a Game with symmetries. The first is the identity.
type Symmetric interface{ Symmetries() []Symmetry }

// Transform writes the observation src as the symmetry sees it to dst. The two must not overlap.
func (t *Symmetry) Transform(dst, src []float32) {
	cells := len(t.Cells)
	for p, q := range t.Planes {
		d, s := dst[q*cells:(q+1)*cells], src[p*cells:(p+1)*cells]
		for i, j := range t.Cells {
			d[j] = s[i]
		}
	}
}

// Limited is a Game of which no playing lasts longer than PlyLimit actions,
// forced ones and outcomes of chance included.
type Limited interface{ PlyLimit() int }

// Turned is a State that counts its turns, which in some games are longer than
// one action. Turn is the number of turns that are over.
type Turned interface{ Turn() int }

// Seated is a Game whose seats have names ("Black").
type Seated interface{ SeatName(p Player) string }

// SeatName is the seat's name, or "player 1" for seat 0 of a game without names.
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

// Notated is a Game whose actions have names ("c3"). ParseAction returns the
// action that a person means by text, legal or not, or an error that says what
// would be right.
type Notated interface {
	ActionName(s State, a Action) string
	ParseAction(s State, text string) (Action, error)
}

// ActionName is the action's name, its number where the game names none.
func ActionName(g Game, s State, a Action) string {
	if n, ok := g.(Notated); ok {
		return n.ActionName(s, a)
	}
	return strconv.Itoa(int(a))
}

// Drawn is a State that draws itself for a terminal, with coordinates; color
// permits ANSI escapes. The text ends with a newline.
type Drawn interface{ Draw(color bool) string }

// SeatDrawn is a Drawn State of hidden information that draws itself as seat sees
// it, and for Nobody what all see; Draw is then for those who may see everything.
type SeatDrawn interface {
	DrawFor(seat Player, color bool) string
}

// Count is a number of positions and what they have in common ("every group has a liberty").
type Count struct {
	Name string
	N    uint64
}

// Countable is a Game that counts its distinct positions by enumeration. It
// stops with the context's error when ctx ends, and refuses with an error
// boards too large to enumerate.
type Countable interface {
	CountPositions(ctx context.Context) ([]Count, error)
}
