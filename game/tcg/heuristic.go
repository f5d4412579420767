package tcg

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// paper is the name of the heuristic.
const paper = "paper"

// Heuristics has the paper's evaluation (section 5), called "paper": health points,
// plus a third of all values on the player's field, minus the balance of its hand; all
// less the same of the opponent. The balance is the difference between the greatest
// and the least total of the cards in hand. A won game is worth more than any other
// position, and the more the earlier it ends; a draw is worth 0.
func (g *Game) Heuristics() []game.Heuristic {
	bound := g.toPoints(g.winAt(0))
	return []game.Heuristic{{
		Name:    paper,
		Summary: "health + field / 3 - balance of the hand, less the opponent's",
		Low:     -bound,
		High:    bound,
		Value: func(s game.State, p game.Player) float64 {
			return g.toPoints(s.(*State).thirds(int(p)))
		},
	}}
}

// LastTurn returns lastTurn for the heuristic "paper" (minimax.LastTurned). It covers turns
// in a fixed order with battles against the opponent, except for one with few ends before the
// game is drawn, and for the one before the opponent loses because its deck is empty. Where a
// turn has more than a million ends, it values most of them together, and leaves counts those
// valued one by one.
func (g *Game) LastTurn(
	heuristic string,
) func(s game.State, p game.Player, alpha, beta float64) (value float64, leaves int64, ok bool) {
	if heuristic != paper {
		return nil
	}
	return g.lastTurn
}

// toPoints converts thirds of the game's unit to points.
func (g *Game) toPoints(thirds int64) float64 { return float64(thirds) / float64(3*g.unit) }

// thirds returns the heuristic value for p in thirds of the unit, which makes it a
// whole number.
func (s *State) thirds(p int) int64 {
	if s.phase == over {
		switch int(s.winner) {
		case -1:
			return 0
		case p:
			return s.g.winAt(int(s.turn))
		}
		return -s.g.winAt(int(s.turn))
	}
	a, b := &s.sides[p], &s.sides[1-p]
	return 3*(a.hp-b.hp-int64(s.g.balance(a.hand)-s.g.balance(b.hand))) + int64(a.sum-b.sum)
}

// balance returns the difference between the greatest and the least total of a hand.
// Cells are in ascending order of total.
func (g *Game) balance(hand uint64) int32 {
	if hand == 0 {
		return 0
	}
	return g.value[bits.Len64(hand)-1].total - g.value[bits.TrailingZeros64(hand)].total
}

// winAt returns the value, in thirds, of a win after the given number of turns.
func (g *Game) winAt(turn int) int64 {
	return g.most + int64(3*g.unit)*int64(g.rules.MaxTurns+1-turn)
}

// bound sets most to an upper bound for positions in play: the health that all cards
// restore in every turn, and all values on the field.
func (g *Game) bound() {
	var heal, total, greatest int64
	for _, v := range g.value[:g.n] {
		heal += int64(v.heal)
		total += int64(v.total)
		greatest = max(greatest, int64(v.total))
	}
	if g.rules.Representative { // an average counts the hand double
		heal, total = 2*greatest*int64(g.n), 2*greatest*int64(g.n)
	}
	turns := int64(g.rules.MaxTurns/2 + 1)
	g.most = 3*(int64(g.rules.Deck.HP)*int64(g.unit)+turns*heal+greatest) + total
}

// Playout plays to the end, uniformly at random among actions that are not obviously
// bad: a card is placed if possible, a Removal only against a target; and a card does
// nothing, heals or attacks by 0, or loses a battle only if it can't do better.
func (s *State) Playout(rng *rand.Rand) {
	for {
		switch s.CurrentPlayer() {
		case game.Nobody:
			return
		case game.Chance:
			s.Apply(s.Sample(rng))
			continue
		}
		actions, _ := s.legal()
		if sensible := s.sensible(actions); sensible != 0 {
			actions = sensible
		}
		for range rng.IntN(bits.OnesCount64(actions)) {
			actions &= actions - 1
		}
		s.Apply(game.Action(bits.TrailingZeros64(actions)))
	}
}

// sensible returns the current player's actions that are not obviously bad, without
// battles against its own cards. There may be none.
func (s *State) sensible(actions uint64) uint64 {
	actions &^= 1 << Pass
	p := int(s.mover)
	switch s.phase {
	case place:
		if s.sides[1-p].count == 0 {
			actions &^= s.g.scrap << firstCell
		}
	case act:
		c := s.worth(p, s.sides[p].field[s.next])
		if c.heal == 0 {
			actions &^= 1 << Heal
		}
		if c.attack == 0 {
			actions &^= 1 << Attack
		}
		t := &s.sides[1-p]
		var all uint64
		for _, cell := range t.field[:t.count] {
			bit := uint64(1) << cell
			if s.g.alone&bit == 0 {
				bit = s.g.oneMore(all, int(cell))
			}
			all |= bit
			if s.worth(1-p, cell).fight > c.fight {
				actions &^= bit << firstCell
			}
		}
	}
	return actions
}

// Preferences among equal actions of a card: attacks are preferred, or heals.
const (
	tiesAttack = "attack"
	tiesHeal   = "heal"
)

// TieBreaks returns attack and heal.
func (g *Game) TieBreaks() []string { return []string{tiesAttack, tiesHeal} }

// TieBreak ranks attacks, or heals, before all other actions. A card whose Heal equals its
// Attack often finds both equally good by the heuristic: health counts alike on both sides.
func (g *Game) TieBreak(name string) func(a game.Action) int {
	first, ok := map[string]game.Action{tiesAttack: Attack, tiesHeal: Heal}[name]
	if !ok {
		return nil
	}
	return func(a game.Action) int {
		if a == first {
			return 0
		}
		return 1
	}
}
