// Package goban implements Go for two to four colours on boards of 1×1 to 19×19
// points. Importing it registers the family "go":
//
//	g, err := game.New("go:rows=2,columns=3,players=3,ko=situational")
//
// # Rules
//
// Black, White, Red and Blue move in this order. A placement puts a stone on a point,
// then removes all groups of other colours without liberties at once. A placement
// whose own group then has no liberty (suicide) is illegal. So is one that recreates a
// position, in the sense of [Ko]; passes are exempt.
//
// With pass=forced, passing is not a choice. While some legal placement does not fill
// an own eye of the player, all legal placements may be played, including eye-filling
// ones; otherwise the pass is the only action. The pass has the number of points as
// its action number, so it has no entry in the policy. With pass=free it has the same
// number, is an action like any other, and is always legal.
//
// The game ends after as many consecutive passes as there are colours, or after
// max_plies actions. It is scored as it stands: a colour's points are its stones and
// the empty regions that touch its stones only.
//
// Three quantities are distinguished. The score is the number of points plus komi
// (Scores). The utility, which searches maximise (Returns), is the points without komi
// divided by the number of points of the board (reward=score), or a total of one
// shared equally by the leaders, komi included (reward=win). The support is the set of
// possible utilities.
//
// # Observations and actions
//
// An action is row*columns + column, rows from the top; the pass comes last. An
// observation has 2×players planes: the stones of each colour, then for each colour a
// plane of ones if it is to move. Once the game is over, the plane of the colour that
// would move next is set. Neither komi nor what superko forbids is observed.
//
// # Implementation
//
// Boards of up to 64 points keep each colour in one machine word and process all
// points at once; larger ones keep, for each chain, a number that tells whether it has a
// liberty, and process point by point. Tests compare both with a naive board.
//
// Caveat: positions are identified by 64-bit keys. For two and three colours on up to
// 31 points the key is the position itself; elsewhere it is a hash, and two positions
// of a game collide with a probability of about 2^-64 per pair.
package goban
