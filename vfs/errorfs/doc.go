// Package errorfs makes operations of a file system fail, for tests of what is
// written through package vfs.
//
// An [Injector] decides for each operation whether it fails. [Fail] builds one from
// predicates, [At] the faults that a crash test needs: an error, a torn write, and
// the death of the process at the nth operation.
//
//	full := errorfs.Fail(errorfs.Partial(syscall.ENOSPC), errorfs.OpKind(errorfs.Write), errorfs.PathMatch("*.games"), errorfs.FromIndex(3))
//	fsys := errorfs.New(memfs.New(), full)
//
// To let every operation of a piece of code fail in turn:
//
//	for n := 1; ; n++ {
//		disk := memfs.New()
//		fsys := errorfs.New(disk, errorfs.At(n, errorfs.Dead))
//		err := save(fsys)
//		if fsys.Failed() == nil {
//			break // there are fewer than n operations
//		}
//		disk.PowerCut(nil)
//		check(disk, err)
//	}
//
// Caveats: predicates that count ([OnIndex], [FromIndex]) belong to one FS, and
// count only the operations for which those before them in a list hold. A lock's
// Close never fails.
package errorfs
