// Corrupt damages the files of a finished run in every way that it knows, resumes the run after
// each, and checks that nothing damaged and nothing of another run is used without a word.
//
//	go run ./tools/corrupt --trials 2000
//
// It trains a tiny run with evaluations and the files of a cluster (games of workers in the
// journal), another one of the same shape with another seed, and a copy of the first for an
// iteration more, undisturbed. Each trial takes a copy of the first run and damages one file or one
// checkpoint's folder: flipped bits, a cut, more bytes, blocks and lines moved, doubled or lost,
// files exchanged with others of the run, those of the other run in their place, files removed or
// replaced by folders and links. Then it calls, as a person would, `tengen inspect --all`, `tengen
// compare`, `tengen export` and `tengen train --resume` for an iteration more (with --share where a
// file of the cluster was damaged).
//
// A trial is
//   - refused, if resuming ends with one line and status 1 or 2;
//   - the same, if the run ends with the network, optimizer and games of the undisturbed copy, to
//     the bit: what was damaged was not needed, or was replaced by an older file or by playing
//     again;
//   - told, if the run ends otherwise and has said what was damaged or changed;
//   - silent, if it ends otherwise without a word.
//
// The exit status is 1 if a trial is silent, a command panics, takes longer than --limit, or
// answers with more than a line. Trials are made by a process of their own, which a panic ends; the
// next one begins with the next trial. Trials follow from --seed and their number: --only 17
// repeats one and keeps its folder.
package main
