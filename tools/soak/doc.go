// Soak watches the memory and the open files of a real `tengen train` that
// plays, learns, saves, removes and measures as fast as it can.
//
//	go run ./tools/soak --minutes 30
//
// Each second it notes the process's resident memory (RSS), open files and threads. In the
// end it compares the last sixth of the time, five minutes of thirty, with as long a
// part around the time when a third was over, minutes 7.5 to 12.5 of 30: by then
// window, cache and heap have their size. Medians are compared, since the garbage
// collector lets memory rise and fall by a half within seconds. The exit status is 1
// where memory has grown by more than 5 % (--most), or where the fewest files
// that were open in the last part are more than the most in the first.
//
// It needs Linux, whose /proc it reads.
package main
