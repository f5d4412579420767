// Package run is a training run as it is on disk: the names of its files, what they
// hold, and how to read and write them.
//
// A [Folder] is the path of a run. Package trainer writes there; the packages below
// run/, the live page and the tools read it, while the run goes on or later:
//
//	config.yaml       the configuration, with every default written out
//	LOCK              locked by the process that trains
//	checkpoints/      one folder for each iteration kept (package checkpoints)
//	replay/           segments of games (package replay)
//	events.jsonl      what happened: one Event a line
//	eval/             results, games, ratings and pictures of evaluations
//
// For instance:
//
//	folder := run.Folder("runs/first")
//	config, err := folder.ReadConfig()
//	events, err := folder.History()
//	for _, e := range events {
//		if e.Kind == run.EventEvaluation {
//			fmt.Println(e.Iteration, e.Strength.Sum)
//		}
//	}
//
// [Files] is a Folder on a file system of the caller's choice. [Event], [Progress],
// [Strength], [GateResult], [Ratings] and [EvaluationGame] are what the files hold;
// docs/formats/run.md describes them. [Status] is a run in memory, at one moment.
//
// Caveats: only the process that holds the lock may write. A crash can cut the last
// line of a log; readers skip lines that they can't read. The package links no
// training code.
package run
