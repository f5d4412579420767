package gtp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/goban"
	"tengen/interop/sgf"
)

// Errors of handicaps and positions.
var (
	errNotEmpty = errors.New("board not empty")
	errHandicap = errors.New("invalid number of stones")
	errVertices = errors.New("bad vertex list")
)

// SetUp starts a game from a position: one colour or game.Nobody for each point, row by row from
// the top, and the colour to move. After an error the game is unchanged.
func (e *Engine) SetUp(stones []game.Player, first game.Player) error {
	if _, err := goban.SetUp(e.game, stones, first); err != nil {
		return err
	}
	e.moves, e.stones, e.first, e.hopeless = e.moves[:0], slices.Clone(stones), first, [2]int{}
	if first == 0 &&
		!slices.ContainsFunc(stones, func(c game.Player) bool { return c != game.Nobody }) {
		e.stones = nil
	}
	e.replay()
	return nil
}

// empty returns the stones of an empty board.
func (e *Engine) empty() []game.Player {
	return slices.Repeat([]game.Player{game.Nobody}, e.rules.Rows*e.rules.Columns)
}

// handicap sets stones of Black up, with White to move, and returns their vertices.
func (e *Engine) handicap(points []game.Action) (string, error) {
	stones := e.empty()
	var names []string
	for _, p := range points {
		stones[p] = 0
		names = append(names, vertex(e.game, p))
	}
	if err := e.SetUp(stones, 1); err != nil {
		return "", errVertices // a group without liberties
	}
	return strings.Join(names, " "), nil
}

// untouched returns errNotEmpty unless the board is as after clear_board.
func (e *Engine) untouched() error {
	if len(e.moves) > 0 || e.stones != nil {
		return errNotEmpty
	}
	return nil
}

// stars returns the points for handicap stones, in the order of the protocol's section 4.1.1: on
// the line from the edge, counted from 1. Sides and centre are left out where the board has
// none.
func (e *Engine) stars(line, n int) []game.Action {
	size := e.rules.Rows
	low, mid, high := line-1, size/2, size-line
	at := func(column, row int) game.Action { // from the lower left corner
		return game.Action((size-1-row)*size + column)
	}
	list := []game.Action{at(low, low), at(high, high), at(low, high), at(high, low)}
	if size%2 == 1 && mid > low {
		list = append(list, at(low, mid), at(high, mid), at(mid, low), at(mid, high))
		centre := at(mid, mid)
		// Five and seven stones have one in the centre, and so has the last of nine.
		switch {
		case n == 5 || n == 7:
			list = slices.Insert(list, n-1, centre)
		default:
			list = append(list, centre)
		}
	}
	return list[:min(n, len(list))]
}

// mostFixed is the greatest fixed handicap of a board.
func mostFixed(size int) int {
	switch {
	case size < 7:
		return 0
	case size == 7 || size%2 == 0:
		return 4
	}
	return 9
}

// fixedHandicap takes the number of stones, as the protocol's table has it.
func fixedHandicap(e *Engine, args []string) (string, error) {
	n, err := parseWhole(args[0], 0)
	if err != nil {
		return "", err
	}
	if err := e.untouched(); err != nil {
		return "", err
	}
	size := e.rules.Rows
	if n < 2 || n > mostFixed(size) {
		return "", errHandicap
	}
	return e.handicap(e.stars(starLine(size), n))
}

// starLine is the line of the handicap stones of a board, counted from the edge.
func starLine(size int) int {
	switch {
	case size >= 13:
		return 4
	case size >= 7:
		return 3
	}
	return 2
}

// placeFreeHandicap takes the number of stones. It places them as a fixed handicap: on small
// boards on the second line, and no more than there are such points.
func placeFreeHandicap(e *Engine, args []string) (string, error) {
	n, err := parseWhole(args[0], 0)
	if err != nil {
		return "", err
	}
	if err := e.untouched(); err != nil {
		return "", err
	}
	size := e.rules.Rows
	if n < 2 || n >= size*size || size < 4 {
		return "", errHandicap
	}
	if most := mostFixed(size); most > 0 {
		n = min(n, most)
	}
	return e.handicap(e.stars(starLine(size), n))
}

// setFreeHandicap takes the vertices of the stones.
func setFreeHandicap(e *Engine, args []string) (string, error) {
	var points []game.Action
	for _, text := range args {
		p, err := parseVertex(e.game, text)
		if err != nil {
			return "", err
		}
		if p == e.pass() || slices.Contains(points, p) {
			return "", errVertices
		}
		points = append(points, p)
	}
	if err := e.untouched(); err != nil {
		return "", err
	}
	if len(points) < 2 {
		return "", errVertices
	}
	_, err := e.handicap(points)
	return "", err
}

// setPosition takes pairs of colour and vertex, which replace the position. Black is to move.
func setPosition(e *Engine, args []string) (string, error) {
	if len(args)%2 != 0 {
		return "", syntax("%.40q has no vertex", args[len(args)-1])
	}
	stones := e.empty()
	for i := 0; i < len(args); i += 2 {
		color, err := parseColor(args[i])
		if err != nil {
			return "", err
		}
		p, err := parseVertex(e.game, args[i+1])
		if err != nil {
			return "", err
		}
		if p == e.pass() || stones[p] != game.Nobody {
			return "", errVertices
		}
		stones[p] = color
	}
	return "", e.SetUp(stones, 0)
}

// setFirst takes the colour to move in a position that was set up.
func setFirst(e *Engine, args []string) (string, error) {
	color, err := parseColor(args[0])
	switch {
	case err != nil:
		return "", err
	case len(e.moves) > 0:
		return "", errors.New("the game has begun")
	case e.stones == nil:
		return "", e.SetUp(e.empty(), color)
	}
	return "", e.SetUp(e.stones, color)
}

// loadSGF takes the path of a file, which may have spaces in it, and perhaps the number of the
// move before which the game is to stand.
func loadSGF(e *Engine, args []string) (string, error) {
	before := -1
	if n := len(args); n > 1 {
		if m, err := strconv.Atoi(args[n-1]); err == nil {
			if m < 1 {
				return "", syntax("move %d: 1 or more is wanted", m)
			}
			before, args = m, args[:n-1]
		}
	}
	if len(args) == 0 {
		return "", syntax("the path of a file is wanted")
	}
	if err := e.load(strings.Join(args, " "), before); err != nil {
		return "", fmt.Errorf("cannot load file: %w", err)
	}
	return "", nil
}

// load sets up the game of a file before a move, or at its end if before is -1. After an error
// the game is unchanged.
func (e *Engine) load(path string, before int) error {
	text, err := e.config.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := sgf.Parse(text)
	if err != nil {
		return err
	}
	if r.Rows != r.Columns {
		return fmt.Errorf("its board has %d columns and %d rows: a square one is wanted",
			r.Columns, r.Rows)
	}
	for _, w := range r.Warnings {
		e.config.Warn(fmt.Errorf("%s: %w", path, w))
	}
	n := len(r.Moves)
	if before > 0 {
		n = min(before-1, n)
	}
	return e.attempt(func() error {
		if err := e.SetSize(r.Rows); err != nil {
			return fmt.Errorf("%w: %d", err, r.Rows)
		}
		rules, _ := goban.RulesOf(e.config.Game)
		komi := rules.Komi[1] - rules.Komi[0]
		if r.Komi != nil {
			komi = *r.Komi
		}
		if err := e.SetKomi(komi); err != nil {
			return fmt.Errorf("%w: %v", err, komi)
		}
		start, moves, err := r.Since(e.game, n)
		if err != nil {
			return err
		}
		if err := e.SetUp(goban.Stones(start, nil), start.CurrentPlayer()); err != nil {
			return err
		}
		for i, m := range moves {
			a := game.Action(m.Point)
			if m.Point == sgf.Pass {
				a = e.pass()
			}
			if err := e.Play(m.Player, a); err != nil {
				return fmt.Errorf("move %d, %s %s: %w",
					i+1, colorWord(m.Player), vertex(e.game, a), err)
			}
		}
		return nil
	})
}

// attempt changes the game, and restores it if change fails.
func (e *Engine) attempt(change func() error) error {
	rules, moves, stones, first := e.rules, slices.Clone(e.moves), e.stones, e.first
	err := change()
	if err == nil {
		return nil
	}
	e.moves, e.stones, e.first = moves, stones, first
	if restored := e.change(rules); restored != nil {
		panic("gtp: " + restored.Error()) // they were in force before
	}
	return err
}

// printSGF answers the record of the game.
func printSGF(e *Engine, args []string) (string, error) {
	if len(args) > 0 && args[0] != "-" {
		return "",
			errors.New(
				"files are not written: the record is the answer to printsgf without arguments")
	}
	var b strings.Builder
	if err := e.Record().Write(&b); err != nil {
		return "", err
	}
	return b.String(), nil
}
