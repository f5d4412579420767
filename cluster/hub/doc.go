// Package hub is the trainer's side of a cluster: it hands out the games of a run in blocks to
// workers on other machines, and takes games back (selfplay.RemoteWorkers).
//
// A game counts once it has been checked against the rules, and is on the trainer's disk: in a
// journal, since games with smaller numbers may still be played, or, where games have no order (an
// asynchronous cycle), in the replay. Only then is its message acknowledged. What the broker loses,
// is told again; what a worker loses, others play, in the end the trainer's own workers. So neither
// is trusted with anything.
package hub
