// Package runid is the identity of a run: a number that the files of a run carry, so that those of
// another run are not taken for its own. A run's run.json has it, and every checkpoint, every
// segment of the replay and what evaluations leave carries it.
//
//	id := runid.New(configuration, weights, time)
//	if err := runid.Check(id, carried); errors.Is(err, runid.ErrOtherRun) { … }
//
// It protects against mistakes, such as a file that was copied into the wrong folder, not against
// people who write an identity on purpose. A copy of a run has the identity of the run.
package runid
