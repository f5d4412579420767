package gtp

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/goban"
	"tengen/interop/sgf"
)

// handler executes a command with a fixed number of arguments.
type handler struct {
	args int // -1 is any number
	do   func(e *Engine, args []string) (string, error)
}

// handlers are the handlers by command; Serve itself executes "quit". They are set by init,
// since list_commands lists them.
var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"protocol_version":  {0, func(*Engine, []string) (string, error) { return "2", nil }},
		"name":              {0, func(e *Engine, _ []string) (string, error) { return e.config.Name, nil }},
		"version":           {0, func(e *Engine, _ []string) (string, error) { return e.config.Version, nil }},
		"known_command":     {1, func(_ *Engine, args []string) (string, error) { return strconv.FormatBool(known(args[0])), nil }},
		"list_commands":     {0, func(*Engine, []string) (string, error) { return strings.Join(commands(), "\n"), nil }},
		"quit":              {0, func(*Engine, []string) (string, error) { return "", nil }},
		"boardsize":         {1, boardSize},
		"clear_board":       {0, clearBoard},
		"komi":              {1, setKomi},
		"play":              {2, playMove},
		"genmove":           {1, genMove},
		"undo":              {0, func(e *Engine, _ []string) (string, error) { return "", e.Undo() }},
		"time_settings":     {3, timeSettings},
		"kgs-time_settings": {-1, namedTimeSettings},
		"time_left":         {3, setTimeLeft},
		"final_score":       {0, finalScore},
		"final_status_list": {1, finalStatusList},
		"showboard":         {0, showBoard},

		"kata-time_settings":      {-1, namedTimeSettings},
		"kata-list_time_settings": {0, listTimeSettings},
	}
}

func known(name string) bool {
	_, ok := handlers[name]
	return ok
}

// commands lists their names.
func commands() []string {
	names := make([]string, 0, len(handlers))
	for name := range handlers {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Do executes a command and returns the text of its answer, or the error to answer with.
func (e *Engine) Do(c Command) (string, error) {
	h, ok := handlers[c.Name]
	switch {
	case !ok:
		return "", errUnknown
	case h.args >= 0 && len(c.Args) < h.args:
		return "", errSyntax
	case h.args >= 0:
		c.Args = c.Args[:h.args] // further arguments are ignored, as the protocol says
	}
	return h.do(e, c.Args)
}

func boardSize(e *Engine, args []string) (string, error) {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return "", errSyntax
	}
	return "", e.SetSize(n)
}

func clearBoard(e *Engine, _ []string) (string, error) {
	e.Clear(e.number + 1)
	return "", nil
}

func setKomi(e *Engine, args []string) (string, error) {
	x, err := strconv.ParseFloat(args[0], 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", errSyntax
	}
	return "", e.SetKomi(x)
}

func playMove(e *Engine, args []string) (string, error) {
	color, err := parseColor(args[0])
	if err != nil {
		return "", err
	}
	a, err := parseVertex(e.game, args[1])
	if err != nil {
		return "", err
	}
	return "", e.Play(color, a)
}

func genMove(e *Engine, args []string) (string, error) {
	color, err := parseColor(args[0])
	if err != nil {
		return "", err
	}
	a, err := e.GenMove(color)
	if err != nil {
		return "", err
	}
	return vertex(e.game, a), nil
}

func finalScore(e *Engine, _ []string) (string, error) {
	return sgf.ResultOf(sgf.Margin(e.State())), nil
}

// finalStatusList answers that all stones are alive.
func finalStatusList(e *Engine, args []string) (string, error) {
	if args[0] != "alive" {
		if slices.Contains([]string{"dead", "seki", "black_territory", "white_territory", "dame"}, args[0]) {
			return "", nil
		}
		return "", errSyntax
	}
	var list []string
	for p, c := range goban.Stones(e.State(), nil) {
		if c != game.Nobody {
			list = append(list, vertex(e.game, game.Action(p)))
		}
	}
	return strings.Join(list, "\n"), nil
}

func showBoard(e *Engine, _ []string) (string, error) {
	return "\n" + e.State().(game.Drawn).Draw(false), nil
}
