package cli

import (
	"fmt"
	"io"

	"tengen/run/inspect"
)

// WriteReport writes a report.
func WriteReport(w io.Writer, r *inspect.Report) error {
	var list []Figure
	if r.Bytes > 0 {
		list = append(list, Figure{"bytes", Grouped(float64(r.Bytes))})
	}
	list = appendPart(list, r.Run, runFigures)
	list = appendPart(list, r.Checkpoints, checkpointsFigures)
	list = appendPart(list, r.Checkpoint, checkpointFigures)
	list = appendPart(list, r.Tensors, tensorsFigures)
	list = appendPart(list, r.Replay, replayFigures)
	list = appendPart(list, r.Cluster, clusterFigures)
	list = appendPart(list, r.Match, matchFigures)
	list = appendPart(list, r.Events, func(f *inspect.Lines) []Figure {
		return linesFigures(f, "events")
	})
	list = appendPart(list, r.EvaluationGames, func(f *inspect.Lines) []Figure {
		return linesFigures(f, "evaluation games")
	})
	list = appendPart(list, r.Configuration, configurationFigures)
	list = appendPart(list, r.Evaluation, evaluationFigures)
	list = appendPart(list, r.Ratings, ratingsFigures)
	list = appendPart(list, r.Results, resultsFigures)
	title := fmt.Sprintf("%s: %s", r.Path, r.Kind.Title())
	if err := WriteFigures(w, title, list); err != nil {
		return err
	}
	for _, f := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", f)
	}
	for _, f := range r.Damaged {
		fmt.Fprintf(w, "damaged: %s\n", f)
	}
	if n := r.Damages - len(r.Damaged); n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
	if r.Damages == 0 {
		_, err := fmt.Fprintln(w, "sound")
		return err
	}
	return nil
}

// appendPart appends the figures of a part of a report, if it has that part.
func appendPart[T any](list []Figure, part *T, describe func(*T) []Figure) []Figure {
	if part == nil {
		return list
	}
	return append(list, describe(part)...)
}
