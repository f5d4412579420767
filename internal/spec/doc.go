// Package spec reads and writes the short notation in which games and players
// are named: a name, then after a colon key=value pairs, lists in brackets.
//
//	a game     go:size=5,players=3,komi=[0,0,0]
//	a player   uct:simulations=180,c=0.8
//	a network  az:runs/first,simulations=180
//
// The last form has a bare argument (a path) before its keys. Unknown keys and
// bad values are errors that name the nearest valid key, or the valid values.
package spec
