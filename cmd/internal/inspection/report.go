package inspection

import (
	"fmt"
	"io"

	"tengen/cmd/internal/figures"
	"tengen/run/inspect"
)

// Write writes what was found.
func Write(w io.Writer, r *inspect.Report) error {
	var list []figures.Figure
	if r.Bytes > 0 {
		list = append(list, figures.Figure{"bytes", figures.Grouped(float64(r.Bytes))})
	}
	if r.Run != nil {
		list = append(list, runFigures(r.Run)...)
	}
	if r.Checkpoints != nil {
		list = append(list, checkpointsFigures(r.Checkpoints)...)
	}
	if r.Checkpoint != nil {
		list = append(list, checkpointFigures(r.Checkpoint)...)
	}
	if r.Tensors != nil {
		list = append(list, tensorsFigures(r.Tensors)...)
	}
	if r.Replay != nil {
		list = append(list, replayFigures(r.Replay)...)
	}
	if r.Match != nil {
		list = append(list, matchFigures(r.Match)...)
	}
	if r.Events != nil {
		list = append(list, linesFigures(r.Events, "events")...)
	}
	if r.EvaluationGames != nil {
		list = append(list, linesFigures(r.EvaluationGames, "evaluation games")...)
	}
	if r.Configuration != nil {
		list = append(list, configurationFigures(r.Configuration)...)
	}
	if r.Evaluation != nil {
		list = append(list, evaluationFigures(r.Evaluation)...)
	}
	if r.Ratings != nil {
		list = append(list, ratingsFigures(r.Ratings)...)
	}
	if r.Results != nil {
		list = append(list, resultsFigures(r.Results)...)
	}
	title := fmt.Sprintf("%s: %s", r.Path, r.Kind.Title())
	if err := figures.Write(w, title, list); err != nil {
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
