package kuhn

import (
	"fmt"
	"slices"

	"tengen/game"
)

// The actions. The outcome Deal(c) deals card c.
const (
	Pass game.Action = iota // pass, or fold
	Bet                     // bet, or call

	actions = 2
)

// Deal is the outcome in which a card is dealt, 0 for the lowest.
func Deal(card int) game.Action { return game.Action(actions + card) }

// mostPlayers is the greatest number of players, stake the greatest loss in chips.
const (
	mostPlayers = 3
	stake       = 2
)

// ranks are the names of the cards.
const ranks = "JQKA"

func init() {
	game.Register(game.Family{
		Name:    "kuhn",
		Summary: "Kuhn poker: one hidden card each, one bet; equilibria are known",
		Params:  []game.Param{{Key: "players", Default: "2", Help: "2 or 3"}},
		New: func(v *game.Values) (game.Game, error) {
			players := v.Int("players", 2, mostPlayers)
			if err := v.Err(); err != nil {
				return nil, err
			}
			return New(players), nil
		},
	})
}

// Game is Kuhn poker for a number of players.
type Game struct {
	players int
	support []float32
	facts   []game.HiddenFact
}

// New makes the game for two or three players.
func New(players int) *Game {
	g := &Game{players: players}
	// A loser has paid 1 or 2 chips. A winner has paid 1, or 2 and been called by 0 to
	// players-1 others.
	chips := []int{-2, -1, players - 1}
	for callers := range players {
		chips = append(chips, players-1+callers)
	}
	slices.Sort(chips)
	for _, x := range slices.Compact(chips) {
		g.support = append(g.support, g.utility(x))
	}
	g.facts = g.listHiddenFacts()
	return g
}

// utility converts chips won.
func (g *Game) utility(chips int) float32 { return float32(chips+stake) / float32(stake*g.players) }

// Name is the canonical name.
func (g *Game) Name() string { return fmt.Sprintf("kuhn:players=%d", g.players) }

// Players is 2 or 3.
func (g *Game) Players() int { return g.players }

// Actions counts pass and bet.
func (g *Game) Actions() int { return actions }

// Planes is [planes, 1, 1]; see Observation.
func (g *Game) Planes() game.Shape {
	return game.Shape{C: g.players + 1 + 2*g.mostActs() + g.players, H: 1, W: 1}
}

// mostActs is the greatest number of passes and bets: all pass but the last player, and all
// others answer.
func (g *Game) mostActs() int { return 2*g.players - 1 }

// Support lists the utilities of all numbers of chips that can be won.
func (g *Game) Support() []float32 { return g.support }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// Chips implements game.Staked.
func (g *Game) Chips() (perUtility, atZero float64) { return float64(stake * g.players), -stake }

// ScoreBounds are the most chips lost and won.
func (g *Game) ScoreBounds() (low, high float64) {
	return -stake, float64(stake * (g.players - 1))
}

// HasChance is true: chance deals the cards.
func (g *Game) HasChance() bool { return true }

// PlyLimit counts the deal and the longest betting.
func (g *Game) PlyLimit() int { return g.players + g.mostActs() }

// NewState returns the state before the deal.
func (g *Game) NewState() game.State { return &State{g: g} }
