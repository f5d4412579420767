// Package gametest holds what every game must pass: [Conform], a suite of
// checks over random games, and [Golden], which replays playthroughs that a
// naive implementation of the rules has written.
//
//	func TestConform(t *testing.T) {
//		gametest.Conform(t, game.Must(game.New("mnk:rows=3,columns=3")))
//	}
//
// Conform plays as many games as fit a fixed amount of work, so that a call
// takes around a second; [Games] sets another number. The games are drawn from
// [Seed], hence the same in every run. A failure names the property, says what
// was seen and gives the actions that lead there.
//
// # What is asked of a game beyond its interfaces
//
// Observation is asked of every state but those in which chance moves, the final
// one included. Methods that read (Legal,
// Observation, Hash, Outcomes and so on) leave the state as it was. Nothing
// allocates while a game is played, from the first action of a fresh state on:
// NewState sets aside all that a state will need. A symmetry leaves actions
// outside the policy, outcomes of chance among them, where they are. One that
// moves the seat that begins leads to positions that play can't reach; of such
// a symmetry only the form is checked.
//
// Conform measures allocations and so must not run in a parallel test.
//
// # Golden playthroughs
//
// A golden file is text. Lines that are empty or begin with # say nothing. A
// playthrough begins with the game's canonical name, has a line for each
// action and ends with the players' utilities:
//
//	game mnk:rows=1,columns=3,in_row=2,players=2
//	0 plays 1 of 0-2
//	1 plays 0 of 0 2
//	0 plays 2 of 2
//	returns 1 0
//
// Before "plays" stands the seat to move, after "of" are the legal actions,
// with runs of neighbours written as first-last. Where chance moves, the line
// is "chance plays 7 of 3=0.25 7=0.75": the outcomes with their probabilities.
// Numbers are compared to within 1e-6. One file holds any number of
// playthroughs. [Record] writes them from any implementation that has the few
// methods of [Rules].
package gametest
