// Package memfs is a file system in memory that simulates power cuts, for tests of
// what is written through package vfs.
//
// It keeps two versions of everything: what a running process sees, and what
// survives a power cut. [FS.PowerCut] goes back to the second: it loses content
// not followed by Sync, and names created, changed or removed without SyncDir of
// their folder.
//
//	fsys := memfs.New()
//	err := save(fsys)
//	fsys.PowerCut(nil)
//	check(fsys, err)
//
// Package errorfs adds operations that fail.
//
// Caveats: permissions and times are not kept; an fsync that breaks its promise is
// not simulated.
package memfs
