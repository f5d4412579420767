// Package analysis answers queries about positions of two-player Go, in the protocol of KataGo's
// analysis engine (https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md),
// which KaTrain and other programs speak. A query is a line of JSON, and so is an answer:
//
//	s, err := analysis.NewServer(analysis.Config{Player: p, Game: g, Fixed: true, Visits: 500})
//	err = s.Serve(ctx, os.Stdin, os.Stdout)
//
//	{"id":"a","moves":[["B","C3"]],"rules":"chinese","komi":0.5,"boardXSize":5,"boardYSize":5}
//	{"id":"a","isDuringSearch":false,"moveInfos":[{"lcb":0.1,"move":"B2",…}],"rootInfo":{…},"turnNumber":1}
//
// # Queries
//
// Every query names a board, rules and komi. A network answers for the board that it was trained
// on, and other players for any. Rules that can't be played (counting territory, suicide, a tax, a
// button) are refused, with the reason. What has no effect is warned of: fields that nobody knows,
// and those of KataGo that are not supported, among them ownership. Wrong input is answered with
// one error, which names the field, and ends nothing.
//
// # Answers
//
// Winrates and leads are those of kata-analyze in package gtp, and follow from utilities as
// docs/gtp.md says. What is not known is left out, such as leads of a network that was trained on
// wins. Every query gets a search of its own, all of whose draws follow from the seed: equal
// queries have equal answers, however many are searched at a time, unless they are limited in time.
//
// # What a search has found
//
// [Finder] says it in the terms of other Go programs: moves in their order, winrates, leads and
// variations. Package gtp tells the same in its protocol:
//
//	forecast := analysis.NewForecast(p, g, seed)
//	f := analysis.Finder{Result: result, Outlook: forecast.Of(s, 0, 0), Color: s.CurrentPlayer()}
//	for order, m := range f.Moves() {
//		fmt.Println(order, game.ActionName(g, s, m.Action), m.Visits, m.Winrate, f.Variation(m))
//	}
//
// An [Outlook] turns the utilities that a search expects into winrates and leads; docs/gtp.md says
// how these follow from utilities. A [Limited] game has moves that a search must not look at.
//
// # Concurrency
//
// Serve reads in one goroutine and searches in Config.Parallel others, which take the query with
// the highest priority, then the earliest. Answers come in the order in which searches end.
package analysis
