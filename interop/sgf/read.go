package sgf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/game"
)

// maxSide is the longest side of a board.
const maxSide = 19

// Parse reads the first game of a file. Its errors are *Error.
func Parse(text []byte) (*Record, error) {
	r := &Record{Rows: maxSide, Columns: maxSide}
	// Read the size first: it determines the meaning of points.
	s := scanner{text: text}
	err := s.mainLine(func(node int, p property) error {
		if node > 0 {
			return nil
		}
		return r.readSize(p)
	})
	if err != nil {
		return nil, err
	}
	set := 0                                 // points that were set up
	stones := make([]byte, r.Rows*r.Columns) // 0 is an empty point, 1 Black, 2 White
	moved := -1                              // the last node with a move
	s = scanner{text: text}
	err = s.mainLine(func(node int, p property) error {
		switch p.name {
		case "B", "W":
			if moved == node {
				return fail(p.first.offset, "a node has two moves")
			}
			moved = node
			return r.readMove(p)
		case "AB", "AW", "AE", "PL":
			if node > 0 {
				return fail(p.first.offset, "%s stands after the root: positions set up within a game are not read", p.name)
			}
			return r.readSetup(p, stones, &set)
		}
		if node == 0 {
			return r.readFact(p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for p, c := range stones {
		if c > 0 {
			r.Setup[c-1] = append(r.Setup[c-1], p)
		}
	}
	return r, nil
}

// readSize reads GM and SZ, on which the meaning of other properties depends.
func (r *Record) readSize(p property) error {
	v := p.first
	text := simpleText(v.raw)
	switch p.name {
	case "GM":
		if strings.TrimSpace(text) != "1" {
			return fail(v.offset, "GM[%.40s] is not Go, which is GM[1]", text)
		}
	case "SZ":
		columns, rows, both := strings.Cut(text, ":")
		if !both {
			rows = columns
		}
		var err1, err2 error
		r.Columns, err1 = strconv.Atoi(strings.TrimSpace(columns))
		r.Rows, err2 = strconv.Atoi(strings.TrimSpace(rows))
		if err1 != nil || err2 != nil || min(r.Rows, r.Columns) < 1 || max(r.Rows, r.Columns) > maxSide {
			return fail(v.offset, "SZ[%.40s]: a size from 1 to %d, or columns:rows, is wanted", text, maxSide)
		}
	}
	return nil
}

// readFact reads a property of the root that describes the game.
func (r *Record) readFact(p property) error {
	v := p.first
	text := simpleText(v.raw)
	switch p.name {
	case "KM":
		x, err := number(text)
		if err != nil {
			return fail(v.offset, "KM[%.40s]: a number is wanted", text)
		}
		r.Komi = x
	case "PB":
		r.Names[0] = text
	case "PW":
		r.Names[1] = text
	case "RU":
		r.Rules = text
	case "RE":
		r.Result = text
	}
	return nil
}

// number reads a finite number.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = fmt.Errorf("%q is not finite", text)
	}
	return x, err
}

// readMove reads B or W.
func (r *Record) readMove(p property) error {
	if p.rest.next() == '[' {
		return fail(p.rest.at+1, "%s has more than one move", p.name)
	}
	m := Move{Point: Pass}
	if p.name == "W" {
		m.Player = 1
	}
	v := p.first
	// On boards of at most 19×19 points "tt" is a pass, as in FF[3].
	if text := strings.TrimSpace(string(v.raw)); text != "" && text != "tt" {
		var err error
		if m.Point, err = r.point(v, text); err != nil {
			return err
		}
	}
	r.Moves = append(r.Moves, m)
	return nil
}

// point reads the letters of a column and a row.
func (r *Record) point(v value, text string) (int, error) {
	if len(text) == 2 {
		column, row := int(text[0])-'a', int(text[1])-'a'
		if column >= 0 && column < r.Columns && row >= 0 && row < r.Rows {
			return row*r.Columns + column, nil
		}
	}
	return 0, fail(v.offset, "%.40q is not a point of a board of %d columns and %d rows: two letters are wanted, aa to %c%c",
		text, r.Columns, r.Rows, 'a'+r.Columns-1, 'a'+r.Rows-1)
}

// readSetup reads who moves first (PL), or adds or removes stones (AB, AW, AE).
func (r *Record) readSetup(p property, stones []byte, set *int) error {
	if p.name == "PL" {
		var first game.Player
		switch text := strings.TrimSpace(string(p.first.raw)); text {
		case "B", "b", "black":
		case "W", "w", "white":
			first = 1
		default:
			return fail(p.first.offset, "PL[%.40s]: B or W is wanted", text)
		}
		r.First = &first
		return nil
	}
	for v := range p.values {
		points, err := r.rectangle(v)
		if err != nil {
			return err
		}
		const times = 64 // a record may set up each point, on average
		if *set += len(points); *set > times*len(stones) {
			return fail(v.offset, "more than %d points are set up on a board of %d", times*len(stones), len(stones))
		}
		for _, q := range points {
			stones[q] = map[string]byte{"AB": 1, "AW": 2}[p.name]
		}
	}
	return nil
}

// rectangle reads a point, or two opposite corners of a rectangle of points.
func (r *Record) rectangle(v value) ([]int, error) {
	from, to, both := strings.Cut(strings.TrimSpace(string(v.raw)), ":")
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
		for column := min(a%r.Columns, b%r.Columns); column <= max(a%r.Columns, b%r.Columns); column++ {
			list = append(list, row*r.Columns+column)
		}
	}
	return list, nil
}

// simpleText returns a value without escapes, on one line, in UTF-8.
func simpleText(raw []byte) string {
	var b []byte
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '\\' && i+1 < len(raw) {
			i++
			c = raw[i]
			if c == '\n' || c == '\r' { // a soft line break
				if i+1 < len(raw) && raw[i+1] != c && (raw[i+1] == '\n' || raw[i+1] == '\r') {
					i++
				}
				continue
			}
		}
		if isSpace(c) {
			c = ' '
		}
		b = append(b, c)
	}
	if !utf8.Valid(b) {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return string(runes)
	}
	return string(b)
}
