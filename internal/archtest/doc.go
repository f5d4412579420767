// Package archtest tests the module's architecture; it has no other code.
//
// Imports point one way. The table layers (layers_test.go) lists the packages from
// the bottom layer to the top one and says what each may import: only packages
// listed before it. A new package needs a line there. Tests may import anything.
// Files are read regardless of build tags, so the table also applies to code for
// other machines.
//
// Every package except main packages has a file doc.go with its package comment.
package archtest
