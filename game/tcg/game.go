package tcg

import (
	"tengen/game"
	"tengen/internal/random"
)

// mostCells is the greatest number of cells: the cards of a deck and three
// representatives.
const mostCells = MostCards + 3

// Actions. They are followed by one action per cell and then, if a card may battle its
// own side, by another per cell for one's own cards.
const (
	// Pass places no card, lets a card do nothing, or ends a turn in which cards act in
	// free order.
	Pass game.Action = iota
	// Heal adds the acting card's Heal to its owner's health.
	Heal
	// Attack takes the acting card's Attack from the opponent's health.
	Attack
	firstCell
)

// values are the values of a card, in the game's unit.
type values struct{ fight, heal, attack, total int32 }

// Game is the game with one set of rules. A cell is a card of the deck, in ascending
// order of total; copies of a card have consecutive cells and are known by the first.
// In a game of representative moves, cells for Fight, Heal and Attack follow.
type Game struct {
	rules Rules
	name  string
	unit  int32 // the unit of values: 1, or 4096 in a game of representative moves

	n     int // number of cards in the deck
	cells int // n, or n+3 with the representatives
	cards [MostCards]Card
	// value of a cell; zero for representatives, whose values belong to the state
	value [mostCells]values
	base  [mostCells]uint8  // the first copy of the same card
	run   [mostCells]uint64 // all copies of the same card
	bases uint64            // first copies
	alone uint64            // cells without copies: they stand for any number of cards
	scrap uint64            // Removals

	opening   uint64 // the hand with which both begin, 0 if hands are dealt
	soldiers  int
	actions   int
	own       game.Action // the action for one's own cell 0, if there are such actions
	shape     game.Shape
	plyLimit  int
	most      int64   // upper bound, in thirds of the unit, of values in play; see bound
	scale     float32 // 1 / the greatest value of a card, for observations
	handKeys  [2][MostCards]uint64
	deckKeys  [2][MostCards]uint64
	fieldKeys [2][mostCells]uint64

	abstraction, rootAbstraction *abstraction // nil in a game of representative moves
}

// New makes the game with the given rules.
func New(r Rules) (*Game, error) {
	r, err := r.complete()
	if err != nil {
		return nil, err
	}
	g := newGame(r)
	if !r.Representative {
		r.Representative = true
		g.abstraction = &abstraction{original: g, derived: newGame(r)}
		r.RealRoot = true
		g.rootAbstraction = &abstraction{original: g, derived: newGame(r)}
	}
	return g, nil
}

// newGame makes the tables for complete rules.
func newGame(r Rules) *Game {
	g := &Game{rules: r, name: r.name(), unit: 1, n: len(r.Deck.Cards)}
	g.cells = g.n
	if r.Representative {
		g.unit = representativeUnit
		g.cells = g.n + 3
	}
	greatest := 1
	for c, card := range sorted(r.Deck.Cards) {
		g.cards[c] = card
		greatest = max(greatest, card.Fight, card.Heal, card.Attack)
		g.value[c] = values{
			int32(card.Fight) * g.unit, int32(card.Heal) * g.unit, int32(card.Attack) * g.unit,
			int32(card.Total()) * g.unit,
		}
		g.base[c] = uint8(c)
		if c > 0 && card == g.cards[c-1] {
			g.base[c] = g.base[c-1]
		}
		g.run[g.base[c]] |= 1 << c
		if card.Removal {
			g.scrap |= 1 << c
		} else {
			g.soldiers++
		}
	}
	g.scale = 1 / float32(greatest)
	for c := range g.n {
		g.run[c] = g.run[g.base[c]]
	}
	for c := g.n; c < g.cells; c++ {
		g.base[c], g.run[c] = uint8(c), 1<<c
	}
	for c := range g.cells {
		if int(g.base[c]) == c {
			g.bases |= 1 << c
		}
		if g.run[c] == 1<<c {
			g.alone |= 1 << c
		}
	}
	for _, card := range r.Deck.Opening {
		g.opening |= g.oneMore(g.opening, g.find(card))
	}
	g.lay()
	g.limit()
	g.bound()
	var n uint64
	for p := range 2 {
		for _, keys := range [][]uint64{g.handKeys[p][:], g.deckKeys[p][:], g.fieldKeys[p][:]} {
			for c := range keys {
				n += random.Gamma
				keys[c] = random.Mix(n)
			}
		}
	}
	return g
}

// find returns the first cell of a card, or -1 if it is not in the deck.
func (g *Game) find(card Card) int {
	for c := range g.n {
		if g.cards[c] == card {
			return c
		}
	}
	return -1
}

// oneMore returns the bit for adding a copy of a cell's card to cards. Of k copies,
// the first k cells are set, so that equal hands and decks are equal words.
func (g *Game) oneMore(cards uint64, cell int) uint64 {
	run := g.run[cell]
	free := run &^ cards
	return free & -free
}

// lay sets the sizes of the policy and of observations: four rows of as many columns
// as needed for the three actions Pass, Heal and Attack and the cells, so that a
// convolutional policy head has a logit for each.
func (g *Game) lay() {
	const rows = 4
	cells := int(firstCell) + g.cells
	columns := (cells + rows - 1) / rows
	g.shape = game.Shape{C: planeCount, H: rows, W: columns}
	g.actions = rows * columns
	if g.rules.Battle == Any {
		g.own = game.Action(cells)
		g.actions = cells + g.cells
	}
}

// limit sets the bound on the actions of a game: the deal, then in each turn a draw, a
// card, a target and the acts of all cards on the field.
func (g *Game) limit() {
	if g.opening == 0 {
		g.plyLimit = 2 * g.rules.Deck.Hand
	}
	greatest := g.soldiers
	if g.rules.Representative {
		greatest = g.n
		g.plyLimit = 0
	}
	for turn := range g.rules.MaxTurns {
		acts := min(greatest, turn/2+1)
		if g.rules.Order == FreeOrder {
			acts *= 2
		}
		g.plyLimit += 3 + acts
	}
}

// Name lists the deck, the hand, the health points and the draw, and what differs from
// the defaults.
func (g *Game) Name() string { return g.name }

// Rules returns the complete rules. The slices must not be changed.
func (g *Game) Rules() Rules { return g.rules }

// Players is 2.
func (g *Game) Players() int { return 2 }

// Actions counts Pass, Heal, Attack, and the cells.
func (g *Game) Actions() int { return g.actions }

// Planes is [planes, 4, columns]; see Observation.
func (g *Game) Planes() game.Shape { return g.shape }

var support = []float32{0, 0.5, 1}

// Support lists the utilities of loss, draw and win.
func (g *Game) Support() []float32 { return support }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// PlyLimit bounds the actions and outcomes of a game.
func (g *Game) PlyLimit() int { return g.plyLimit }

// HasChance is false in games of representative moves, where nobody draws.
func (g *Game) HasChance() bool { return !g.rules.Representative }

// SeatName is First or Second.
func (g *Game) SeatName(p game.Player) string { return [2]string{"First", "Second"}[p] }
