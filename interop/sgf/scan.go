package sgf

import (
	"bytes"
	"fmt"
)

// maxName is the greatest length of an identifier. FF[4] has names of up to two letters, programs
// have used longer ones.
const maxName = 64

// property is an identifier with its values as in the file, escapes included.
type property struct {
	name  string
	first value
	rest  scanner // stands after the first value
}

type value struct {
	offset int // of the first byte after the bracket
	raw    []byte
}

// values calls yield with each value.
func (p property) values(yield func(value) bool) {
	for v, err := p.first, error(nil); err == nil && yield(v) && p.rest.next() == '['; {
		v, err = p.rest.value()
	}
}

// scanner reads the text of a source from front to back. It follows the main line and only counts
// the brackets of other variations, so their nesting may have any depth. It keeps nothing of what
// it has read.
type scanner struct {
	text  []byte
	at    int
	notes *notes // of what was guessed; may be nil
}

// isSpace takes the zero byte and the end of file of DOS for white space too.
func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' || b == 0 || b == 0x1a }

// next returns the next byte that is not white space, without consuming it; 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// found describes the current byte for an error.
func (s *scanner) found() string {
	if s.at >= len(s.text) {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", s.text[s.at])
}

// start returns where the "(" of the first game is, -1 if there is none. Text before it, such as
// the head of a mail, may have brackets too: a game's is followed by ";" and a property, or at
// least by the latter.
func start(text []byte) int {
	s := scanner{text: text}
	if s.next() == '(' {
		begin := s.at
		for s.next() == '(' {
			s.at++
		}
		if s.next() == ';' {
			return begin
		}
	}
	for begin := range text {
		if text[begin] != '(' {
			continue
		}
		s.at = begin + 1
		if s.next() == ';' {
			s.at++
		}
		if s.property() {
			return begin
		}
	}
	return -1
}

// property reports whether a name and a bracket come next.
func (s scanner) property() bool {
	if !isLetter(s.next()) {
		return false
	}
	name, err := s.name()
	return err == nil && name != nil && s.next() == '['
}

// mainLine reads the nodes from the root on, always taking the first variation, and calls visit
// with each node's number, from 0, and each of its properties. An error of visit is returned.
func (s *scanner) mainLine(visit func(node int, p property) error) error {
	begin := start(s.text)
	if begin < 0 {
		s.at = 0
		if s.next() == '(' {
			s.at++
			s.next()
			return fail(s.at, `a game begins with "(;", not with "(" and %s`, s.found())
		}
		return fail(s.at, `a game begins with "(;", not with %s`, s.found())
	}
	s.at = 0
	if s.next(); s.at < begin {
		s.notes.add(s.at, `the text before "(;" is passed over`)
	}
	s.at = begin
	depth, node := 0, 0
	read := func() error {
		err := s.properties(func(p property) error { return visit(node, p) })
		node++
		return err
	}
	for {
		switch s.next() {
		case ';':
			s.at++
			if err := read(); err != nil {
				return err
			}
		case '(':
			open := s.at
			s.at++
			depth++
			switch c := s.next(); {
			case c == ';' || c == '(':
			case c == ')':
				s.notes.add(open, `a variation is empty: "()"`)
				s.at++
				depth--
			case s.property():
				s.notes.add(open, `"(" stands without ";"`)
				if err := read(); err != nil {
					return err
				}
			default:
				return fail(s.at, `a variation begins with "(;", not with "(" and %s`, s.found())
			}
		case ')':
			return s.skip(depth)
		default:
			if s.at < len(s.text) {
				return fail(s.at, `";", "(", ")" or a property is wanted, not %s`, s.found())
			}
			return s.skip(depth)
		}
	}
}

// skip advances past the bracket that ends the outermost of depth trees.
func (s *scanner) skip(depth int) error {
	for depth > 0 {
		switch s.next() {
		case 0:
			s.notes.add(s.at,
				`the file ends within the game: %d ")" missing, and perhaps moves`, depth)
			return nil
		case '(':
			depth++
		case ')':
			depth--
		case '[':
			if _, err := s.value(); err != nil {
				return err
			}
			continue
		}
		s.at++
	}
	return nil
}

// properties calls visit with the properties of a node.
func (s *scanner) properties(visit func(p property) error) error {
	for isLetter(s.next()) {
		begin := s.at
		name, err := s.name()
		if err != nil {
			return err
		}
		if name == nil {
			return fail(begin, "a property's name needs capital letters")
		}
		if s.next() != '[' {
			return fail(s.at, `"[" is wanted after %s, not %s`, name, s.found())
		}
		first, err := s.value()
		if err != nil {
			return err
		}
		s.suspect(name, first)
		p := property{string(name), first, *s}
		for s.next() == '[' {
			v, err := s.value()
			if err != nil {
				return err
			}
			s.suspect(name, v)
		}
		if err := visit(p); err != nil {
			return err
		}
	}
	return nil
}

// name reads an identifier, which begins with a letter. In FF[1] to FF[3] lower-case letters are
// ignored; without capital letters it is nil.
func (s *scanner) name() (name []byte, err error) {
	begin, capital := s.at, false
	for ; s.at < len(s.text) &&
		(isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || s.text[s.at] == '_'); s.at++ {
		if c := s.text[s.at]; c < 'a' || c == '_' {
			capital = capital || isLetter(c)
			if name = append(name, c); len(name) > maxName {
				return nil, fail(begin,
					"a property's name has at most %d capital letters and digits", maxName)
			}
		}
	}
	if !capital {
		name = nil
	}
	return name, nil
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// value reads from a bracket to its closing bracket.
func (s *scanner) value() (value, error) {
	s.at++
	begin := s.at
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case ']':
			s.at++
			return value{begin, s.text[begin : s.at-1]}, nil
		}
	}
	s.at = len(s.text)
	return value{}, fail(begin, `the value that begins here has no "]"`)
}

// suspect warns of a value that ends like ";W[cc": then it lacks its own "]", and a move is lost in
// it.
func (s *scanner) suspect(name []byte, v value) {
	i := bytes.LastIndexByte(v.raw, '[')
	if i < 2 || len(v.raw)-i > 3 || v.raw[i-1] != 'B' && v.raw[i-1] != 'W' {
		return
	}
	if before := bytes.TrimRight(v.raw[:i-1], " \r\n"); len(before) > 0 &&
		before[len(before)-1] == ';' {
		s.notes.add(v.offset, `the text of %s, which begins here, ends with %q, as if its own "]" were missing and a move were lost in it`, name, v.raw[i-1:])
	}
}
