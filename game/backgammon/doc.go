// Package backgammon implements backgammon for two players, for money and without a doubling cube.
//
//	backgammon                    15 checkers each
//	backgammon:checkers=3         Hypergammon: 3 checkers each, on the points 24, 23 and 22
//	backgammon:checkers=1         smaller still, for tests; 2 likewise
//
// # Rules
//
// Each player moves from its own point 24 down to 1 and then off the board. White begins; its first
// roll is no double, as if it had won the roll for the first turn. A turn is a roll and as many
// moves of one checker as the dice allow: one for each die, or four with doubles. A player must use
// both dice if it can, in either order, and if it can use only one of them, the larger if possible.
// A move may not end on a point where the other has two checkers or more. Where the other has one,
// that is hit and goes to the bar, from which it must enter before its player moves anything else.
// Once all checkers are on the points 1 to 6 they are borne off, with the exact number or, from the
// highest point, with a larger one. Who has borne off all checkers first wins 1 point; 2 if the
// other has borne off none (a gammon); 3 if in addition it has a checker on the bar or on the
// winner's points 1 to 6 (a backgammon).
//
// # Utilities
//
// A player who wins x points, −3 to 3, has utility (x + 3) ÷ 6. Game.Chips converts back, and
// scores are points.
//
// # Actions
//
// An action moves one checker: it names the point from which it moves, and which of the two dice it
// uses. So a turn is a sequence of up to four actions, and the next player is to move only when it
// is complete. Each position that a turn can lead to is reached by one sequence alone: with doubles
// checkers are moved from higher points first; else the larger die is used first, and the smaller
// only where the turn leads to a position that the other order does not reach. Pass is the only
// action of a player who can't move.
//
// Rolls are outcomes of chance, all 21 with their probabilities, of which 15 are possible in the
// first turn.
//
// # Observation
//
// An observation is a vector of 276 numbers, a board of one cell: for each player what Tesauro
// (1995, "Temporal difference learning and TD-Gammon") tells a network of each point, by the
// player's own count, the checkers borne off, and the pips; then the dice, and which of the 56
// actions are legal. A network of it is one of dense layers. A symmetry exchanges the players.
package backgammon
