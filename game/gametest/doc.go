// Package gametest contains the tests that every game must pass: [Conform], a suite of
// checks over random games, and [Golden], which replays recorded playthroughs of a
// naive implementation of the rules.
//
//	func TestConform(t *testing.T) {
//		gametest.Conform(t, game.Must(game.New("mnk:rows=3,columns=3")))
//	}
//
// Conform plays as many games as fit a fixed amount of work, so that a call takes
// around a second; [Games] sets another number. The games depend on [Seed] only, so
// they are the same in every run. A failure names the property, says what was found
// and gives the actions that lead there.
//
// # Requirements beyond the interfaces
//
// Observation must work in every state, the final one included, but chance states; in these
// too if the game is a game.AfterstateObserver, which may hide nothing.
// Methods that read (LegalActions, Observation, Hash, Outcomes and so on) must not
// change the state. Playing must not allocate, from the first action of a new state
// on: NewState allocates all that a state will need. A symmetry does not change
// actions outside the policy, nor outcomes of chance. A symmetry that moves the
// starting seat leads to positions that play can't reach; only its form is checked.
//
// Conform measures allocations and must not run in a parallel test.
//
// # Golden playthroughs
//
// A golden file is text. Empty lines and lines that begin with # are ignored. A
// playthrough begins with the game's canonical name, has a line for each action and
// ends with the players' utilities:
//
//	game mnk:rows=1,columns=3,in_row=2,players=2
//	0 plays 1 of 0-2
//	1 plays 0 of 0 2
//	0 plays 2 of 2
//	returns 1 0
//
// The number before "plays" is the seat to move. After "of" follow the legal actions,
// with consecutive ones written as first-last. An action of chance reads "chance plays
// 7 of 3=0.25 7=0.75" and lists the outcomes with their probabilities. Numbers are
// compared to within 1e-6. A file may hold any number of playthroughs. [Record] writes
// them from any implementation of [Rules].
package gametest
