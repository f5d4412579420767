package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/replay/record"
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

// WriteGame writes a game move by move.
func WriteGame(w io.Writer, r *inspect.Game) error {
	g, _ := game.New(r.Game) // nil: not known
	seat := func(p game.Player) string {
		switch {
		case g != nil && int(p) < g.Players():
			return game.SeatName(g, p)
		case p < 0:
			return "chance"
		}
		return fmt.Sprintf("player %d", p+1)
	}
	title := fmt.Sprintf("%s: game %d of %s, %d actions",
		r.Path, r.Number, InLine(r.Game), len(r.Actions))
	var list []Figure
	if r.Iteration != nil {
		list = append(list, Figure{"iteration", fmt.Sprint(*r.Iteration)})
	}
	if r.Prefix > 0 {
		list = append(list,
			Figure{"restart", fmt.Sprintf("the first %d actions are an earlier game's", r.Prefix)})
	}
	if r.Resign > 0 {
		text := fmt.Sprintf("below a utility of %.3f; the game was played to its end", r.Resign)
		if r.Resigned {
			text = fmt.Sprintf("below a utility of %.3f, which ended the game", r.Resign)
		}
		list = append(list, Figure{"resignation", text})
	}
	if r.Stream != nil {
		list = append(list, Figure{"random streams", fmt.Sprintf("number %d", *r.Stream)})
	}
	if r.States > 0 {
		list = append(list, Figure{"states of trees", fmt.Sprint(r.States)})
	}
	for p := range max(len(r.Players), len(r.Scores), len(r.Returns)) {
		var words []string
		if p < len(r.Players) {
			words = append(words, InLine(r.Players[p]))
		}
		for _, of := range []struct {
			name   string
			values []float32
		}{{"score", r.Scores}, {"utility", r.Returns}, {"outcome", r.Outcome}} {
			if p < len(of.values) {
				words = append(words, fmt.Sprintf("%s %.4g", of.name, of.values[p]))
			}
		}
		list = append(list, Figure{seat(game.Player(p)), strings.Join(words, ", ")})
	}
	if err := WriteFigures(w, title, list); err != nil {
		return err
	}
	var replayer *game.Replayer // nil: the rest can't be replayed
	if g != nil {
		replayer = game.NewReplayer(g)
	}
	for k, name := range r.Moves {
		line := fmt.Sprintf("%4d", k+1)
		switch {
		case r.Record != nil:
			line += "  " + seat(r.Record.Moves[k].Mover)
		case replayer != nil:
			line += "  " + seat(replayer.State().CurrentPlayer())
			if replayer.Play(r.Actions[k]) != nil {
				replayer = nil // the file's error says so
			}
		}
		line += "  " + name
		if r.Record != nil {
			line += seen(&r.Record.Moves[k])
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// seen describes the search before a move.
func seen(m *record.Move) string {
	text := ""
	if len(m.Visits) > 0 {
		var chosen, all uint64
		for _, v := range m.Visits {
			all += uint64(v.N)
			if v.Action == m.Action {
				chosen += uint64(v.N)
			}
		}
		text += fmt.Sprintf("  %d of %d visits", chosen, all)
	}
	for i, p := range m.Probabilities() {
		if m.Visits[i].Action == m.Action {
			text += fmt.Sprintf("  target %.3f", p)
		}
	}
	if len(m.Value) > 0 {
		text += "  expects"
		for _, x := range m.Value {
			text += fmt.Sprintf(" %.2f", x)
		}
	}
	return text
}

// Figure is one line of a table: what is counted, and its value.
type Figure [2]string

// WriteFigures writes a title and, below it, the figures in two columns.
func WriteFigures(w io.Writer, title string, list []Figure) error {
	fmt.Fprintln(w, notation.Plain(title))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range list {
		fmt.Fprintf(t, "  %s\t%s\n", notation.Plain(f[0]), notation.Plain(f[1]))
	}
	return t.Flush()
}

// Grouped writes a number with its thousands apart: 1,234,567.
func Grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// Network describes a network in a few words.
func Network(s nn.Spec) string {
	heads := ""
	if !s.Auxiliary.IsZero() {
		heads = ", auxiliary heads"
	}
	return fmt.Sprintf("%s, %s policy, %s value%s", s.Size(), s.Policy, s.Value, heads)
}

// InLine is text from a file as it may stand in a line of a table: quoted where
// it has control characters, and cut after 200 characters.
func InLine(text string) string {
	const longest = 200
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\x7f' }) {
		text = fmt.Sprintf("%q", text)
	}
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}
