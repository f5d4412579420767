// Package ruler has scales of strength that do not move: for some games, the ratings of a few
// UCT players, measured once in many games against each other. A player whose games against
// them are rated with these ratings fixed ([rating.Options].Fixed) is on a scale that does
// not depend on what else was trained, or when.
//
//	r := ruler.Of(g)
//	p, err := r.Place(ctx, ruler.Match{Player: network, Rounds: 50, …})
//	fmt.Println(p.Elo, p.Low, p.High)
//
// The ratings are made by `tengen-lab reproduce ruler`, and stand in docs/results/ruler.md; `go
// test -run Measured -update` copies them to this package.
package ruler
