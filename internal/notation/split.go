package notation

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// part is an argument of a text: a bare one, or a key with its value.
type part struct {
	text          string // as written
	key, value    string
	keyed, quoted bool
}

// split splits text at the commas outside brackets and quotation marks.
func split(text string) (parts []part, err error) {
	for rest := text; ; {
		p, n, err := first(rest)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, text)
		}
		if parts = append(parts, p); n == len(rest) {
			return parts, nil
		}
		rest = rest[n+1:]
	}
}

// first returns the first part of text and where it ends: at a comma, or at the end.
func first(text string) (p part, end int, err error) {
	depth, begin := 0, 0 // begin is that of the value
	for end = 0; end < len(text); end++ {
		switch text[end] {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return p, 0, fmt.Errorf("unmatched closing bracket")
			}
		case '=':
			if !p.keyed {
				p.keyed, p.key, begin = true, strings.TrimSpace(text[:end]), end+1
			}
		case '"':
			if strings.TrimSpace(text[begin:end]) != "" {
				continue // in the middle of a word
			}
			quoted, err := strconv.QuotedPrefix(text[end:])
			if err != nil {
				return p, 0, fmt.Errorf("unmatched quotation mark")
			}
			if p.value, err = strconv.Unquote(quoted); err != nil {
				return p, 0, err
			}
			p.quoted = true
			end += len(quoted)
			end += len(text[end:]) - len(strings.TrimLeft(text[end:], " \t"))
			if end < len(text) && text[end] != ',' {
				return p, 0, fmt.Errorf("text after a quotation mark, where a comma is wanted,")
			}
			p.text = text[:end]
			return p, end, nil
		}
		if text[end] == ',' && depth == 0 {
			break
		}
	}
	if depth != 0 && end == len(text) {
		return p, 0, fmt.Errorf("unmatched opening bracket")
	}
	p.text, p.value = text[:end], strings.TrimSpace(text[begin:end])
	return p, end, nil
}

// Quote returns a word as Parse reads it as one value: as it is, or in quotation marks as those of
// Go if it has a character that the notation uses, or one that does not print.
func Quote(word string) string {
	plain := word != "" && word[0] != '"' && !strings.ContainsAny(word, ",;=[]") &&
		strings.TrimSpace(word) == word && utf8.ValidString(word)
	if plain && !strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return word
	}
	return strconv.Quote(word)
}

// List splits a list of texts at the semicolons outside quotation marks.
func List(text string) (list []string) {
	begin, within := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && within:
			i++
		case text[i] == '"' && (within || i > 0 && strings.ContainsRune(":=", rune(text[i-1]))):
			within = !within
		case text[i] == ';' && !within:
			list = append(list, text[begin:i])
			begin = i + 1
		}
	}
	return append(list, text[begin:])
}
