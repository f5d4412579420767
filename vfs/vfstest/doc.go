// Package vfstest has file systems for tests of what is written through package vfs: [Memory],
// which simulates power cuts, and [Faulty], which makes operations of another one fail.
//
// A [Memory] keeps two versions of everything: what a running process sees, and what
// survives a power cut. [Memory.PowerCut] goes back to the second: it loses content
// not followed by Sync, and names created, changed or removed without SyncDir of
// their folder.
//
// An [Injector] decides for each operation of a [Faulty] whether it fails. [Fail] builds one from
// predicates, [At] the faults that a crash test needs: an error, a torn write, and
// the death of the process at the nth operation.
//
//	full := vfstest.Fail(vfstest.Partial(syscall.ENOSPC), vfstest.OpKind(vfstest.Write), vfstest.PathMatch("*.games"), vfstest.FromIndex(3))
//	fsys := vfstest.NewFaulty(vfstest.NewMemory(), full)
//
// To let every operation of a piece of code fail in turn:
//
//	for n := 1; ; n++ {
//		disk := vfstest.NewMemory()
//		fsys := vfstest.NewFaulty(disk, vfstest.At(n, vfstest.Dead))
//		err := save(fsys)
//		if fsys.Failed() == nil {
//			break // there are fewer than n operations
//		}
//		disk.PowerCut(nil)
//		check(disk, err)
//	}
//
// Caveats: memory keeps no permissions and times, and no fsync breaks its promise. Predicates that
// count ([OnIndex], [FromIndex]) belong to one Faulty, and count only the operations for which
// those before them in a list hold. A lock's Close never fails.
package vfstest
