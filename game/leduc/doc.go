// Package leduc implements Leduc hold'em for two players (Southey, Bowling, Larson, Piccione,
// Burch, Billings and Rayner 2005, "Bayes' Bluff: Opponent Modelling in Poker"), with the rules of
// OpenSpiel's leduc_poker.
//
//	leduc
//
// # Rules
//
// The deck has two cards each of J, Q and K. Both players ante one chip and are dealt one card.
// They bet; then one card is dealt face up, and they bet again. In each round the first player
// begins. A player may call (check, if there is nothing to call), raise, which is 2 chips in the
// first round and 4 in the second, at most twice a round by both together, or fold after a raise. A
// round ends when a raise is called, or both have checked. Whoever has a pair with the card face up
// wins the pot, else the higher card does; equal cards share it.
//
// # Utilities
//
// A player loses at most 13 chips. Utilities are shares of all chips, if each player begins with
// 13: a player who wins x chips has utility (x + 13) ÷ 26. They sum to 1. Game.Chips converts back,
// and scores are chips won.
//
// # Chance and hidden information
//
// Cards of one rank are the same card, so that there are 288 information sets; chance deals them by
// the number that is left. A seat sees its own card, the one face up, and all that was bet; its
// information set contains the whole history of bets. State.Determinize draws the other player's
// card from the four or five that seat does not see. Once the game is over both cards are revealed.
package leduc
