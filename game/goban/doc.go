// Package goban is Go for two to four colours on boards of 1×1 to 19×19
// points. Importing it registers the family "go":
//
//	g, err := game.New("go:rows=2,columns=3,players=3,ko=situational")
//
// # Rules
//
// Black, White, Red and Blue move in this order. A placement puts a stone,
// then removes every group of every other colour without liberties, all at
// once; a placement whose own group then has no liberty (suicide) is illegal.
// So is one that recreates a position, in the sense of [Ko]; passes are exempt.
//
// With pass=forced the pass is no choice: while at least one legal placement
// does not fill an eye of the mover's own, all legal placements may be played,
// the eye-filling ones too; else the pass is the only action. Its number is
// that of the points, so that it has no place in the policy. With pass=free it
// has the same number, is an action like any other, and may always be played.
//
// The game ends after as many passes in a row as there are colours, or after
// max_plies actions, and is scored as it stands: own stones, and the empty
// regions that touch stones of this colour alone.
//
// Three quantities are kept apart. The score is that number of points plus
// komi (Scores). The utility, which searches maximise (Returns), is the points
// without komi divided by the board's points (reward=score), or one shared among
// the leaders, komi counted (reward=win). The support is the set of values
// that a utility may take.
//
// # Observations and actions
//
// An action is row*columns + column, rows from the top; the pass follows. An
// observation has 2×players planes: the stones of each colour, then for each
// colour a plane of ones where it is to move. Once the game is over, the colour
// whose turn it would be stands there. Neither komi nor what superko forbids is observed.
//
// # Implementation
//
// Boards of up to 64 points keep each colour in one machine word and work on all
// points at once; larger ones keep several words a colour and work point by
// point. Both are held to a naive board by the tests.
//
// Caveat: positions are remembered by 64-bit keys. For two and three colours on up to
// 31 points the key is the position itself; elsewhere it is a hash, and two
// positions in a game are taken for one with a chance of about 2^-64 a pair.
package goban
