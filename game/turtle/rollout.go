package turtle

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// Rollout plays s to its end. Each action of each player is drawn among all legal ones
// with probability epsilon, in steps of a millionth, and chosen by the strategy otherwise.
func (q Strategy) Rollout(s game.State, epsilon float64, rng *rand.Rand) {
	q.rollout(baseOf(s), epsilon, rng)
}

// Playout plays to the end, uniformly at random among the legal actions.
func (s *base) Playout(rng *rand.Rand) { Dummy.rollout(s, 0, rng) }

// A turn of a rollout takes one random word. Its parts are numbers below some n, uniform to n parts
// in 2 to the number of their bits.
const (
	drawBits     = 24 // the card that is drawn; the lowest bits
	choiceBits   = 20 // the action
	epsilonBits  = 20 // whether it is drawn among all legal ones; the highest
	choiceFrom   = drawBits
	epsilonFrom  = choiceFrom + choiceBits
	alwaysRandom = 1 << epsilonBits
)

// drawn and chosen return the parts of a random word as numbers below n.
func drawn(word uint64, n int) int { return int(word & (1<<drawBits - 1) * uint64(n) >> drawBits) }
func chosen(word uint64, n int) int {
	return int(word >> choiceFrom & (1<<choiceBits - 1) * uint64(n) >> choiceBits)
}

// randomBelow returns the number below which a word's highest part lets an action be drawn among
// all legal ones.
func (q Strategy) randomBelow(epsilon float64) uint64 {
	if q == Dummy {
		return alwaysRandom
	}
	return uint64(math.Round(epsilon * alwaysRandom))
}

// rollout does what Apply does, in less time: the draw pile is a list, from which any card is drawn
// alike, what a strategy prefers is found without branches, and the draw pile and the discards are
// counted at the end.
func (q Strategy) rollout(s *base, epsilon float64, rng *rand.Rand) {
	for s.phase < play {
		s.Apply(s.Sample(rng))
	}
	if s.phase == over {
		return
	}
	var cards cardList
	s.deck.list(&cards)
	if s.phase == draw {
		s.drawFrom(&cards, rng.Uint64())
	}
	g, randomBelow := s.g, q.randomBelow(epsilon)
	var last Turtle // that was moved, or whose card was discarded
	for {
		word := rng.Uint64()
		legal := s.legal()
		set := q.preferred(s, int(s.mover), legal)
		if word>>epsilonFrom < randomBelow {
			set = legal
		}
		a := nthOf(set, chosen(word, bits.OnesCount64(set)))
		if g.rules.History > 0 {
			s.past.record(s, a)
		}
		c := playedCard(a)
		s.hands[s.mover].remove(c)
		last = turtleOf(a)
		if isPlay(a) {
			s.move(last, stepsOf[a], g.goal, g.stacked)
		}
		s.turn++
		if s.at(g.goal) != 0 || int(s.turn) >= g.rules.MaxTurns {
			break
		}
		if cards.n == 0 {
			rest := s.unheld()
			rest.list(&cards)
		}
		s.drawFrom(&cards, word)
	}
	s.settle(&cards)
	if s.at(g.goal) != 0 {
		s.finish(last)
	} else {
		s.best()
	}
}

// drawFrom lets the current player draw a card from the list, and passes the turn.
func (s *base) drawFrom(l *cardList, word uint64) {
	i := drawn(word, l.n)
	c := Card(l.cards[i])
	l.n--
	l.cards[i] = l.cards[l.n]
	s.hands[s.mover].add(c)
	if s.mover++; int(s.mover) == s.g.rules.Players {
		s.mover = 0
	}
}

// unheld returns the cards that are in nobody's hand, as numbers.
func (s *base) unheld() (p pile) {
	p.count = s.g.full.count
	for i := range s.g.rules.Players {
		for c, n := range s.hands[i].count {
			p.count[c] -= n
		}
	}
	return p
}

// settle makes the draw pile of the list, and the discards of the cards that are nowhere else.
func (s *base) settle(l *cardList) {
	s.deck, s.discards = pile{}, s.unheld()
	for _, c := range l.cards[:l.n] {
		s.deck.add(Card(c))
		s.discards.count[c]--
	}
	for c, n := range s.discards.count {
		s.discards.held |= kept[c] & -(-uint64(n) >> 63) // no branch
	}
	s.discards.n, s.discards.sum = s.g.full.n-s.deck.n, s.g.full.sum-s.deck.sum
	for i := range s.g.rules.Players {
		s.discards.n -= s.hands[i].n
		s.discards.sum -= s.hands[i].sum
	}
}

// cardList is a pile as a list.
type cardList struct {
	n     int
	cards [mostCards + 8]uint8
}

// list makes a list of a pile, sorted by kind.
func (p *pile) list(l *cardList) {
	l.n = 0
	for c, n := range p.count {
		// Eight are written at a time; those beyond n are overwritten.
		for from, eight := l.n, uint64(c)*0x0101010101010101; ; from += 8 {
			binary.LittleEndian.PutUint64(l.cards[from:], eight)
			if from+8 >= l.n+int(n) {
				break
			}
		}
		l.n += int(n)
	}
}

// stepsOf are the squares that an action moves a turtle.
var stepsOf = func() (list [cardRows * Turtles]int) {
	for a := range list {
		list[a] = steps[rowOf(game.Action(a))]
	}
	return list
}()
