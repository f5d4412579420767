// Package cluster has what the trainer and its workers on other machines say to each other: the
// messages, their limits and their encoding, the names of streams and subjects, and what tells
// whether a worker's games can count.
//
// A game is a function of the run's seed, its number and the weights. So whoever plays it plays the
// same game, and a game that is lost is played again: the trainer's own disk is the truth, and no
// broker is trusted with anything. The messages go through NATS JetStream (a [Broker] has it
// inside the trainer's process, so that nothing has to be installed; [Dial] connects to it or to an
// external one). Package hub is the trainer's side, package worker the other:
//
//	WORK     a Block of game numbers, with what the games depend on: a queue from which workers pull
//	GAMES    a Batch of finished games, which the trainer checks, writes to its disk, and acknowledges
//	WEIGHTS  networks, by digest: an object store
//
// Beside them a worker sends a Hello every few seconds and gets a Welcome, and the trainer tells
// workers by Done which blocks are over.
package cluster
