// Soak watches the memory and the open files of a real `tengen train` that
// plays, learns, saves, removes and measures as fast as it can.
//
//	go run ./tools/soak --minutes 30
//
// Each second it notes the process's resident memory (RSS), open files and threads. In the
// end it compares the last thirtieth of the time, a minute of thirty, with as
// long a part in the middle of which a third of the time was over, minute 10
// of 30: by then window, cache and heap have their size. The exit status is 1
// where memory has grown by more than 5 % (--most), or where the fewest files
// that were open in the last part are more than the most in the first.
//
// It needs Linux, whose /proc it reads.
package main
