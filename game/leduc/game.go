package leduc

import "tengen/game"

// The actions. The outcome Deal(c) deals a card of rank c.
const (
	Fold  game.Action = iota
	Call              // or check
	Raise             // 2 chips, in the second round 4

	actions = 3
)

// Deal is the outcome in which a card is dealt, 0 for the lowest rank.
func Deal(rank int) game.Action { return game.Action(actions + rank) }

const (
	players   = 2
	copies    = 2 // of each rank
	stake     = 13
	rounds    = 2
	mostActs  = 4 // of a round: check, raise, raise, call
	mostRaise = 2 // raises of a round
)

// ranks are the names of the cards.
const ranks = "JQK"

func init() {
	game.Register(game.Family{
		Name:    "leduc",
		Summary: "Leduc hold'em: one hidden card each, one face up, two rounds of bets; the equilibrium's value is known",
		New:     func(*game.Values) (game.Game, error) { return New(), nil },
	})
}

// Game is Leduc hold'em.
type Game struct {
	support []float32
	facts   []game.HiddenFact
}

// New makes the game.
func New() *Game {
	g := &Game{facts: listHiddenFacts()}
	for chips := -stake; chips <= stake; chips++ {
		if chips%2 != 0 || chips == 0 { // a player has paid the ante and an even number of chips
			g.support = append(g.support, utility(chips))
		}
	}
	return g
}

// utility converts chips won.
func utility(chips int) float32 { return float32(chips+stake) / (players * stake) }

// Name is leduc.
func (g *Game) Name() string { return "leduc" }

// Players is 2.
func (g *Game) Players() int { return players }

// Actions counts fold, call and raise.
func (g *Game) Actions() int { return actions }

// Planes of an observation.
const (
	planeOwn    = 0
	planePublic = planeOwn + len(ranks)
	planeActs   = planePublic + len(ranks)
	planeMover  = planeActs + rounds*mostActs*actions
	planeAction = planeMover + players
	planes      = planeAction + actions
)

// Planes is [35, 1, 3]; see Observation.
func (g *Game) Planes() game.Shape { return game.Shape{C: planes, H: 1, W: actions} }

// Support lists the utilities of all numbers of chips that can be won.
func (g *Game) Support() []float32 { return g.support }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// Chips implements game.Staked.
func (g *Game) Chips() (perUtility, atZero float64) { return players * stake, -stake }

// ScoreBounds are the most chips lost and won.
func (g *Game) ScoreBounds() (low, high float64) { return -stake, stake }

// HasChance is true: chance deals the cards.
func (g *Game) HasChance() bool { return true }

// PlyLimit counts three cards and the longest betting.
func (g *Game) PlyLimit() int { return players + 1 + rounds*mostActs }

// NewState returns the state before the deal.
func (g *Game) NewState() game.State { return &State{paid: [players]int8{1, 1}} }
