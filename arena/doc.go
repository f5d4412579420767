// Package arena plays matches among players and says how strong they are, with
// the number of games and a 95 % interval beside every figure.
//
// A [Match] plays many games side by side, on several workers, the leaves of
// all games of a worker in one batch for each network. [Versus] is the
// comparison of the multiplayer Go paper: one player in each seat in turn
// against a baseline, any other player, in all the others, beside the baseline in all seats.
// Players that draw nothing would play the same game again and again: an opening
// of a few decisions drawn at random makes games differ, and reports say how
// many are distinct. Intervals take games for independent, which repeated ones are not.
//
// Every game draws from streams derived from the match's seed, the game's
// number and the seat, so a match gives the same games on any number of workers,
// unless a player thinks for a measured time.
package arena
