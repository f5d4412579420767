// Costs measures what hostile files and lines cost: for each format the most memory in use at a
// time and processor time that n bytes took, over files that are nested, repeated, or full of
// absurd numbers, as a table.
//
//	go run ./tools/costs --kib 1024
//
// The bound is testkit.Usual, of which tests hold small files (TestCosts) and, with -tags slow,
// large ones (TestLarge). The exit status is 1 if something costs more. Segments of the replay, SGF
// and files of keys have more tests of their own in their packages.
package main
