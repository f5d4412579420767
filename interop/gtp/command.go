package gtp

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/game"
	"tengen/interop/analysis"
	"tengen/interop/sgf"
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
func vertex(g game.Game, a game.Action) string { return analysis.Vertex(g, a) }

// parseVertex reads a vertex of a game of Go.
func parseVertex(g game.Game, text string) (game.Action, error) {
	a, err := analysis.ParseVertex(g, text)
	if err != nil {
		return a, syntax("%.40q is no point of the board, nor pass", text)
	}
	return a, nil
}

// handler executes a command with a fixed number of arguments.
type handler struct {
	args int // -1 is any number
	do   func(e *Engine, args []string) (string, error)
	// stream, if not nil, is called instead of do: it writes its answer while it works.
	stream func(e *Engine, args []string, out output) error
}

// handlers are the handlers by command; Serve itself executes "quit". They are set by init,
// since list_commands lists them. commandNames are their names, sorted.
var (
	handlers     map[string]handler
	commandNames []string
)

func init() {
	handlers = map[string]handler{
		"protocol_version": {0, func(*Engine, []string) (string, error) { return "2", nil }, nil},
		"name": {0, func(e *Engine, _ []string) (string, error) {
			return e.config.Name, nil
		}, nil},
		"version": {0, func(e *Engine, _ []string) (string, error) {
			return e.config.Version, nil
		}, nil},
		"known_command": {1, func(e *Engine, args []string) (string, error) {
			return strconv.FormatBool(e.known(args[0])), nil
		}, nil},
		"list_commands": {0, func(e *Engine, _ []string) (string, error) {
			return strings.Join(e.commands(), "\n"), nil
		}, nil},
		"quit":        {0, nothing, nil},
		"boardsize":   {-1, boardSize, nil},
		"clear_board": {0, clearBoard, nil},
		"komi":        {1, setKomi, nil},
		"get_komi":    {0, getKomi, nil},
		"play":        {2, playMove, nil},
		"genmove":     {1, genMove, nil},
		"reg_genmove": {1, regGenMove, nil},
		"undo": {0, func(e *Engine, _ []string) (string, error) {
			return "", e.Undo()
		}, nil},
		"gg-undo":           {-1, undoSeveral, nil},
		"time_settings":     {3, timeSettings, nil},
		"kgs-time_settings": {-1, namedTimeSettings, nil},
		"time_left":         {3, setTimeLeft, nil},
		"final_score":       {0, finalScore, nil},
		"final_status_list": {1, finalStatusList, nil},
		"showboard":         {0, showBoard, nil},

		"kgs-genmove_cleanup":     {1, genMoveCleanup, nil},
		"kata-time_settings":      {-1, namedTimeSettings, nil},
		"kata-list_time_settings": {0, listTimeSettings, nil},

		"fixed_handicap":      {1, fixedHandicap, nil},
		"place_free_handicap": {1, placeFreeHandicap, nil},
		"set_free_handicap":   {-1, setFreeHandicap, nil},
		"set_position":        {-1, setPosition, nil},
		"gogui-setup":         {-1, setPosition, nil},
		"gogui-setup_player":  {1, setFirst, nil},
		"loadsgf":             {-1, loadSGF, nil},
		"printsgf":            {-1, printSGF, nil},

		"rectangular_boardsize": {2, boardSize, nil},
		"clear_cache":           {0, clearCache, nil},
		"stop":                  {0, stop, nil},
		"cputime":               {0, cpuTime, nil},
		"gomill-cpu_time":       {0, cpuTime, nil},
		"kata-get-rules":        {0, getRules, nil},
		"kata-set-rules":        {-1, setRules, nil},
		"kata-set-rule":         {2, setRule, nil},
		"kata-list-params":      {0, listParameters, nil},
		"kata-get-param":        {1, getParameter, nil},

		"gogui-analyze_commands": {0, goguiCommands, nil},
		goguiSearch:              {-1, goguiSearchResult, nil},
	}
	for name, d := range analyzing {
		handlers[name] = handler{-1, nil, func(e *Engine, args []string, out output) error {
			a, err := e.parseAnalysis(d.dialect, args)
			if err != nil {
				return err
			}
			return d.do(e, a, out)
		}}
	}
	commandNames = slices.Sorted(maps.Keys(handlers))
}

// analyzing are the commands that tell what the search finds while it works.
var analyzing = map[string]struct {
	dialect dialect
	do      func(*Engine, request, output) error
}{
	"analyze":              {kata, (*Engine).analyze},
	"kata-analyze":         {kata, (*Engine).analyze},
	"lz-analyze":           {leela, (*Engine).analyze},
	"genmove_analyze":      {kata, (*Engine).genMoveAnalyze},
	"kata-genmove_analyze": {kata, (*Engine).genMoveAnalyze},
	"lz-genmove_analyze":   {leela, (*Engine).genMoveAnalyze},
}

// known reports whether there is a command: those of analyses only if the player can do them.
func (e *Engine) known(name string) bool {
	_, ok := handlers[name]
	if _, analysis := analyzing[name]; analysis || name == "gogui-analyze_commands" ||
		name == goguiSearch {
		return ok && e.analyzes()
	}
	return ok
}

// commands lists their names.
func (e *Engine) commands() []string {
	names := make([]string, 0, len(commandNames))
	for _, name := range commandNames {
		if e.known(name) {
			names = append(names, name)
		}
	}
	return names
}

// Do executes a command and returns the text of its answer, or the error to answer with. An
// analysis ends at once.
func (e *Engine) Do(c Command) (string, error) {
	var out collected
	text, err := e.do(c, &out)
	return strings.Join(append(out.lines, text), "\n"), err
}

// collected is an output that is stopped.
type collected struct{ lines []string }

func (c *collected) Line(text string) { c.lines = append(c.lines, text) }
func (*collected) Stopped() bool      { return true }
func (*collected) Wait(time.Duration) {}

// do executes a command, which may write lines of its answer to out. It returns the rest of the
// answer.
func (e *Engine) do(c Command, out output) (string, error) {
	h := handlers[c.Name]
	switch {
	case !e.known(c.Name):
		return "", errUnknown
	case h.args >= 0 && len(c.Args) < h.args:
		return "", syntax("%s takes %s, not %d", c.Name,
			[...]string{"none", "one argument", "two arguments", "three arguments"}[h.args],
			len(c.Args))
	case h.args >= 0:
		c.Args = c.Args[:h.args] // further arguments are ignored, as the protocol says
	}
	if h.stream != nil {
		return "", h.stream(e, c.Args, out)
	}
	return h.do(e, c.Args)
}

func nothing(*Engine, []string) (string, error) { return "", nil }

// boardSize takes one number, or two equal ones.
func boardSize(e *Engine, args []string) (string, error) {
	if len(args) == 0 {
		return "", syntax("the size of the board is wanted")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return "", syntax("%.40q is no whole number", args[0])
	}
	if len(args) > 1 {
		if rows, err := strconv.Atoi(args[1]); err == nil && rows != n {
			return "", errSize
		}
	}
	return "", e.SetSize(n)
}

func clearBoard(e *Engine, _ []string) (string, error) {
	e.Clear(e.number + 1)
	e.prepareForClock()
	return "", nil
}

func setKomi(e *Engine, args []string) (string, error) {
	x, err := strconv.ParseFloat(args[0], 64)
	if err != nil || math.IsInf(x, 0) || strings.Trim(args[0], "+-.eE0123456789") != "" {
		return "", syntax("%.40q is no number", args[0])
	}
	err = e.SetKomi(x)
	e.prepareForClock()
	return "", err
}

func getKomi(e *Engine, _ []string) (string, error) {
	return strconv.FormatFloat(e.rules.Komi[1]-e.rules.Komi[0], 'f', -1, 64), nil
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
	return e.moveBy((*Engine).GenMove, args[0])
}

// regGenMove chooses a move as genmove does, without playing it.
func regGenMove(e *Engine, args []string) (string, error) {
	return e.moveBy((*Engine).Suggest, args[0])
}

// genMoveCleanup is genmove after a dispute about dead stones, which are taken before it passes.
func genMoveCleanup(e *Engine, args []string) (string, error) {
	return e.moveBy((*Engine).GenCleanup, args[0])
}

// moveBy answers the move that choose returns for a colour.
func (e *Engine) moveBy(
	choose func(e *Engine, color game.Player) (game.Action, error), color string,
) (string, error) {
	c, err := parseColor(color)
	if err != nil {
		return "", err
	}
	a, err := choose(e, c)
	if err != nil {
		return "", err
	}
	return moveWord(e.game, a), nil
}

// moveWord returns the word for what GenMove has returned.
func moveWord(g game.Game, a game.Action) string {
	if a == game.NoAction {
		return "resign"
	}
	return vertex(g, a)
}

// undoSeveral takes back a number of moves, or one.
func undoSeveral(e *Engine, args []string) (string, error) {
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = parseWhole(args[0], 1); err != nil {
			return "", err
		}
	}
	if n > len(e.moves) {
		return "", errCannotUndo
	}
	for range n {
		if err := e.Undo(); err != nil {
			return "", err
		}
	}
	return "", nil
}

// clearCache makes the player forget what it has searched.
func clearCache(e *Engine, _ []string) (string, error) {
	e.replay()
	return "", nil
}

// stop ends pondering.
func stop(e *Engine, _ []string) (string, error) {
	e.pondering = false
	return "", nil
}

// cpuTime answers the seconds spent on genmove and its kin, as KataGo does: by the clock.
func cpuTime(e *Engine, _ []string) (string, error) {
	return strconv.FormatFloat(e.thought.Seconds(), 'f', 3, 64), nil
}

// finalScore answers the score without the stones that are dead.
func finalScore(e *Engine, _ []string) (string, error) {
	return sgf.ResultOf(e.margin()), nil
}

// finalStatusList takes a status: of stones alive, seki or dead, each chain on a line; as GNU Go
// also one of empty points.
func finalStatusList(e *Engine, args []string) (string, error) {
	t := e.status(e.State())
	of := map[string]func(p int) bool{
		"alive": func(p int) bool {
			return t.stones[p] != game.Nobody && !t.dead[p] && !t.seki[p]
		},
		"seki":            func(p int) bool { return t.seki[p] },
		"dead":            func(p int) bool { return t.dead[p] },
		"black_territory": func(p int) bool { return t.owner[p] == 0 && t.stones[p] != 0 },
		"white_territory": func(p int) bool { return t.owner[p] == 1 && t.stones[p] != 1 },
		"dame":            func(p int) bool { return t.owner[p] == game.Nobody },
	}[args[0]]
	if of == nil {
		return "", syntax("%.40q is no status: alive, seki or dead is wanted", args[0])
	}
	var lines []string
	for _, points := range e.rollouts.chains(t.stones) {
		var words []string
		for _, p := range points {
			if of(p) {
				words = append(words, vertex(e.game, game.Action(p)))
			}
		}
		if words != nil {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func showBoard(e *Engine, _ []string) (string, error) {
	return "\n" + e.State().(game.Drawn).Draw(false), nil
}
