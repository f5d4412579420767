// Killloop repeatedly kills a real `tengen train`, at random times and mostly while it
// writes, and checks that nothing is lost.
//
//	go run ./tools/killloop --kills 200
//
// It trains a tiny run to its end without interruption. Then it trains the same run in
// another folder, sends SIGKILL, checks the folder, resumes, and so on. When that run is
// complete, another begins, until all kills are done and the last run is complete.
//
// It checks after each kill that the event log never reports an earlier iteration than
// before, and that there is a checkpoint at least as new; that every checkpoint is valid;
// that every game that was on disk is still there, or older than the replay window; that
// no game counts twice; and that each equals the uninterrupted run's. At each run's end
// network, average, optimizer and games equal those of the uninterrupted run to the bit.
//
// --cycle pipelined does the same with a pipelined cycle. The runs of an asynchronous cycle
// (--cycle asynchronous) differ, and are checked by their own records: a game that was seen on disk
// is there ever after, numbers have no gaps, no two games have the same random streams, and the
// newest checkpoint's window held the last of the games that it has learned from
// (inspect.VerifyAsynchronous).
//
// Inotify shows what the process was doing. A kill counts as during a write only if a
// checkpoint's folder had its temporary name when the process had ended, or a segment
// that was not empty was open when the signal was sent. While less than 60 % of the kills
// were during writes, the next one is aimed at a write: the first, second or third one
// from now, at a random time within the median duration of such a write.
//
// With --set training.games=3000 an iteration takes longer than the second after which
// games are first made durable, so that kills leave incomplete segments.
//
// The report has the number of kills in each phase and the time lost. The exit status is
// 1 if a check fails or less than half of the kills were during writes. Killloop needs
// Linux. A kill does not lose data that was not fsynced; that is tested with package
// vfs/vfstest.
package main
