// Package kuhn implements Kuhn poker (Kuhn 1950, "A simplified two-person poker") for two players,
// and for three (Abou Risk and Szafron 2010), with the rules of OpenSpiel's kuhn_poker.
//
//	kuhn              for two players
//	kuhn:players=3
//
// # Rules
//
// The deck has one card more than there are players: J, Q and K, with three players also A, which
// is the highest. Each player antes one chip and is dealt one card. In the order of seats, players
// pass or bet one chip until one has bet; then each of the others, in order, calls with a bet or
// folds with a pass. The highest card wins the pot: of those who have bet, or of all players if
// nobody has.
//
// # Utilities
//
// A player loses at most 2 chips. Utilities are shares of all chips, if each player begins with 2:
// a player who wins x chips has utility (x + 2) ÷ (2·players). They sum to 1. Game.Chips converts
// back, and scores are chips won.
//
// # Chance and hidden information
//
// Chance deals the cards, one per outcome, to the seats in order. A seat sees its own card and all
// that was bet; its information set contains the whole history of bets, so players forget nothing.
// State.Determinize draws the cards of others uniformly from those that seat does not hold. Once
// the game is over all cards are revealed.
package kuhn
