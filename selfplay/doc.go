// Package selfplay generates games for training. [Play] plays the games of a [Job] on several
// workers, among a search with the network and UCT, and emits their records.
//
// A worker owns a group of concurrent games. It advances each until a position has to be
// evaluated, evaluates all of these in one batch, and repeats (search.DriveGroups). With
// asynchronous evaluators (nn.Async), as on a device, it owns two groups, and searches in
// one while the positions of the other are evaluated.
//
// The agents are those of package player (player.Actor and player.UCT), which add the results of
// their searches to the recorded moves, as training targets.
//
// Each game draws from a stream derived from the run's seed and the game's number, and an
// evaluation depends only on the position and the weights. So a game does not depend on the
// worker that plays it or on concurrent games, and a job gives the same games in the same order
// with any number of workers.
//
// In games with hidden information agents are shown determinized copies, search
// information sets (package ismcts), and keep nothing from one decision to the next.
package selfplay
