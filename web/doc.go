// Package web is the live page of a run: a browser shows whether it learns, what
// it is doing at the moment, and how it plays.
//
// A [Page] answers for one run's folder, whether somebody trains in it or not:
//
//	server, err := web.Serve(ctx, "127.0.0.1:9464", web.Options{
//		Folder: "runs/first", Status: monitor.Status, Metrics: collectors.Handler(),
//	})
//	fmt.Println(server.URL())
//
// Everything that the page is made of comes with the program, and nothing is
// asked of any other host. The pages of static/ are plain HTML, CSS and
// JavaScript modules; static/vendor holds uPlot, which draws the charts. What the
// browser asks for is described in docs/web.md.
//
// The page reads: the event log as it grows (package history), the games of the
// newest segments of the replay log, and checkpoints when somebody asks what a
// network thinks of a position or plays against it. It opens no file of a run
// for writing.
// Games against the network live in memory; their number, age, search trees and
// thinking time are bounded.
//
// On loopback everybody on this machine may look. Beyond it, all but /metrics
// and /healthz wants a token, which [Server.URL] holds.
//
// How positions are drawn is said by package tengen/web/board.
//
// Caveats: a game played against the network while a run trains takes
// processor time from it. A checkpoint that training has removed is loaded anew
// from the newest one.
package web
