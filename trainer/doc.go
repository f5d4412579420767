// Package trainer runs the cycle that turns self-play into a stronger network:
// games are played, go into the replay window, the network learns from them,
// its weights go to the workers, a checkpoint is written, and from time to time
// the network is measured against UCT and earlier networks.
//
// The cycle is synchronous, as in the multiplayer Go paper (its Table 1): the
// games of an iteration are all played with the weights that the iteration
// before left. So a run depends on its configuration alone, to the bit; a run
// that was stopped and resumed ends with the same weights as one that was not.
//
// Evaluations are no part of the run: on a machine of many processors they go
// on beside it, and nothing that they find changes it. A gate, which a
// configuration may ask for, is part of it: games are then played with the best
// network so far, whose place a new one takes once it has won a match.
//
// What goes wrong must cost nothing that was finished. On a full disk the run
// waits until there is room (patience); any other failure to write ends it. An
// update in which a number becomes NaN or infinite is dropped, and the network
// stays what it was; the third in a row ends the run. Games of the window that
// are damaged are named and stepped over on resume. The clock may be set back.
//
// A [Plan] is what a configuration comes to for its game. [Run] trains, in a
// folder of its own:
//
//	config.yaml       the configuration, with every default written out
//	checkpoints/      one folder for each iteration kept (package checkpoints)
//	replay/           one segment of games for each iteration (package replay)
//	events.jsonl      what happened, one JSON object a line
//	eval/             what evaluations found: results, games, ratings, pictures
package trainer
