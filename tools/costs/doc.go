// Costs measures what hostile files and lines cost: for each format the most memory and processor time that n bytes took,
// over files that are nested, repeated, or full of absurd numbers, as a table.
//
//	go run ./tools/costs --kib 1024
//
// The bound of a format is what its test holds (TestCosts): memory that is allocated in all, and time of the processor. The
// exit status is 1 if something costs more. Segments of the replay, SGF and files of keys have more tests of their own
// in their packages.
package main
