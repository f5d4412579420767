package sgf

import (
	"fmt"
)

// Error is an error at a place in a file.
type Error struct {
	Offset  int // bytes from the beginning
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("SGF, byte %d: %s", e.Offset, e.Problem) }

func fail(offset int, form string, args ...any) error {
	return &Error{offset, fmt.Sprintf(form, args...)}
}

// maxName is the greatest length of an identifier. FF[4] has names of up to two letters, programs have used longer ones.
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

// scanner reads a file from front to back. It follows the main line and only counts the brackets
// of other variations, so their nesting may have any depth. It keeps nothing of what it has read.
type scanner struct {
	text []byte
	at   int
}

// space skips white space, and the byte order mark at the beginning.
func (s *scanner) space() {
	if s.at == 0 && len(s.text) >= 3 && string(s.text[:3]) == "\xef\xbb\xbf" {
		s.at = 3
	}
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// next returns the next byte that is not white space, without consuming it; 0 at the end.
func (s *scanner) next() byte {
	s.space()
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

// mainLine reads the nodes from the root on, always taking the first variation, and calls visit with each node's number, from 0,
// and each of its properties. An error of visit is returned.
func (s *scanner) mainLine(visit func(node int, p property) error) error {
	if s.next() != '(' {
		return fail(s.at, `a game begins with "(;", not with %s`, s.found())
	}
	s.at++
	depth := 1
	if s.next() != ';' {
		return fail(s.at, `a game begins with "(;", not with "(" and %s`, s.found())
	}
	for node := 0; ; {
		switch s.next() {
		case ';':
			s.at++
			if err := s.properties(func(p property) error { return visit(node, p) }); err != nil {
				return err
			}
			node++
		case '(':
			s.at++
			depth++
			if s.next() != ';' {
				return fail(s.at, `a variation begins with "(;", not with "(" and %s`, s.found())
			}
		case ')':
			return s.skip(depth)
		default:
			return fail(s.at, `";", "(", ")" or a property is wanted, not %s`, s.found())
		}
	}
}

// skip advances past the bracket that ends the outermost of depth trees.
func (s *scanner) skip(depth int) error {
	for depth > 0 {
		switch s.next() {
		case 0:
			if s.at == len(s.text) {
				return fail(s.at, `the file ends within a game: %d ")" are missing`, depth)
			}
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
		var name []byte
		for s.at < len(s.text) && isLetter(s.text[s.at]) {
			if s.text[s.at] <= 'Z' { // in FF[1] to FF[3] lower-case letters are ignored
				name = append(name, s.text[s.at])
			}
			s.at++
		}
		if len(name) == 0 {
			return fail(begin, "a property's name needs capital letters")
		}
		if len(name) > maxName {
			return fail(begin, "a property's name has at most %d capital letters, not %d", maxName, len(name))
		}
		if s.next() != '[' {
			return fail(s.at, `"[" is wanted after %s, not %s`, name, s.found())
		}
		first, err := s.value()
		if err != nil {
			return err
		}
		p := property{string(name), first, *s}
		for s.next() == '[' {
			if _, err := s.value(); err != nil {
				return err
			}
		}
		if err := visit(p); err != nil {
			return err
		}
	}
	return nil
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

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
