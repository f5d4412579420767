// Package vfs writes files and whole folders so that a crash at any
// moment, a power cut included, leaves either all of the new content under its
// name or what stood there before.
//
// [WriteFile] and [WriteFolder] write under a temporary name beside the final
// one (".NAME.tmp"), fsync every file and the folder, rename, and fsync the
// parent: without the last step a power cut may undo the rename. Every error
// is returned, that of Close too, and after an error the temporary name is
// removed if that is still possible; [Clean] removes what a crash left behind.
//
//	err := atomicfile.WriteFile(atomicfile.OS{}, "eval/000042.json", func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(result)
//	})
//
// All work goes through [FS], a handful of operations that [OS] passes to the
// operating system and that package faultfs (for tests) lets fail.
//
// Caveats: a path has one writer at a time, since the temporary name is fixed.
// An fsync that failed is not tried again: the kernel may have dropped the
// data, so a second success would mean nothing.
package vfs
