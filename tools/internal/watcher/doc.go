// Package watcher does what a browser with the page of a run, and Prometheus, do while the run trains, for tools that
// measure what that takes: see [Watch].
//
//	defer watcher.Watch(ctx, get)()
package watcher
