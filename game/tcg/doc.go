// Package tcg implements the trading-card game of Taucer, Polk and Oommen, "On
// Addressing the Challenges of Complex Stochastic Games Using 'Representative' Moves"
// (AIAI 2018), sections 4 and 5.
//
//	tcg                                   the paper's deck, dealt
//	tcg:deck=benchmark,draw=always        the paper's starting hand, a draw in every turn
//	tcg:deck=decks/small.yaml,hp=20       a deck from a file; see ReadDeck
//	tcg:deck=[1/1/1,6/0/0,removal],hand=2 a deck in the name
//
// # Rules
//
// Two players have equal decks of soldiers, with values for Fight, Heal and Attack,
// and Removals. Hands are open, decks are shuffled. Both players begin with 50 health
// points, which have no upper limit, and are dealt five cards. In a turn a player
// draws a card, unless that would make more than five in hand. It may then place one
// card on its field. Then each of its cards on the field, the oldest first and the new
// one included, does one of the following: nothing; heal its owner by its Heal; reduce
// the opponent's health by its Attack; or battle a card on the opponent's field, in
// which the card with the lower Fight is removed, in a tie both. A Removal, when
// placed, removes one opposing card and itself; without an opposing card it has no
// effect. Drawing from an empty deck does nothing. A player without health points
// loses. After 400 turns, counting both players', the game is a draw. What the paper
// leaves open is a parameter; see [Rules].
//
// # Turns as actions
//
// A turn is a sequence of actions: place a card or none; choose the target of a
// Removal; then one action for each card. A draw is an outcome of chance. The state
// holds the cards that are left, not their order, so that no search can find out what
// will be drawn. An entry of the policy is Pass, Heal, Attack or a card, which means
// placing the card in one phase, and battling or removing the opposing card in
// another. Equal cards in hand share an action; equal cards on a field differ in their
// position and have separate actions.
//
// # Representative moves
//
// [Game.Abstraction] is the game of representative moves (cards=representative), in
// which three average cards stand for the hand and nobody draws. It shares actions
// with the original:
//
//	a := g.Abstraction()
//	image := a.Game().NewState()
//	a.Abstract(image, s)
//	s.Apply(a.Realise(s, search(image)))
//
// # Caveats
//
// States are values of fixed size without pointers, except to their game; nothing
// allocates. A deck has at most 40 cards. In a game of representative moves, health
// and values are counted in units of 1/4096, to which averages are rounded.
package tcg
