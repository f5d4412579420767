// Package archtest has no code of its own: its tests keep the module in order.
//
// Imports point one way. The table layers (layers_test.go) lists the packages
// from the bottom of the house to its top and says what each may import: only
// what stands before it. A new package needs a line there. Tests may import
// what they like. Files are read whatever their build tags, so that code for
// other machines is held to the table too.
//
// Every package but a main one has a file doc.go with its package comment.
package archtest
