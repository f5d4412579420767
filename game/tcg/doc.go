// Package tcg is the trading-card game of Taucer, Polk and Oommen, "On
// Addressing the Challenges of Complex Stochastic Games Using 'Representative'
// Moves" (AIAI 2018), sections 4 and 5.
//
//	tcg                                   the paper's deck, dealt
//	tcg:deck=benchmark,draw=always        the paper's starting hand, a draw in every turn
//	tcg:deck=decks/small.yaml,hp=20       a deck of one's own; see ReadDeck
//	tcg:deck=[1/1/1,6/0/0,removal],hand=2 the same in a name
//
// # Rules
//
// Each of two players has a deck of the same cards: soldiers with values for
// Fight, Heal and Attack, and Removals. Hands are open, decks are shuffled; both
// begin with 50 health points, which have no upper limit. Five cards are dealt.
// In a turn a player draws a card, unless that would make more than five in
// hand; may place one card on its field; then each of its cards on the field,
// the oldest first and the new one too, does nothing, heals its owner by its Heal,
// attacks the opponent's health by its Attack, or battles a card on the
// opponent's field: the lower Fight is removed, and both are in a tie. A Removal,
// when placed, takes one opposing card off the field and is gone itself; where
// there is none it has no effect. To draw from an empty deck does nothing. Who
// has no health points left loses; after 400 turns, both players' counted, the
// game is drawn. What the paper leaves open is a parameter; see [Rules].
//
// # Turns as actions
//
// A turn is a sequence of actions: place a card or none; name what a Removal
// takes; then one action for each card. A draw is an outcome of chance, with
// one card an outcome and the cards that are left, not their order, in the
// state: nothing that a search does with a state can tell what will be drawn.
// A place in the policy is one of Pass, Heal and Attack, or a card: the card
// placed in one phase, the opposing card battled or removed in another. Equal
// cards in hand are one action; equal cards on a field differ in their place
// and are two.
//
// # Representative moves
//
// [Game.Abstraction] is the game of representative moves (cards=representative),
// in which three average cards stand for the hand and nobody draws. It has
// actions in common with the original:
//
//	a := g.Abstraction()
//	image := a.Game().NewState()
//	a.Abstract(image, s)
//	s.Apply(a.Realise(s, search(image)))
//
// # Caveats
//
// States are values without pointers but to their game, and of a fixed size;
// nothing allocates. A deck has at most 40 cards. In a game of representative
// moves health and values are counted in 4096ths, to which averages are
// rounded.
package tcg
