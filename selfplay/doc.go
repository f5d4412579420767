// Package selfplay generates games: [Play] has workers, one a core, play the
// games of a [Job] among seats that search with the network and seats that UCT
// warms, and hands out their records.
//
// A worker owns a slate of games. It advances each until it needs a position
// evaluated, evaluates all of these in one batch, and goes on (search.DriveGroups).
// Where evaluators work beside their caller (nn.Async), as on a device, it owns two
// slates: while the positions of one are evaluated it searches in the other.
// All that a game draws comes from a stream derived from the run's seed and the
// game's number, and an evaluation depends on the position and the weights
// alone; so a game is the same whichever worker plays it, beside whichever
// others, and a job gives the same games, in the same order, with any number of
// workers.
//
// Of a game with hidden information, whoever decides is handed a determinized copy
// (player.Observer), searches information sets (ismcts.Tree), and keeps nothing from
// one decision to the next.
package selfplay
