package position

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/interop/sgf"
)

// Source says where a position comes from. The first of Text, File and Moves that is not empty is
// used; without any the position is the first one of the game.
type Source struct {
	File  string // "-" is the standard input
	Moves string // names of moves from the first position of the game
	Text  string // a position in the game's own notation
	After int    // number of moves of a game to play; -1 is all
	Game  string // the game asked for, "" if none was
	// Trained is the game of the network that will analyze the position, "" if there is none.
	Trained string
	// Default is the game without any of these.
	Default string

	Stdin io.Reader
	// Warn is called with damaged records of a file, of which others are intact, and with what was
	// guessed in reading SGF.
	Warn func(file string, err error)

	line bool // it is one of a file, whose reader says where
}

// Read returns the position and its game.
func (p *Source) Read() (game.Game, game.State, error) {
	read, place := p.fromFile, "position "+p.File
	switch {
	case p.Text != "":
		read, place = func() (game.Game, game.State, error) {
			return p.fromNotation(p.Text)
		}, "--position"
	case p.File == "":
		read, place = p.fromMoves, "--moves"
	}
	g, s, err := read()
	switch {
	case err != nil && p.line:
		return nil, nil, err
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", place, err)
	}
	return g, s, nil
}

// fromFile reads the position from the file.
func (p *Source) fromFile() (game.Game, game.State, error) {
	path, number, err := p.File, -1, error(nil)
	var data []byte
	if path == "-" {
		data, err = io.ReadAll(p.Stdin)
	} else if path, number, err = SplitNumber(path); err == nil {
		data, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.New("there is no such file; a file with a position is wanted, - for the standard input, or --moves or --position")
	}
	if err != nil {
		return nil, nil, err
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case len(text) == 0:
		return nil, nil, fmt.Errorf("it is empty: a game in SGF or JSON, a position in its game's notation, or a board as `%s` draws it, is wanted", notation.Command("play"))
	case text[0] == '{':
		return p.fromJSON(data, number)
	case number >= 0:
		return nil, nil, fmt.Errorf("games have numbers in JSON only")
	case text[0] == '(' || sgf.Is(data):
		return p.fromSGF(data)
	case p.After >= 0:
		return nil, nil, fmt.Errorf("--after %d: a board's drawing has no moves", p.After)
	case bytes.HasPrefix(text, []byte(notationWord)):
		return p.fromNotation(string(text))
	}
	return p.fromDrawing(string(data))
}

// Line is the source of a position in a line of a file.
type Line struct {
	*Source
	Number int // from 1
}

// Lines returns the sources of the lines of the file, each of which is a position: moves, a
// position in its game's notation, or a game in JSON or SGF. Empty lines and those that begin with
// # are none.
func (p *Source) Lines() ([]Line, error) {
	var data []byte
	var err error
	if p.File == "-" {
		data, err = io.ReadAll(p.Stdin)
	} else {
		data, err = os.ReadFile(p.File)
	}
	if err != nil {
		return nil, fmt.Errorf("positions %s: %w", p.File, err)
	}
	var list []Line
	number := 0
	for text := range strings.Lines(strings.TrimPrefix(string(data), "\xef\xbb\xbf")) {
		number++
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		x := *p
		x.File, x.line = "", true
		switch {
		case text[0] == '{' || text[0] == '(':
			x.File, x.Stdin = "-", strings.NewReader(text)
			place := fmt.Sprintf("%s:%d", p.File, number)
			x.Warn = func(_ string, err error) { p.Warn(place, err) }
		case strings.HasPrefix(text, notationWord):
			x.Text = text
		default:
			x.Moves = text
		}
		list = append(list, Line{&x, number})
	}
	if list == nil {
		return nil, fmt.Errorf("positions %s: it has none; a line with moves, or with a game in SGF or JSON, is wanted for each", p.File)
	}
	return list, nil
}

// wanted returns the game asked for, or else the network's, or else nil.
func (p *Source) wanted() (game.Game, error) {
	name := p.Game
	if name == "" {
		name = p.Trained
	}
	if name == "" {
		return nil, nil
	}
	return game.New(name)
}

// orDefault returns the game wanted, or else the default one.
func (p *Source) orDefault() (game.Game, error) {
	g, err := p.wanted()
	if g == nil && err == nil {
		g, err = game.New(p.Default)
	}
	return g, err
}

// notationWord begins every position in a game's own notation.
const notationWord = "turn "

// fromNotation reads a position in the game's own notation.
func (p *Source) fromNotation(text string) (game.Game, game.State, error) {
	g, err := p.orDefault()
	if err != nil {
		return nil, nil, err
	}
	text = strings.Join(strings.Fields(text), " ")
	parser, ok := g.(game.Positioned)
	if !ok {
		return nil, nil,
			fmt.Errorf("%s has no notation of positions; --game says of which game it is", g.Name())
	}
	s, err := parser.ParsePosition(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Name(), err)
	}
	return g, s, nil
}

// fromMoves plays the named moves.
func (p *Source) fromMoves() (game.Game, game.State, error) {
	g, err := p.orDefault()
	if err != nil {
		return nil, nil, err
	}
	replayer := game.NewReplayer(g)
	s := replayer.State()
	for words := range strings.FieldsFuncSeq(p.Moves, func(r rune) bool {
		return r == ',' || r == '\n'
	}) {
		for rest := apart(g, strings.Fields(words)); len(rest) > 0; {
			if replayer.Ply() == p.After {
				return g, s, nil
			}
			a, n, err := nextMove(g, replayer, rest)
			if err != nil {
				return nil, nil,
					fmt.Errorf("move %d, %s: %w",
						replayer.Ply()+1, strings.Join(rest[:n], " "), err)
			}
			replayer.Apply(a)
			rest = rest[n:]
		}
	}
	if p.After > replayer.Ply() {
		return nil, nil, fmt.Errorf("--after %d: there are %d", p.After, replayer.Ply())
	}
	return g, s, nil
}

// apart takes a single word of several letters or digits that is no move apart, if each of them is
// one: 444442 are the columns of six moves of Connect Four.
func apart(g game.Game, words []string) []string {
	if len(words) != 1 {
		return words
	}
	start := g.NewState()
	if _, err := parseComing(g, start, words[0]); err == nil {
		return words
	}
	letters := strings.Split(words[0], "")
	for _, x := range letters {
		if _, err := parseComing(g, start, x); err != nil {
			return words
		}
	}
	return letters
}

// mostWords is the greatest number of words of a move's name: battle own 4/1/1.
const mostWords = 3

// nextMove returns the move that words begin with and the number of words of its name: the greatest
// number that names a move that can be played next. If there is none, err is about the first n
// words.
func nextMove(g game.Game, r *game.Replayer, words []string) (a game.Action, n int, err error) {
	s := r.State()
	if s.CurrentPlayer() == game.Nobody {
		return game.NoAction, 1, fmt.Errorf("the game is over before it")
	}
	errs := make([]error, min(mostWords, len(words))+1)
	for n := len(errs) - 1; n > 0; n-- {
		a, err := parseComing(g, s, strings.Join(words[:n], " "))
		switch {
		case err != nil:
			errs[n] = err
		case r.Check(a) != nil:
			errs[n] = fmt.Errorf("it can't be played there")
		default:
			return a, n, nil
		}
	}
	n = 1
	if spaced(g, s) {
		n = len(errs) - 1
	}
	return game.NoAction, n, errs[n]
}

// parseComing reads an action of s, or an outcome if chance is to move.
func parseComing(g game.Game, s game.State, text string) (game.Action, error) {
	if s.CurrentPlayer() != game.Chance {
		return ParseMove(g, s, text)
	}
	outcomes := s.(game.Chancer).Outcomes(nil)
	for _, o := range outcomes {
		if strings.EqualFold(game.ActionName(g, s, o.Action), text) {
			return o.Action, nil
		}
	}
	if a, err := ParseMove(g, s, text); err == nil {
		return a, nil
	}
	return game.NoAction,
		fmt.Errorf("chance is to move there: %s or another outcome is wanted",
			game.ActionName(g, s, outcomes[0].Action))
}

// spaced reports whether an action or outcome of s has a name of several words.
func spaced(g game.Game, s game.State) bool {
	var actions []game.Action
	if c, ok := s.(game.Chancer); ok && s.CurrentPlayer() == game.Chance {
		for _, o := range c.Outcomes(nil) {
			actions = append(actions, o.Action)
		}
	} else {
		actions = s.LegalActions(nil)
	}
	return slices.ContainsFunc(actions, func(a game.Action) bool {
		return strings.Contains(game.ActionName(g, s, a), " ")
	})
}

// fromJSON plays the game with a number.
func (p *Source) fromJSON(data []byte, number int) (game.Game, game.State, error) {
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return nil, nil, err
	}
	for _, err := range damaged {
		p.Warn(p.File, err)
	}
	r, err := Choose(records, number)
	if err != nil {
		return nil, nil, err
	}
	g, err := game.New(r.Game)
	if err != nil {
		return nil, nil, err
	}
	if p.Game != "" {
		asked, err := game.New(p.Game)
		if err != nil {
			return nil, nil, err
		}
		if asked.Name() != g.Name() {
			return nil, nil,
				fmt.Errorf("it is a game of %s, not of %s; leave --game out",
					g.Name(), asked.Name())
		}
	}
	r.Game = g.Name()
	if p.After > len(r.Actions) {
		return nil, nil, fmt.Errorf("--after %d: the game has %d actions", p.After, len(r.Actions))
	}
	after := len(r.Actions)
	if p.After >= 0 {
		after = p.After
	}
	s := g.NewState()
	err = r.Replay(g, func(t game.State, ply int) {
		if ply == after {
			s.CopyFrom(t)
		}
	})
	return g, s, err
}

// fromSGF plays the main line of a game, by the rules of the game asked for, komi included, or by
// the network's rules with the komi of the file.
func (p *Source) fromSGF(data []byte) (game.Game, game.State, error) {
	r, err := sgf.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range r.Warnings {
		p.Warn(p.File, w)
	}
	g, err := p.wanted()
	if err != nil {
		return nil, nil, err
	}
	if p.Game == "" {
		if g, err = r.Game(g); err != nil {
			return nil, nil, err
		}
	}
	n := len(r.Moves)
	if p.After >= 0 {
		n = p.After
	}
	s, err := r.Play(g, n)
	return g, s, err
}

// fromDrawing reads a board as its game draws it.
func (p *Source) fromDrawing(text string) (game.Game, game.State, error) {
	g, err := p.wanted()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range game.Families() {
		if f.Drawn == nil {
			continue
		}
		drawn, err := f.Drawn(text)
		if err != nil {
			return nil, nil, err
		}
		if g == nil {
			g = drawn
		}
		if _, ok := g.(game.DrawingParser); !ok {
			return nil, nil,
				fmt.Errorf("drawn is a board of %s, which is none of %s", drawn.Name(), g.Name())
		}
	}
	s, err := g.(game.DrawingParser).ParseDrawing(text)
	return g, s, err
}

// ParseMove reads a move of s as the game writes it, or by its number if the
// game names none.
func ParseMove(g game.Game, s game.State, text string) (game.Action, error) {
	if n, ok := g.(game.Notated); ok {
		return n.ParseAction(s, text)
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return game.NoAction,
			fmt.Errorf(`%q is no move: the number of one is wanted; "moves" lists them`, text)
	}
	return game.Action(n), nil
}
