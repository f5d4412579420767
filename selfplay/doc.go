// Package selfplay generates games. [Play] has workers, one a core, play the games of a
// [Job] among a search with the network and UCT, and emits their records.
//
// A worker owns a group of concurrent games. It advances each until a position has to be
// evaluated, evaluates all of these in one batch, and repeats (search.DriveGroups). With
// asynchronous evaluators (nn.Async), as on a device, it owns two groups, and searches in
// one while the positions of the other are evaluated.
//
// Games are played by package play, as everywhere; the agents of this package add to each
// move what their search found, as targets.
//
// All that a game draws comes from a stream derived from the run's seed and the game's
// number, and an evaluation depends on the position and the weights alone. So a game is
// the same whichever worker plays it, with whichever others, and a job gives the same
// games, in the same order, with any number of workers.
//
// In games with hidden information agents are shown determinized copies, search
// information sets (package ismcts), and keep nothing from one decision to the next.
package selfplay
