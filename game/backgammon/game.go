package backgammon

import (
	"strconv"
	"sync"

	"tengen/game"
)

const (
	players = 2
	points  = 24
	bar     = 25 // the bar, as a point
	home    = 6  // the points 1 to 6 are the home board
	sides   = 6  // of a die
	// mostCheckers is the number of checkers of a player of the full game.
	mostCheckers = 15
	// mostPoints is what a backgammon is worth.
	mostPoints = 3
)

// Actions: [die, quarter, column].
const (
	quarters = 4
	columns  = home + 1
	half     = quarters * columns // actions with a die

	actions = 2 * half
)

// Pass is the only action of a player who can't move a checker.
const Pass game.Action = actions

// firstRoll is the outcome 1-1.
const firstRoll = Pass + 1

// Roll is the outcome in which the dice show a and b, 1 to 6.
func Roll(a, b int) game.Action {
	large, small := max(a, b), min(a, b)
	return firstRoll + game.Action(large*(large-1)/2+small-1)
}

// rolls lists the dice of each outcome, the larger first.
var rolls = func() (list [21][2]int8) {
	for a := 1; a <= sides; a++ {
		for b := 1; b <= a; b++ {
			list[Roll(a, b)-firstRoll] = [2]int8{int8(a), int8(b)}
		}
	}
	return list
}()

// Dice returns the dice of an outcome, the larger first; ok is false if a is no outcome.
func Dice(a game.Action) (large, small int, ok bool) {
	if a < firstRoll || int(a-firstRoll) >= len(rolls) {
		return 0, 0, false
	}
	d := rolls[a-firstRoll]
	return int(d[0]), int(d[1]), true
}

func init() {
	game.Register(game.Family{
		Name:    "backgammon",
		Summary: "backgammon for money without a cube; Hypergammon with checkers=3",
		Params: []game.Param{
			{Key: "checkers", Default: "15",
				Help: "of each player: 15, 3 (Hypergammon), or 1 or 2 in tests"},
		},
		New: func(v *game.Values) (game.Game, error) {
			n := v.Int("checkers", 1, mostCheckers)
			if n > 3 && n < mostCheckers {
				v.Fail("checkers", "15, 3, 2 or 1 is wanted")
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return New(n), nil
		},
	})
}

// Game is backgammon with a number of checkers.
type Game struct {
	checkers int
	support  []float32
	start    side
	once     sync.Once // solves small games
	small    solved
}

// New makes the game with 1, 2, 3 or 15 checkers a player.
func New(checkers int) *Game {
	g := &Game{checkers: checkers}
	for x := -mostPoints; x <= mostPoints; x++ {
		if x != 0 {
			g.support = append(g.support, utility(x))
		}
	}
	if checkers == mostCheckers {
		g.start = newSide(map[int]int{24: 2, 13: 5, 8: 3, 6: 5})
	} else {
		n := map[int]int{}
		for i := range checkers {
			n[points-i] = 1
		}
		g.start = newSide(n)
	}
	return g
}

// utility converts points won.
func utility(x int) float32 { return float32(x+mostPoints) / (2 * mostPoints) }

// Name is backgammon:checkers=15.
func (g *Game) Name() string { return "backgammon:checkers=" + strconv.Itoa(g.checkers) }

// Checkers is the number of checkers of a player.
func (g *Game) Checkers() int { return g.checkers }

// Players is 2.
func (g *Game) Players() int { return players }

// Actions is 56: a point or the bar, and a die.
func (g *Game) Actions() int { return actions }

// Planes is [276, 1, 1]; see Observation.
func (g *Game) Planes() game.Shape { return game.Shape{C: planes, H: 1, W: 1} }

// Support lists the utilities of the points that can be won.
func (g *Game) Support() []float32 { return g.support }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// Chips implements game.Staked: points.
func (g *Game) Chips() (perUtility, atZero float64) { return 2 * mostPoints, -mostPoints }

// ScoreBounds are the most points lost and won.
func (g *Game) ScoreBounds() (low, high float64) { return -mostPoints, mostPoints }

// HasChance is true: chance rolls the dice.
func (g *Game) HasChance() bool { return true }

// ObservesAfterstates is true: before a roll there are no dice.
func (g *Game) ObservesAfterstates() bool { return true }

// SeatName is White or Black.
func (g *Game) SeatName(p game.Player) string { return [players]string{"White", "Black"}[p] }

// NewState returns the position before the first roll.
func (g *Game) NewState() game.State {
	return &State{g: g, sides: [players]side{g.start, g.start}, opening: true}
}
