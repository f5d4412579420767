// Package solve solves positions of Connect Four for two players exactly, on bit boards.
//
//	s, err := solve.New(solve.Board{Rows: 6, Columns: 7, InRow: 4}, 64<<20)
//	score := s.Score(solve.Position{Own: own, All: all})
//
// The search is negamax with alpha-beta, a transposition table, and windows that are narrowed by
// bisection. It never plays a move after which the other player can win at once, and tries moves
// that make more threats first (Pons, Solving Connect 4: how to build a perfect AI, 2015).
//
// A score tells who wins, and how soon: 0 is a draw; n > 0 means that the player to move wins with
// its n-th stone counted from its last one, if it wins as soon as it can and the other defends as
// long as it can; -n that the other player does.
//
// # Caveats
//
// A Solver is used by one goroutine. The empty board of 7 columns and 6 rows takes minutes;
// positions of 12 and more stones take fractions of a second.
package solve
