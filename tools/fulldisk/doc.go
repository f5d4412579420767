// Fulldisk runs `tengen train` on a disk that is too small, and checks that
// nothing is lost by it.
//
//	go run ./tools/fulldisk
//
// It mounts a tmpfs of 16 MiB, puts another file on it that leaves room for a few
// checkpoints, and trains a tiny run there until it tells that the disk is
// full. It kills the run as it waits; resumes it, on the disk that is full
// still; and in the end removes the other file, upon which the run has to go on
// by itself, to the end, and to the same network, solver and average, to the
// bit, as a run that had room.
//
// It needs Linux, and the right to mount.
package main
