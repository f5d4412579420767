package turtle

import (
	"sync"

	"tengen/game"
)

// The policy: rows of five actions, one for each turtle, like the observation's rows
// of five cells; then one more action.
const (
	rows = MostSquares

	rowDiscard = cardRows       // discarding a [−] of the turtle's colour
	rowOwner   = rowDiscard + 1 // chance deals the turtle's tile
	rowStack   = rowOwner + 1   // chance puts the turtle on top of the stack on the start

	// DiscardAny discards a [−] of all colours.
	DiscardAny = game.Action(rows * Turtles)

	actions = int(DiscardAny) + 1
)

// Play is the action that plays a card for a turtle: the card's own, or the one chosen
// for a card of all colours.
func Play(c Card, t Turtle) game.Action {
	if c < AnyPlus {
		t = c.Turtle()
	}
	return action(c.row(), t)
}

// Discard is the action that discards a card that can't be played, which is a [−].
func Discard(c Card) game.Action {
	if c < AnyPlus {
		return action(rowDiscard, c.Turtle())
	}
	return DiscardAny
}

// Draw is the outcome in which a card is dealt or drawn.
func Draw(c Card) game.Action {
	if c < AnyPlus {
		return game.Action(c)
	}
	return game.Action(actions) + game.Action(c-AnyPlus)
}

// Own is the outcome in which the current player is dealt the turtle's tile.
func Own(t Turtle) game.Action { return action(rowOwner, t) }

// Place is the outcome in which the turtle is put on top of the stack on the start.
func Place(t Turtle) game.Action { return action(rowStack, t) }

func action(row int, t Turtle) game.Action { return game.Action(row*Turtles) + game.Action(t) }

// rowOf and turtleOf split an action.
func rowOf(a game.Action) int       { return int(a) / Turtles }
func turtleOf(a game.Action) Turtle { return Turtle(a % Turtles) }
func drawnCard(a game.Action) Card  { return cardOf[a] }
func playedCard(a game.Action) Card { return cardOf[a] }
func isDiscard(a game.Action) bool  { return rowOf(a) == rowDiscard || a == DiscardAny }
func isPlay(a game.Action) bool     { return a >= 0 && rowOf(a) < cardRows }
func isDraw(a game.Action) bool {
	return a >= 0 && (a < game.Action(AnyPlus) || int(a) >= actions && int(a) < actions+4)
}
func isOutcomeOf(a game.Action, row int) bool { return a >= 0 && a < DiscardAny && rowOf(a) == row }

// cardOf is the card that an action plays or discards, or an outcome draws.
var cardOf = func() (cards [actions + Cards - int(AnyPlus)]Card) {
	for c := range Card(Cards) {
		for t := range Turtle(Turtles) {
			cards[Play(c, t)] = c
		}
		cards[Draw(c)] = c
	}
	for t := range Turtle(Turtles) {
		cards[Discard(Minus(t))] = Minus(t)
	}
	cards[DiscardAny] = AnyMinus
	return cards
}()

// Game is the game with one set of rules.
type Game struct {
	rules   Rules
	name    string
	goal    int
	stacked bool
	open    bool
	full    pile // the deck
	support []float32
	shape   game.Shape

	kinds      []Card // with copies in the deck
	facts      []game.HiddenFact
	symmetries func() []game.Symmetry
}

// New makes the game with the given rules.
func New(r Rules) (*Game, error) {
	r, err := r.complete()
	if err != nil {
		return nil, err
	}
	g := &Game{
		rules: r, name: r.name(), goal: r.Squares - 1,
		stacked: r.Start == Stacked, open: r.Hands == Open,
		shape: game.Shape{
			C: planes(r.Players, r.Hands == Open) + historyPlanes(r.Players, r.History),
			H: rows, W: Turtles,
		},
		support: []float32{0},
	}
	for c := range Card(Cards) {
		for range r.Deck[c.row()] {
			g.full.add(c)
		}
	}
	g.listHiddenFacts()
	for n := r.Players; n > 0; n-- {
		g.support = append(g.support, 1/float32(n))
	}
	g.symmetries = sync.OnceValue(g.permutations)
	return g, nil
}

// Opened returns the game in which all players see everything, or nil if this is it.
func (g *Game) Opened() game.Game {
	if g.open {
		return nil
	}
	r := g.rules
	r.Hands = Open
	return game.Must(New(r)) // the other rules are accepted already
}

// LayOpen sets dst, a state of the game that Opened returned, to the position of src.
func (g *Game) LayOpen(dst, src game.State) { dst.(*OpenState).copyFrom(&src.(*State).base) }

// Name lists the players and what differs from the defaults.
func (g *Game) Name() string { return g.name }

// Rules returns the complete rules.
func (g *Game) Rules() Rules { return g.rules }

// Players is 2 to 5.
func (g *Game) Players() int { return g.rules.Players }

// Actions counts the pairs of a card and a turtle, and the discards.
func (g *Game) Actions() int { return actions }

// Planes is [planes, 10, 5]; see Observation.
func (g *Game) Planes() game.Shape { return g.shape }

// Support lists 0 and the shares of a win by one to all players.
func (g *Game) Support() []float32 { return g.support }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// HasChance is true: chance deals colours and cards.
func (g *Game) HasChance() bool { return true }

// PlyLimit is the greatest number of actions and outcomes of a game: the deal, then a
// card played and one drawn in each turn.
func (g *Game) PlyLimit() int {
	n := g.rules.Players*(1+g.rules.Hand) + 2*g.rules.MaxTurns
	if g.stacked {
		n += Turtles
	}
	return n
}

// Symmetries are the 120 permutations of the colours: turtles, cards and tiles change
// colour together, and every player keeps its seat. The identity comes first.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries() }

// permutations makes the symmetries.
func (g *Game) permutations() []game.Symmetry {
	var list []game.Symmetry
	var colours [Turtles]int
	var extend func(n int, used herd)
	extend = func(n int, used herd) {
		if n == Turtles {
			list = append(list, g.permuted(colours))
			return
		}
		for t := range Turtles {
			if used>>t&1 == 0 {
				colours[n] = t
				extend(n+1, used|1<<t)
			}
		}
	}
	extend(0, 0)
	return list
}

// permuted returns the symmetry that gives turtle t the colour colours[t].
func (g *Game) permuted(colours [Turtles]int) game.Symmetry {
	s := game.Symmetry{Actions: []game.Action{}}
	for row := range rows {
		for _, t := range colours {
			s.Cells = append(s.Cells, row*Turtles+t)
			s.Actions = append(s.Actions, game.Action(row*Turtles+t))
		}
	}
	s.Actions = append(s.Actions, DiscardAny)
	for p := range g.shape.C {
		s.Planes = append(s.Planes, p)
	}
	s.HiddenFacts = g.permutedHiddenFacts(colours)
	for p := range game.Player(g.rules.Players) {
		s.Players = append(s.Players, p)
	}
	return s
}
