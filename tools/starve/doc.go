// Starve runs the tests of every package beside busy loops, several times and in random order,
// and keeps the output of those that fail. A test that depends on the machine's speed fails
// here sooner than it fails by chance elsewhere.
//
//	go run ./tools/starve --rounds 20 --out /tmp/starve
//	go run ./tools/starve --match cluster/worker --loops 6 --rounds 5
//
// One package runs at a time by default, with as many loops as --loops says, so that on a machine
// of two cores and six loops a test has about a quarter of a core. Rounds alternate between one and
// two processors for the Go scheduler (--procs). Test binaries are built once, in --out; a package
// whose binary is already there is not built again with --keep.
//
// Where tests shall load each other in place of idle loops, --at-once says how many packages run
// side by side; a round then takes about the processors' time that the tests themselves need:
//
//	go run ./tools/starve --rounds 20 --at-once 6 --loops 2
//
// Each line tells how long the tests and their processes computed, and on Linux the load: the mean
// number of threads for each processor that computed or waited for it, while they ran.
//
// With --results FILE rounds are collected over several calls, however each of them ends:
//
//	go run ./tools/starve --rounds 20 --results starve.jsonl --for 20m   # again and again, until no package lacks a round
//
// The file gets a line for each run: when, at which commit, which package, and whether it passed. A
// call runs what the file lacks. A result counts while the files that the tests are built from are
// the same, with the data in their folders; a change to one package of the module takes away the
// rounds of those that import it. What tests read elsewhere in the repository is not looked at.
//
// Without loops it is also how the race detector looks at all packages, once before a release, in
// as many sittings as it takes:
//
//	go run ./tools/starve --race --short --loops 0 --procs 4 --rounds 1 --results race.jsonl --for 1h
//
// The report has a line for each run of a package; the exit status is 1 if any has failed. It needs
// no other program. On Linux with scheduling by session, start it with setsid and write a niceness
// to /proc/self/autogroup: then all of it together yields to others, while the loops still starve
// the tests.
package main
