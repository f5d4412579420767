// Package experiments repeats published experiments and puts theirs beside ours.
//
// [GoPage] is the page of the multiplayer Go paper, [RMPage] that of the
// representative-moves paper, [TurtlePage] that of the Great Turtle Race: each is made of
// parts, which [GoMatches], [RMGames] and [TurtleGames] find one by one, and which lie
// beside the page as JSON.
//
//	games := reproduce.RMGames{Game: "tcg", Games: 500, Pairs: 50, Seed: 1, Time: 10 * time.Millisecond}
//	page, err := reproduce.ReadRMPage("docs/results/representative-moves.md")
//	page.Table4, err = games.Table4(ctx, reproduce.Made{Command: "…", Machine: "…", Seed: 1})
//	page.Took("table4", elapsed)
//	err = page.Write("table4")
//
// Tables of shares are compared cell by cell: a cell of ours differs from theirs by more than
// chance explains where the test of two shares says so, with both numbers of games.
//
// [DescentAblation] trains small networks under conditions that differ in one
// thing, has them play one another, and writes what came of it as a page.
//
// Matches at measured time depend on the machine, and on what else runs on it: let
// nothing else run beside them.
package experiments
