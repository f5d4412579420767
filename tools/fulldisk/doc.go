// Fulldisk runs `tengen train` on a disk that is too small, and checks that nothing is
// lost.
//
//	go run ./tools/fulldisk
//
// It mounts a tmpfs of 16 MiB, writes a file to it that leaves space for a few
// checkpoints, and trains a tiny run there until the run reports that the disk is full.
// It kills the run while it waits, resumes it on the full disk, and then removes the
// file. The run must then continue by itself to its end, with the same network, optimizer
// and average, to the bit, as a run with enough space.
//
// It needs Linux and the permission to mount.
package main
