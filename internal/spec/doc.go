// Package spec reads and writes the notation of games and players: a name, a colon,
// and key=value pairs separated by commas. Lists are in brackets.
//
//	a game     go:size=5,players=3,komi=[0,0,0]
//	a player   uct:simulations=180,c=0.8
//	a network  az:runs/first,simulations=180
//
// The last form has a bare argument (a path) before its keys. A value that has a comma or another character of the
// notation is in quotation marks, as a string of Go:
//
//	az:"runs/a=10,b=20",simulations=180
//
// The error for an
// unknown key or an invalid value names the nearest valid key or the valid values.
package spec
