// Package research holds what the repeated experiments of published papers share. The experiments
// are packages below it, one for each paper:
//
//   - multigo: AlphaZero and Descent in three-player 5×5 Go
//   - cards: representative moves in a trading-card game
//   - turtlerace: searches of the Great Turtle Race
//   - descent: what Descent learns from, and its search in self-play
//   - sweep: options of the search guided by a network; of no paper
//   - perfect: the share of perfect moves in a game that is solved; of no paper
//
// A [Page] sets published figures beside measured ones. It consists of parts, each kept as JSON in
// a folder beside the page, so that one part can be measured again without the others:
//
//	page, err := research.ReadPage("docs/results/go.md", multigo.Layout)
//	part, err := matches.Table3(ctx, research.Made{Command: "…", Machine: "…", Seed: 1})
//	page.Put("table3", part, elapsed)
//	err = page.Write("table3")
//
// [Measured] counts what players do in matches, [Rows] plays matches at measured time, and
// [Training] trains networks under several conditions. [Device] is where networks are evaluated and
// trained.
//
// # Caveats
//
// Matches at measured time depend on the machine and its load: run nothing else beside them.
package research
