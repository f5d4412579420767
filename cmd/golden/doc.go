// Package golden has no code but a test, which trains the configurations of cmd/testdata/golden,
// plays matches with the networks, and compares SHA-256 digests of weights, games and matches with
// recorded ones. A change that is not meant to alter behaviour must leave them alone.
//
//	go test ./cmd/golden                # compare
//	go test ./cmd/golden -update-golden # record, after a change of behaviour that is intended
//
// The test is apart from cmd's, since either takes many seconds.
//
// Caveats: the digests are of values, not of files, so that formats may change. They hold for
// amd64 and the portable kernels.
package golden
