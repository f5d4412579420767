// Package worker plays games for a trainer on another machine: it pulls blocks of game numbers,
// fetches the networks, plays, and sends the games back. Whatever happens to it, the run loses no
// game: what it does not finish others play.
package worker
