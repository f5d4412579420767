// Package web serves the live page of a run: its progress, its games, and a board to play against
// its networks.
//
// A [Page] serves the folder of one run, whether or not a process trains in it:
//
//	server, err := web.Serve(ctx, "127.0.0.1:9464", web.Options{
//		Folder: "runs/first", Status: monitor.Status, Metrics: collectors.Handler(),
//	})
//	fmt.Println(server.URL())
//
// The page's files are in static/: plain HTML, CSS and JavaScript modules, embedded in the program;
// static/vendor holds uPlot, which draws the charts. The browser requests nothing from other hosts.
// Package web/api/v1 answers the page's requests; package web/board draws positions. Package web
// itself checks access and bounds requests. docs/web.md describes all paths.
//
// On loopback every program on this machine has access. Elsewhere all paths but /metrics and
// /healthz require a token, which is part of [Server.URL].
//
// Caveat: there is no TLS.
package web
