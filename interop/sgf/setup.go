package sgf

import (
	"strings"

	"tengen/game"
)

// setup gathers the stones that are set up: before the first move, and since then those of the next
// edit.
type setup struct {
	board  []int8 // by point: unset, empty, or a colour
	change []int8
	times  int          // points that were set up, in all
	any    bool         // a stone was set up
	set    bool         // change has been set
	first  *game.Player // the colour to move that belongs to change
}

// Values of points besides colours.
const (
	empty = -1
	unset = -2
)

func (s *setup) begin(points int) {
	s.board, s.change = make([]int8, points), make([]int8, points)
	for p := range s.board {
		s.board[p], s.change[p] = unset, unset
	}
}

// before returns the points of each colour before the first move.
func (s *setup) before() (of [2][]int) {
	for p, c := range s.board {
		if c >= 0 {
			of[c] = append(of[c], p)
		}
	}
	return of
}

// readMove reads B or W.
func (r *reader) readMove(p property) error {
	if p.rest.next() == '[' {
		return fail(p.rest.at+1, "%s has more than one move", p.name)
	}
	m := Move{Point: Pass}
	if p.name == "W" {
		m.Player = 1
	}
	v := p.first
	switch text := r.src.word(v); {
	// On boards of at most 19×19 points "tt" is a pass, as in FF[3].
	case text == "" || text == "tt":
	case strings.EqualFold(text, "pass") ||
		len(text) == 2 && int(text[0]) == 'a'+r.Columns && int(text[1]) == 'a'+r.Rows:
		r.notes.add(v.offset, "%s[%.40s] is taken for a pass", p.name, text)
	default:
		var err error
		if m.Point, err = r.point(v, text); err != nil {
			return err
		}
	}
	if len(r.moves) > 0 {
		r.notes.add(v.offset, "a node has two moves: they are played one after the other")
	}
	r.moves = append(r.moves, m)
	return nil
}

// point reads the letters of a column and a row.
func (r *reader) point(v value, text string) (int, error) {
	if small := strings.ToLower(text); len(small) == 2 {
		column, row := int(small[0])-'a', int(small[1])-'a'
		if column >= 0 && column < r.Columns && row >= 0 && row < r.Rows {
			if small != text {
				r.notes.add(v.offset, "the point %q is taken for %q", text, small)
			}
			return row*r.Columns + column, nil
		}
	}
	return 0, fail(v.offset, "%.40q is not a point of a board of %d columns and %d rows: two letters are wanted, aa to %c%c",
		text, r.Columns, r.Rows, 'a'+r.Columns-1, 'a'+r.Rows-1)
}

// readFirst reads PL.
func (r *reader) readFirst(p property) error {
	var first game.Player
	switch text := r.src.simpleText(p.first); strings.ToLower(strings.TrimSpace(text)) {
	case "b", "black":
	case "w", "white":
		first = 1
	case "1", "2":
		first = game.Player(strings.TrimSpace(text)[0] - '1')
		r.notes.add(p.first.offset, "PL[%.40s] is taken for %s",
			text, [2]string{"Black", "White"}[first])
	case "":
		r.notes.add(p.first.offset, "PL is empty")
		return nil
	default:
		return fail(p.first.offset, "PL[%.40s]: B or W is wanted", text)
	}
	r.turn = &first
	return r.count(p.first, 1)
}

// most is how often a record may set up each point, on average.
const most = 64

// count counts points that are set up.
func (r *reader) count(v value, points int) error {
	if r.times += points; r.times > most*len(r.board) {
		return fail(v.offset, "more than %d points are set up on a board of %d",
			most*len(r.board), len(r.board))
	}
	return nil
}

// readSetup reads points that get or lose stones (AB, AW, AE).
func (r *reader) readSetup(p property) error {
	c := int8(empty)
	switch p.name {
	case "AB":
		c = 0
	case "AW":
		c = 1
	}
	target, later := r.board, len(r.Moves) > 0
	if later {
		target = r.change
	}
	for v := range p.values {
		text := r.src.word(v)
		if text == "" {
			continue
		}
		points, err := r.rectangle(v, text)
		if err != nil {
			return err
		}
		if err := r.count(v, len(points)); err != nil {
			return err
		}
		for _, q := range points {
			target[q] = c
		}
		r.any = r.any || c != empty
		if later && !r.set {
			r.set = true
			r.notes.add(v.offset,
				"stones are set up after move %d: rules of ko know nothing of what came before",
				len(r.Moves))
		}
		r.stones = max(r.stones, v.offset)
	}
	return nil
}

// endNode adds the moves of a node. What the node sets up comes before them. Of its PL nothing is
// left then: the next to move is known.
func (r *reader) endNode() {
	if len(r.moves) > 0 {
		if r.stones > 0 {
			r.notes.add(r.stones, "a node has a move and stones that are set up: these come first")
		}
		r.endEdit()
		r.Moves = append(r.Moves, r.moves...)
	} else if r.turn != nil {
		if len(r.Moves) == 0 {
			r.First = r.turn
		} else {
			r.setup.first = r.turn
		}
	}
	r.moves, r.turn, r.stones = r.moves[:0], nil, 0
}

// endEdit adds what was set up since the last move.
func (r *reader) endEdit() {
	e := Edit{After: len(r.Moves), First: r.setup.first}
	r.setup.first = nil
	if !r.set && (e.First == nil || *e.First != r.Moves[len(r.Moves)-1].Player) {
		return // the other colour moves next anyway
	}
	for p, c := range r.change {
		switch c {
		case unset:
			continue
		case empty:
			e.Empty = append(e.Empty, p)
		default:
			e.Stones[c] = append(e.Stones[c], p)
		}
		r.change[p] = unset
	}
	r.set = false
	r.Edits = append(r.Edits, e)
}

// rectangle reads a point, or two opposite corners of a rectangle of points.
func (r *reader) rectangle(v value, text string) ([]int, error) {
	from, to, both := strings.Cut(text, ":")
	a, err := r.point(v, from)
	if err != nil || !both {
		return []int{a}, err
	}
	b, err := r.point(v, to)
	if err != nil {
		return nil, err
	}
	var list []int
	for row := min(a/r.Columns, b/r.Columns); row <= max(a/r.Columns, b/r.Columns); row++ {
		for column := min(a%r.Columns, b%r.Columns); column <= max(a%r.Columns,
			b%r.Columns); column++ {
			list = append(list, row*r.Columns+column)
		}
	}
	return list, nil
}
