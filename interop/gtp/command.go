package gtp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/interop/findings"
)

// Command is one command of a controller.
type Command struct {
	ID   string // digits, repeated in the answer; "" if there is none
	Name string // "" if a line has only an ID
	Args []string
}

// ParseCommand reads a line. It returns false if the line has only white space, comments and
// control characters.
func ParseCommand(line string) (Command, bool) {
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, line)
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return Command{}, false
	}
	c := Command{}
	if isNumber(words[0]) {
		c.ID, words = words[0], words[1:]
	}
	if len(words) > 0 {
		c.Name, c.Args = words[0], words[1:]
	}
	return c, true
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789") == ""
}

// Errors defined by the protocol, with its texts.
var (
	errUnknown      = errors.New("unknown command")
	errSyntax       = errors.New("syntax error")
	errSize         = errors.New("unacceptable size")
	errKomi         = errors.New("unacceptable komi")
	errIllegal      = errors.New("illegal move")
	errCannotUndo   = errors.New("cannot undo")
	errTimeSettings = errors.New("time settings not supported")
)

// answer is the text of an answer, with the empty line that ends it.
func answer(id, text string, err error) string {
	mark := "="
	if err != nil {
		mark, text = "?", err.Error()
	}
	// An empty line inside the text would end the answer.
	for strings.Contains(text, "\n\n") {
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		text = " " + text
	}
	return mark + id + text + "\n\n"
}

// syntax is a syntax error of which more can be said.
func syntax(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errSyntax, fmt.Errorf(format, args...))
}

// parseColor reads "b", "black", "w" or "white", in any case.
func parseColor(text string) (game.Player, error) {
	switch strings.ToLower(text) {
	case "b", "black":
		return 0, nil
	case "w", "white":
		return 1, nil
	}
	return game.Nobody, syntax("%.40q is no colour: b or w is wanted", text)
}

// parseWhole reads a whole number of at least a least one. Signs other than "-" are none of the
// protocol's.
func parseWhole(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || text[0] == '+' {
		return 0, syntax("%.40q: a whole number of %d or more is wanted", text, least)
	}
	return n, nil
}

// colorWord returns the name of a colour in commands.
func colorWord(c game.Player) string { return [...]string{"black", "white"}[c] }

// vertex formats an action as the protocol does: "C3" or "pass".
func vertex(g game.Game, a game.Action) string { return findings.Vertex(g, a) }

// parseVertex reads a vertex of a game of Go.
func parseVertex(g game.Game, text string) (game.Action, error) {
	a, err := findings.ParseVertex(g, text)
	if err != nil {
		return a, syntax("%.40q is no point of the board, nor pass", text)
	}
	return a, nil
}
