// Package analysis writes what a search found about a position as text and as JSON:
//
//	a := analysis.Of(g, s, agent)
//	fmt.Print(a.Text("uct", analysis.DefaultMoves))
package analysis
