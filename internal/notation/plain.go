package notation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns text with everything written out that a terminal does not show as it is: control
// characters, among them those that begin escape sequences, marks that turn the direction of
// writing, and bytes that are not UTF-8. An escape is written \x1b. What it writes for a character
// that may stand in a string of JSON means the same there.
func Plain(text string) string { return written(text, hidden) }

// PlainLines is Plain for a text of several lines: line feeds and tabs stay.
func PlainLines(text string) string {
	return written(text, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) })
}

// written returns text with the characters written out that the function names.
func written(text string, hidden func(rune) bool) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && text[i] != "\uFFFD"[0]:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !hidden(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// hidden reports whether Plain may have to write a character out. utf8.RuneError may stand for a
// byte that is not UTF-8.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || r >= 0x202a && r <= 0x202e ||
		r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// Shell returns a word as a POSIX shell reads it, quoted if need be. What Plain writes out is
// written in the form $'\x1b', which bash, zsh and newer POSIX shells read.
func Shell(word string) string {
	if word != "" && strings.Trim(word, safe) == "" && word[0] != '=' {
		return word
	}
	if Plain(word) == word {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
