// Package v1 answers requests about a run in JSON: its status, its curves, its games, and games
// played against its networks. docs/web.md lists the paths, which begin with /api/v1.
//
//	api, err := v1.New(v1.Options{Folder: "runs/first"})
//	mux.Handle("/api/v1/", api.Handler())
//	mux.HandleFunc("GET /api/v1/stream", api.Stream)
//
// An API opens no file of a run for writing. Games against the network are held in memory; their
// number, age, search trees and search time are bounded.
//
// Caveats: an API checks no access and does not bound requests; its caller does (package web).
// A game played while a run trains takes processor time from it.
package v1
