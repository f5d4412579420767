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
	"tengen/sgf"
)

// positionSource says where a position comes from.
type positionSource struct {
	file  string // "-" is the standard input; "" where moves are given
	moves string // names of moves from the game's first position on
	after int    // only so many moves of a game are played; -1 is all
	game  string // that was asked for; "" where none was
	// trained is the game of the network that is to look at the position, ""
	// where it has none.
	trained string
}

// read is the position, and the game that it is of.
func (p *positionSource) read(c *cobra.Command) (game.Game, game.State, error) {
	if p.file == "" {
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
		err = fmt.Errorf("it is empty: a game in SGF or JSON, or a board as `tengen play` draws it, is wanted")
	case text[0] == '{':
		g, s, err = p.fromJSON(c, data, number)
	case number >= 0:
		err = fmt.Errorf("games have numbers in JSON only")
	case text[0] == '(':
		g, s, err = p.fromSGF(data)
	case p.after >= 0:
		err = fmt.Errorf("--after %d: a board's drawing has no moves", p.after)
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

// fromMoves plays the moves that are named.
func (p *positionSource) fromMoves() (game.Game, game.State, error) {
	g, err := p.wanted()
	if g == nil && err == nil {
		g, err = game.New(defaultGame)
	}
	if err != nil {
		return nil, nil, usage(err)
	}
	names := strings.FieldsFunc(p.moves, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' })
	if p.after > len(names) {
		return nil, nil, usagef("--after %d: --moves has %d", p.after, len(names))
	}
	if p.after >= 0 {
		names = names[:p.after]
	}
	s := g.NewState()
	for i, name := range names {
		a, err := parseMove(g, s, name)
		switch {
		case err != nil:
		case s.Mover() == game.Nobody:
			err = fmt.Errorf("the game is over before it")
		case !possible(s, a):
			err = fmt.Errorf("it can't be played there")
		}
		if err != nil {
			return nil, nil, usagef("--moves: move %d, %s: %w", i+1, name, err)
		}
		s.Apply(a)
	}
	return g, s, nil
}

// possible says whether an action, or outcome of chance, may come in s.
func possible(s game.State, a game.Action) bool {
	if c, ok := s.(game.Chancer); ok && s.Mover() == game.Chance {
		return slices.ContainsFunc(c.Outcomes(nil), func(o game.Outcome) bool { return o.Action == a })
	}
	return slices.Contains(s.Legal(nil), a)
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
