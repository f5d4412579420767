// Package webtest makes folders of runs for the tests of package web and of those below it, and
// sends requests to handlers.
//
//	dir := webtest.MakeRun(t, webtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
//	w := webtest.Request(handler, "GET", "/api/v1/run", "")
package webtest
