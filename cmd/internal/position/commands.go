package position

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// help prints what can be typed, and the rules where the game tells them.
func (t *Game) help(example string) {
	more := ""
	if t.Hints != nil {
		more += ", hint"
	}
	if t.Save != nil {
		more += ", save FILE"
	}
	t.say("a move (%s), or: moves, board, why, undo%s, resign, quit", example, more)
	for _, f := range game.Families() {
		if f.Name == familyOf(t.game) {
			t.say("%s: %s", f.Name, f.Summary)
		}
	}
	if g, ok := t.game.(game.Guided); ok {
		fmt.Fprint(t.out, g.Guide())
	}
}

// familyOf returns the name of a game without its parameters.
func familyOf(g game.Game) string {
	for i, r := range g.Name() {
		if r == ':' {
			return g.Name()[:i]
		}
	}
	return g.Name()
}

// hint prints the analysis of the position by the player of hints, who sees what the person to move
// sees.
func (t *Game) hint(ctx context.Context) error {
	if t.Hints == nil {
		t.say("there is nobody to ask")
		return nil
	}
	mover := t.state.CurrentPlayer()
	text := ""
	x := player.NewGame(t.game)
	x.OnMove = func(m player.Move) {
		if v, ok := m.Agent.(player.Analyzer); ok {
			text = cli.AnalysisOf(t.game, t.state, v).Text(t.Hints.Name(), cli.DefaultMoves)
		}
		text += "hint: " + game.ActionName(t.game, t.state, m.Action)
	}
	seats := make([]player.Seat, t.game.Players())
	seats[mover] = player.Seat{
		Agent: t.Hints.NewAgent(t.game),
		Rand:  random.New(t.seed, random.Arena, 1, uint64(len(t.record))),
	}
	x.Start(player.Setup{
		Seed: t.seed, Purpose: random.Arena, Number: 1, Seats: seats, State: t.state,
	})
	evaluator := t.Hints.NewEvaluator(t.game, 1)
	defer search.Close(evaluator)
	if _, err := x.Next(ctx, []search.Evaluator{evaluator}); err != nil {
		return err
	}
	t.say("%s", text)
	return nil
}

// resign ends the game for the person to move.
func (t *Game) resign() {
	mover := t.state.CurrentPlayer()
	who := game.SeatName(t.game, mover)
	if t.game.Players() == 2 {
		t.say("%s resigns; %s wins", who, game.SeatName(t.game, 1-mover))
		return
	}
	t.say("%s resigns; the game is left unfinished", who)
}

// save writes the game so far to a file.
func (t *Game) save(path string) {
	if path == "" {
		t.say("save FILE: the name of a file is wanted")
		return
	}
	actions := make([]game.Action, len(t.record))
	for i, m := range t.record {
		actions[i] = m.action
	}
	if err := t.Save(path, actions); err != nil {
		t.say("%v", err)
		return
	}
	t.say("saved; go on with: %s", notation.Command("play", "--continue", path))
}

// Continue plays the actions of a game before Run, which goes on from there. Those of seats without
// an agent count as persons' moves. It returns an error if one of them can't be played.
func (t *Game) Continue(actions []game.Action) error {
	t.play.OnMove = nil
	defer func() { t.play.OnMove = t.made }()
	for i, a := range actions {
		mover := t.state.CurrentPlayer()
		if mover == game.Nobody {
			return fmt.Errorf("the game is over after %d of %d actions", i, len(actions))
		}
		if err := t.apply(move{
			action: a, person: mover >= 0 && t.seats[mover].Agent == nil,
		}); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}

// lineWidth is the number of columns that lines of text are folded to.
const lineWidth = 80

// folded breaks lines that are too wide at spaces, and indents what follows by two more. Escape
// sequences take no columns. A word that is too wide keeps a line for itself.
func folded(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if ansi.StringWidth(strings.TrimSuffix(line, "\n")) <= lineWidth {
			b.WriteString(line)
			continue
		}
		indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+2)
		at := 0
		for i, word := range strings.Split(line, " ") {
			width := ansi.StringWidth(strings.TrimSuffix(word, "\n"))
			switch {
			case i > 0 && at+1+width > lineWidth:
				b.WriteString("\n" + indent)
				at = len(indent)
			case i > 0:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += width
		}
	}
	return b.String()
}

// marked returns the drawing now, with the cell that has been filled since the drawing before in
// brackets: .X. becomes .(X). Both drawings are without colours; drawn is now as it is to be shown.
// If not exactly one empty cell, a point among spaces, has been filled, or the drawings differ in
// size, it returns drawn as it is.
func marked(before, now, drawn string) string {
	old, lines := strings.Split(before, "\n"), strings.Split(now, "\n")
	shown := strings.Split(drawn, "\n")
	if len(old) != len(lines) || len(shown) != len(lines) {
		return drawn
	}
	row, column := -1, 0
	for i := range lines {
		a, b := []rune(old[i]), []rune(lines[i])
		if len(a) != len(b) {
			continue // a line of words
		}
		for k := range a {
			if a[k] != '.' || b[k] == '.' || b[k] == ' ' || k == 0 || b[k-1] != ' ' ||
				k+1 < len(b) && b[k+1] != ' ' {
				continue
			}
			if row >= 0 {
				return drawn
			}
			row, column = i, k
		}
	}
	if row < 0 {
		return drawn
	}
	line, width := shown[row], ansi.StringWidth(shown[row])
	shown[row] = ansi.Cut(line, 0, column-1) + "(" + ansi.Cut(line, column, column+1) + ")" +
		ansi.Cut(line, min(column+2, width), width)
	return strings.Join(shown, "\n")
}
