package turtle

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// Phases of a game.
type phase uint8

const (
	owners phase = iota // chance deals each player a tile
	heap                // chance stacks the turtles on the start, from below
	deal                // chance deals the hands, card by card, the first player's first
	play                // the player plays a card, or discards one
	draw                // chance draws a card for the current player
	over
)

// position holds everything of a state except its game.
type position struct {
	board
	phase    phase
	mover    uint8 // who plays, or is dealt to, or draws
	turn     uint16
	winners  uint8 // once over, a bit per player
	owner    [Turtles]Turtle
	hands    [Turtles]pile
	deck     pile // cards that may still be drawn, without an order
	discards pile
}

// base is the common part of both kinds of states.
type base struct {
	g *Game
	position
	past past // with Rules.History; else nothing touches it
}

// State is a position of a game with hidden hands. It implements
// game.ImperfectInformation.
type State struct{ base }

// OpenState is a position of a game in which all players see everything.
type OpenState struct{ base }

// baseOf returns the common part of a state of this package.
func baseOf(s game.State) *base {
	if h, ok := s.(*State); ok {
		return &h.base
	}
	return &s.(*OpenState).base
}

// NewState returns the position before the deal.
func (g *Game) NewState() game.State {
	t := base{g: g}
	t.deck = g.full
	for p := range t.owner {
		t.owner[p] = NoTurtle
	}
	if !g.stacked {
		t.board = sideBySide()
	}
	return g.state(t)
}

// state makes a state from its common part.
func (g *Game) state(t base) game.State {
	if g.open {
		return &OpenState{t}
	}
	return &State{t}
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { s.copyFrom(&src.(*State).base) }

// CopyFrom copies a state of the same game.
func (s *OpenState) CopyFrom(src game.State) { s.copyFrom(&src.(*OpenState).base) }

func (s *base) copyFrom(src *base) {
	s.position = src.position
	if s.g.rules.History > 0 {
		s.past = src.past
	}
}

// CurrentPlayer is the player whose turn it is, Chance while something is dealt or
// drawn, or Nobody.
func (s *base) CurrentPlayer() game.Player {
	switch s.phase {
	case play:
		return game.Player(s.mover)
	case over:
		return game.Nobody
	}
	return game.Chance
}

// Turn is the number of cards played and discarded. The draw after a card belongs to
// the next turn in this count.
func (s *base) Turn() int { return int(s.turn) }

// Owner returns the turtle of a player, NoTurtle before it is dealt. In a state with
// hidden hands only that player may know it.
func (s *base) Owner(p game.Player) Turtle { return s.owner[p] }

// Hand returns the number of cards of kind c that a player holds. In a state with
// hidden hands only that player may know it.
func (s *base) Hand(p game.Player, c Card) int { return int(s.hands[p].count[c]) }

// Held returns the number of cards in a player's hand.
func (s *base) Held(p game.Player) int { return int(s.hands[p].n) }

// Discarded returns the number of cards of kind c among the discards.
func (s *base) Discarded(c Card) int { return int(s.discards.count[c]) }

// Apply plays an action, or takes what chance deals or draws.
func (s *base) Apply(a game.Action) {
	switch s.phase {
	case play:
		s.plays(a)
	case draw:
		s.take(drawnCard(a))
		s.pass()
	case deal:
		s.take(drawnCard(a))
		if int(s.hands[s.mover].n) == s.g.rules.Hand {
			if s.pass(); s.mover > 0 {
				s.phase = deal
			}
		}
	case owners:
		s.owner[s.mover] = turtleOf(a)
		if s.mover++; int(s.mover) == s.g.rules.Players {
			s.mover = 0
			s.phase = deal
			if s.g.stacked {
				s.phase = heap
			}
		}
	case heap:
		s.place(turtleOf(a))
		if s.at(0) == allTurtles {
			s.phase = deal
		}
	default:
		panic("turtle: an action after the end")
	}
}

// take moves a card from the draw pile to the current player's hand.
func (s *base) take(c Card) {
	s.deck.remove(c)
	s.hands[s.mover].add(c)
}

// pass passes the turn to the next player.
func (s *base) pass() {
	if s.mover++; int(s.mover) == s.g.rules.Players {
		s.mover = 0
	}
	s.phase = play
}

// plays moves a card from the current player's hand to the discards, applies it, and
// ends the game or lets the player draw.
func (s *base) plays(a game.Action) {
	if s.g.rules.History > 0 {
		s.past.record(s, a)
	}
	c := playedCard(a)
	s.hands[s.mover].remove(c)
	s.discards.add(c)
	if isPlay(a) {
		s.move(turtleOf(a), c.Steps(), s.g.goal, s.g.stacked)
	}
	s.turn++
	switch {
	case s.at(s.g.goal) != 0:
		s.finish(turtleOf(a))
	case int(s.turn) >= s.g.rules.MaxTurns:
		s.best()
	default:
		s.refill()
		s.phase = draw
	}
}

// refill turns the discards into the draw pile if that is empty. A card has just been
// played, so there is always one to draw.
func (s *base) refill() {
	if s.deck.n == 0 {
		s.deck, s.discards = s.discards, pile{}
	}
}

// Skip ends the current player's turn without a card played or drawn.
func (s *base) Skip() {
	s.turn++
	if int(s.turn) >= s.g.rules.MaxTurns {
		s.best()
		return
	}
	s.pass()
}

// finish ends the game after a move of t, which is the lowest on the goal.
func (s *base) finish(t Turtle) {
	s.phase = over
	for p := range s.g.rules.Players {
		if s.owner[p] == t {
			s.winners = 1 << p
			return
		}
	}
	if s.g.rules.Unowned == None {
		s.winners = 1<<s.g.rules.Players - 1
		return
	}
	s.best()
}

// best ends the game: the players with the most victory points win.
func (s *base) best() {
	s.phase = over
	most := -1
	for p, t := range s.owner[:s.g.rules.Players] {
		switch n := s.points(t); {
		case n > most:
			most, s.winners = n, 1<<p
		case n == most:
			s.winners |= 1 << p
		}
	}
}

// Returns divides 1 among the winners.
func (s *base) Returns(dst []float32) {
	share := 1 / float32(bits.OnesCount8(s.winners))
	for p := range s.g.rules.Players {
		dst[p] = 0
		if s.winners>>p&1 != 0 {
			dst[p] = share
		}
	}
}

// Hash mixes the cards in every hand and in the draw pile with the rest. The remaining
// cards are the discards.
func (s *base) Hash() uint64 {
	cards := s.deck.sum
	owned := uint64(s.turn)
	for p := range s.g.rules.Players {
		cards += s.hands[p].sum * handFactors[p]
		owned = owned<<3 | uint64(s.owner[p]&7)
	}
	return random.Mix(cards ^ random.Mix(s.public()^random.Mix(owned)))
}

// handFactors are odd numbers that distinguish the players' hands in sums.
var handFactors = func() (f [Turtles]uint64) {
	for p := range f {
		f[p] = random.Mix(0x5bd1e995*uint64(p+1)) | 1
	}
	return f
}()

// public packs the board, the current player and the phase.
func (s *base) public() uint64 {
	return s.key() | uint64(s.mover)<<45 | uint64(s.phase)<<48
}

// LegalActions appends the cards that the current player can play, those of all
// colours once for each turtle that they may move; or, if it can't play any, those
// that it can discard.
func (s *base) LegalActions(dst []game.Action) []game.Action {
	for m := s.legal(); m != 0; m &= m - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros64(m)))
	}
	return dst
}

// legal returns a bit for each legal action.
func (s *base) legal() uint64 { return s.legalOf(int(s.mover)) }

// legalOf is legal for any player, as if it were to move.
func (s *base) legalOf(player int) uint64 {
	const anywhere = uint64(allTurtles)<<(Turtles*rowDoublePlus) |
		uint64(allTurtles)<<(Turtles*rowPlus) | uint64(allTurtles)<<(Turtles*rowAnyPlus)
	held := s.hands[player].held
	away := uint64(allTurtles &^ s.at(0))
	last := uint64(s.at(s.lastSquare()))
	can := anywhere |
		away<<(Turtles*rowMinus) | away<<(Turtles*rowAnyMinus) |
		last<<(Turtles*rowArrow) | last<<(Turtles*rowArrow2)
	if held&can != 0 {
		return held & can
	}
	// Only a minus of a turtle on the start can't be played.
	const minus = uint64(allTurtles) << (Turtles * rowMinus)
	discards := held & minus << (Turtles * (rowDiscard - rowMinus))
	if held>>(Turtles*rowAnyMinus)&uint64(allTurtles) != 0 {
		discards |= 1 << DiscardAny
	}
	return discards
}

// one draws an action from a set.
func one(set uint64, rng *rand.Rand) game.Action {
	k := 0
	if n := bits.OnesCount64(set); n > 1 {
		k = rng.IntN(n)
	}
	return nthOf(set, k)
}

// nthOf returns action k of a set, in ascending order.
func nthOf(set uint64, k int) game.Action {
	for range k {
		set &= set - 1
	}
	return game.Action(bits.TrailingZeros64(set))
}

// Outcomes appends the cards that may be dealt or drawn, weighted by how many are left
// of each kind, or the tiles, or the turtles that are not stacked yet.
func (s *base) Outcomes(dst []game.Outcome) []game.Outcome {
	if s.phase <= heap {
		row, free := s.undealt()
		share := 1 / float64(bits.OnesCount32(free))
		for ; free != 0; free &= free - 1 {
			dst = append(dst, game.Outcome{
				Action: action(row, Turtle(bits.TrailingZeros32(free))), Probability: share,
			})
		}
		return dst
	}
	for c, n := range s.deck.count {
		if n > 0 {
			dst = append(dst, game.Outcome{
				Action: Draw(Card(c)), Probability: float64(n) / float64(s.deck.n),
			})
		}
	}
	return dst
}

// Sample draws one outcome.
func (s *base) Sample(rng *rand.Rand) game.Action {
	if s.phase <= heap {
		row, free := s.undealt()
		return action(row, Turtle(one(uint64(free), rng)))
	}
	return Draw(s.deck.nth(rng.IntN(int(s.deck.n))))
}

// undealt returns what chance deals before the cards, and the row of these outcomes:
// the tiles that nobody has, or the turtles that are not on the start yet.
func (s *base) undealt() (row int, free herd) {
	if s.phase == heap {
		return rowStack, allTurtles &^ s.at(0)
	}
	free = allTurtles
	for p := range s.mover {
		free &^= 1 << s.owner[p]
	}
	return rowOwner, free
}
