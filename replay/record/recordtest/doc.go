// Package recordtest has records for tests: the game [Pairs], whose rules reach every part of a
// record, random games of it with and without trees, and records written by hand.
//
//	games := recordtest.PlayMany(3, seed)
//	recordtest.Same(t, got, recordtest.HandRecord())
//
// Caveats: it is for tests alone.
package recordtest
