// Starve runs the tests of every package beside busy loops, several times and in random order,
// and keeps the output of those that fail. A test that depends on the machine's speed fails
// here sooner than it fails by chance elsewhere.
//
//	go run ./tools/starve --rounds 20 --out /tmp/starve
//	go run ./tools/starve --match cluster/worker --loops 6 --rounds 5
//
// One package runs at a time, with as many loops as --loops says, so that on a machine of two cores
// and six loops a test has about a quarter of a core. Rounds alternate between one and two
// processors for the Go scheduler (--procs). Test binaries are built once, in --out; a package
// whose binary is already there is not built again with --keep.
//
// The report has a line for each run of a package; the exit status is 1 if any has failed. It needs
// no other program. On Linux with scheduling by session, start it with setsid and write a niceness to
// /proc/self/autogroup: then all of it together yields to others, while the loops still starve the tests.
package main
