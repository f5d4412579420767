// Package faultfs is a file system in memory that fails on purpose, for tests
// of what is written through package atomicfile.
//
// It keeps two versions of everything: what a running process sees, and what
// would survive a power cut. [FS.PowerCut] goes back to the second: content
// not followed by Sync is lost, and so is a name made, changed or removed
// without SyncDir of its folder. [FS.FailAt] lets the Nth operation fail, once
// or, as if the process had died there, together with all that follow:
//
//	for n := 1; ; n++ {
//		fsys := faultfs.New()
//		fsys.FailAt(n, faultfs.Dead)
//		err := save(fsys)
//		if !fsys.Failed() {
//			break // every operation has had its turn
//		}
//		fsys.PowerCut(nil)
//		check(fsys, err)
//	}
//
// Caveats: permissions and times are not kept; a power cut that breaks a
// promise of fsync is not modelled.
package faultfs
