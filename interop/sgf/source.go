package sgf

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// source is a file with the encoding of its text. The structure is read from its text, which has a
// byte for each unit of the file: ASCII as it is, and 0x80 or more for whatever is no ASCII, also
// for a second byte of a character that looks like ASCII, such as the "]" in some of Shift-JIS.
type source struct {
	raw   []byte // the file
	start int    // the bytes of its mark of byte order
	set   *charset
	text  []byte
	// characters of two bytes that end after the first: their offsets in text, at most maxCut
	cut []int
}

// maxCut is the number of cut characters that are kept.
const maxCut = 64

// newSource reads a file in an encoding, from a byte on.
func newSource(raw []byte, start int, set *charset) *source {
	s := &source{raw: raw, start: start, set: set}
	switch {
	case set.unit == 2:
		s.text = make([]byte, 0, (len(raw)-start)/2)
		for i := start; i+1 < len(raw); i += 2 {
			c := set.order.Uint16(raw[i:])
			s.text = append(s.text, byte(min(c, 0x80)))
		}
	case set.wide:
		s.text = bytes.Clone(raw[start:])
		s.mask()
	default:
		s.text = raw[start:]
	}
	return s
}

// mask makes all bytes of characters of several bytes no ASCII.
func (s *source) mask() {
	for i := 0; i < len(s.text); {
		if !s.set.begins(s.text[i]) {
			i++
			continue
		}
		width, _ := s.set.char(s.text[i:])
		// Programs cut names to a number of bytes, and so some characters in two.
		if width == 2 && s.text[i+1] == ']' && goesOn(s.text[i+2:]) {
			if len(s.cut) < maxCut {
				s.cut = append(s.cut, i)
			}
			width = 1
		}
		for range width {
			s.text[i] |= 0x80
			i++
		}
	}
}

// goesOn reports whether text is what follows the end of a value: a property, a node, or the ends
// of variations.
func goesOn(text []byte) bool {
	s := scanner{text: text}
	switch c := s.next(); c {
	case ';':
		s.at++
		return s.property()
	case '(', ')':
		for s.next() == ')' {
			s.at++
		}
		if s.next() == '(' {
			s.at++
			return s.next() == ';'
		}
		return s.at == len(s.text)
	}
	return s.property()
}

// offset returns the byte of the file at which a byte of text stands.
func (s *source) offset(at int) int { return s.start + max(1, s.set.unit)*at }

// simpleText returns a value without escapes, on one line, in UTF-8.
func (s *source) simpleText(v value) string {
	raw := s.raw[s.offset(v.offset):s.offset(v.offset+len(v.raw))]
	if s.set.codec != nil {
		decoded, err := s.set.codec.NewDecoder().Bytes(raw)
		if err == nil { // bytes that are no characters are no error
			raw = decoded
		}
	}
	var b strings.Builder
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
		if c >= '\t' && c <= '\r' {
			c = ' '
		}
		b.WriteByte(c)
	}
	return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
}

// word returns the text of a value of ASCII, such as a point.
func (s *source) word(v value) string {
	if bytes.IndexByte(v.raw, '\\') >= 0 {
		return strings.TrimSpace(s.simpleText(v))
	}
	return strings.TrimSpace(string(v.raw))
}

// firstOther returns the index of the first byte that is no ASCII, -1 if there is none.
func firstOther(text []byte) int {
	return bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// firstInvalid returns the index of the first byte that is no UTF-8, -1 if there is none.
func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
	return -1
}
