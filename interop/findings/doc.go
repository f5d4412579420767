// Package findings says what a search has found about a position of two-player Go in the terms of
// other Go programs: winrates and leads, moves in their order, variations. Package gtp and package
// analysis tell it in their protocols:
//
//	forecast := findings.NewForecast(p, g, seed)
//	f := findings.Finder{Result: result, Outlook: forecast.Of(s, 0, 0), Color: s.CurrentPlayer()}
//	for order, m := range f.Moves() {
//		fmt.Println(order, game.ActionName(g, s, m.Action), m.Visits, m.Winrate, f.Variation(m))
//	}
//
// An [Outlook] turns the utilities that a search expects into winrates and leads; docs/gtp.md says
// how these follow from utilities. A [Limited] game has moves that a search must not look at.
package findings
