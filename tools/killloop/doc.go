// Killloop kills a real `tengen train` again and again, at random moments and
// above all while it writes, and checks that nothing is lost.
//
//	go run ./tools/killloop --kills 200
//
// It trains a tiny run to its end, undisturbed. Then it trains the same run in
// another folder, sends SIGKILL, looks at what is left, resumes, and so on; once
// that run has come to its end too, another begins, until all kills are done and
// the last run is complete.
//
// After each kill: the iteration that stands in the event log never goes back,
// and a checkpoint at least as new is there; every checkpoint is sound; every game
// that was on disk before is there, or behind the replay window, none counts
// twice, and each is the game that the undisturbed run played. At each run's
// end network, average, solver and games are those of the undisturbed run to
// the bit.
//
// Inotify tells what the process was doing: a kill counts as one during a write
// only where the folder of a checkpoint had its temporary name when the process
// was gone, or a segment that holds something was open when the signal was sent.
// While under 60 % of the kills were such ones, the next one is aimed: it falls,
// by chance, in the time that such a write takes in the undisturbed run, once
// the next, second or third has begun.
//
// With --set training.games=3000 an iteration takes more than the second after
// which games are first made durable, and segments are left half written.
//
// The report says how many kills fell in each phase and what time they cost; the
// exit status is 1 where something is wrong or less than half of the kills fell into
// writes. It needs Linux. What a kill can't show, the loss of what was not yet
// fsynced, is tested with package vfs/errorfs.
package main
