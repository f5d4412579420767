package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/game"
	"tengen/game/goban"
	"tengen/game/tcg"
	"tengen/game/turtle"
	"tengen/interop/sgf"
)

// positionSource says where a position comes from.
type positionSource struct {
	file  string // "-" is the standard input; "" where moves are given
	moves string // names of moves from the game's first position on
	text  string // a position in the game's own notation
	after int    // only so many moves of a game are played; -1 is all
	game  string // that was asked for; "" where none was
	// trained is the game of the network that is to look at the position, ""
	// where it has none.
	trained string

	// movers are those of the moves that led to the position, where these are known.
	movers []game.Player
}

// read is the position, and the game that it is of.
func (p *positionSource) read(c *cobra.Command) (game.Game, game.State, error) {
	switch {
	case p.text != "":
		g, s, err := p.fromNotation(p.text)
		if err != nil {
			return nil, nil, usagef("--position: %w", err)
		}
		return g, s, nil
	case p.file == "":
		return p.fromMoves()
	}
	path, number, err := p.file, -1, error(nil)
	var data []byte
	if path == "-" {
		data, err = io.ReadAll(c.InOrStdin())
	} else if path, number, err = splitNumber(path); err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, nil, usagef("position %s: %w", p.file, err)
	}
	var g game.Game
	var s game.State
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case len(text) == 0:
		err = fmt.Errorf("it is empty: a game in SGF or JSON, a position in its game's notation, or a board as `tengen play` draws it, is wanted")
	case text[0] == '{':
		g, s, err = p.fromJSON(c, data, number)
	case number >= 0:
		err = fmt.Errorf("games have numbers in JSON only")
	case text[0] == '(':
		g, s, err = p.fromSGF(data)
	case p.after >= 0:
		err = fmt.Errorf("--after %d: a board's drawing has no moves", p.after)
	case bytes.HasPrefix(text, []byte(notationWord)):
		g, s, err = p.fromNotation(string(text))
	default:
		g, s, err = p.fromDrawing(string(data))
	}
	if err != nil {
		return nil, nil, usagef("position %s: %w", p.file, err)
	}
	return g, s, nil
}

// wanted is the game asked for, else the network's, else none: nil.
func (p *positionSource) wanted() (game.Game, error) {
	name := p.game
	if name == "" {
		name = p.trained
	}
	if name == "" {
		return nil, nil
	}
	return game.New(name)
}

// flag is the flag by which the position is given, "" for a file; ok says that there
// are not two.
func (p *positionSource) flag(c *cobra.Command) (name string, ok bool) {
	moves, text := c.Flags().Changed("moves"), c.Flags().Changed("position")
	switch {
	case moves:
		name = "--moves"
	case text:
		name = "--position"
	}
	return name, !moves || !text
}

// orDefault is the game wanted, or else that which is played where nobody says.
func (p *positionSource) orDefault() (game.Game, error) {
	g, err := p.wanted()
	if g == nil && err == nil {
		g, err = game.New(defaultGame)
	}
	return g, err
}

// notationWord is the first of positions in a game's own notation.
const notationWord = "turn "

// fromNotation reads a position as the game writes it.
func (p *positionSource) fromNotation(text string) (game.Game, game.State, error) {
	g, err := p.orDefault()
	if err != nil {
		return nil, nil, err
	}
	text = strings.Join(strings.Fields(text), " ")
	var s game.State
	switch n := g.(type) {
	case *turtle.Game:
		read := n.ParsePosition
		if strings.Contains(text, "?") {
			read = n.ParseSeen
		}
		s, err = read(text)
	case *tcg.Game:
		s, err = n.ParsePosition(text)
	default:
		return nil, nil, fmt.Errorf("%s has no notation of positions; --game says of which game it is", g.Name())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", g.Name(), err)
	}
	return g, s, nil
}

// fromMoves plays the moves that are named.
func (p *positionSource) fromMoves() (game.Game, game.State, error) {
	g, err := p.orDefault()
	if err != nil {
		return nil, nil, usage(err)
	}
	s := g.NewState()
	played := 0
	for words := range strings.FieldsFuncSeq(p.moves, func(r rune) bool { return r == ',' || r == '\n' }) {
		for rest := strings.Fields(words); len(rest) > 0; {
			if played == p.after {
				return g, s, nil
			}
			a, n, err := nextMove(g, s, rest)
			if err != nil {
				return nil, nil, usagef("--moves: move %d, %s: %w", played+1, strings.Join(rest[:n], " "), err)
			}
			p.movers = append(p.movers, s.CurrentPlayer())
			s.Apply(a)
			played++
			rest = rest[n:]
		}
	}
	if p.after > played {
		return nil, nil, usagef("--after %d: --moves has %d", p.after, played)
	}
	return g, s, nil
}

// mostWords is how many words a move's name has at most: battle own 4/1/1.
const mostWords = 3

// nextMove is the move with which words begin, and of how many of them its name is
// made: as many as name one that can be played in s. Where there is none, these are
// the words that err is about.
func nextMove(g game.Game, s game.State, words []string) (a game.Action, n int, err error) {
	if s.CurrentPlayer() == game.Nobody {
		return game.NoAction, 1, fmt.Errorf("the game is over before it")
	}
	errs := make([]error, min(mostWords, len(words))+1)
	for n := len(errs) - 1; n > 0; n-- {
		a, err := parseComing(g, s, strings.Join(words[:n], " "))
		switch {
		case err != nil:
			errs[n] = err
		case !possible(s, a):
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

// parseComing reads an action of s, or an outcome where chance is to move.
func parseComing(g game.Game, s game.State, text string) (game.Action, error) {
	if s.CurrentPlayer() != game.Chance {
		return parseMove(g, s, text)
	}
	outcomes := s.(game.Chancer).Outcomes(nil)
	for _, o := range outcomes {
		if strings.EqualFold(game.ActionName(g, s, o.Action), text) {
			return o.Action, nil
		}
	}
	if a, err := parseMove(g, s, text); err == nil {
		return a, nil
	}
	return game.NoAction, fmt.Errorf("chance is to move there: %s or another outcome is wanted", game.ActionName(g, s, outcomes[0].Action))
}

// spaced says whether names of what may come in s are made of several words.
func spaced(g game.Game, s game.State) bool {
	var actions []game.Action
	if c, ok := s.(game.Chancer); ok && s.CurrentPlayer() == game.Chance {
		for _, o := range c.Outcomes(nil) {
			actions = append(actions, o.Action)
		}
	} else {
		actions = s.LegalActions(nil)
	}
	return slices.ContainsFunc(actions, func(a game.Action) bool { return strings.Contains(game.ActionName(g, s, a), " ") })
}

// possible says whether an action, or outcome of chance, may come in s.
func possible(s game.State, a game.Action) bool {
	if c, ok := s.(game.Chancer); ok && s.CurrentPlayer() == game.Chance {
		return slices.ContainsFunc(c.Outcomes(nil), func(o game.Outcome) bool { return o.Action == a })
	}
	return slices.Contains(s.LegalActions(nil), a)
}

// fromJSON plays the game of that number.
func (p *positionSource) fromJSON(c *cobra.Command, data []byte, number int) (game.Game, game.State, error) {
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return nil, nil, err
	}
	for _, err := range damaged {
		fmt.Fprintf(c.ErrOrStderr(), "tengen: %s: %s\n", p.file, oneLine(err))
	}
	r, err := choose(records, number)
	if err != nil {
		return nil, nil, err
	}
	g, err := game.New(r.Game)
	if err != nil {
		return nil, nil, err
	}
	if p.game != "" {
		asked, err := game.New(p.game)
		if err != nil {
			return nil, nil, err
		}
		if asked.Name() != g.Name() {
			return nil, nil, fmt.Errorf("it is a game of %s, not of %s; leave --game out", g.Name(), asked.Name())
		}
	}
	r.Game = g.Name()
	if p.after > len(r.Actions) {
		return nil, nil, fmt.Errorf("--after %d: the game has %d actions", p.after, len(r.Actions))
	}
	after := len(r.Actions)
	if p.after >= 0 {
		after = p.after
	}
	s := g.NewState()
	err = r.Replay(g, func(t game.State, ply int) {
		if ply < after {
			p.movers = append(p.movers, t.CurrentPlayer())
		}
		if ply == after {
			s.CopyFrom(t)
		}
	})
	return g, s, err
}

// fromSGF plays the main line of a game. The game asked for stands, komi and
// all; the network's rules are taken with the komi of the file.
func (p *positionSource) fromSGF(data []byte) (game.Game, game.State, error) {
	r, err := sgf.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.wanted()
	if err != nil {
		return nil, nil, err
	}
	if p.game == "" {
		rules := goban.Rules{}
		if g != nil {
			rules, _ = goban.RulesOf(g)
		}
		if g, err = r.GameLike(rules); err != nil {
			return nil, nil, err
		}
	}
	n := len(r.Moves)
	if p.after >= 0 {
		n = p.after
	}
	s, err := r.Play(g, n)
	return g, s, err
}

// fromDrawing sets up the stones that are drawn.
func (p *positionSource) fromDrawing(text string) (game.Game, game.State, error) {
	d, err := readDrawing(text)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.wanted()
	if err != nil {
		return nil, nil, err
	}
	if g == nil {
		r := goban.Rules{Rows: d.rows, Columns: d.columns, Players: d.players}
		if r.Players == 2 {
			r.Pass = goban.Free
		}
		if g, err = goban.New(r); err != nil {
			return nil, nil, err
		}
	}
	if r, ok := goban.RulesOf(g); !ok || r.Rows != d.rows || r.Columns != d.columns || r.Players < d.players {
		return nil, nil, fmt.Errorf("drawn is a board of %d rows and %d columns with %d colours, which is none of %s", d.rows, d.columns, d.players, g.Name())
	}
	s, err := goban.SetUp(g, d.stones, d.mover)
	return g, s, err
}
