package cli

import (
	"fmt"
	"io"
	"strings"

	"tengen/game"
	"tengen/replay/record"
	"tengen/run/inspect"
)

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
	for i, p := range m.Policy {
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
