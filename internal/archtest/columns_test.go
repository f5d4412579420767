package archtest

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the greatest width of a line of Go, of which a tab takes four.
const columns = 100

// TestLinesAreShort finds lines of hand-written Go that are too long and could be broken.
func TestLinesAreShort(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || generated.Match(src) {
			return err
		}
		files++
		for _, line := range longLines(src) {
			t.Errorf("%s:%s", path, line)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Fatalf("%d files, %v", files, err)
	}
}

func TestLongLinesAreFound(t *testing.T) {
	word := strings.Repeat("abcdefgh ", 12) // 108 columns
	for text, long := range map[string]int{
		"var x = 1 // " + word + "\n":                    1,
		"// " + word + "\n":                              1,
		"//   - " + word + "\n":                          1,
		"//\t" + word + "\n//go:generate " + word + "\n": 0,
		"// https://" + strings.Repeat("a", 100) + "\n":  0,
		"var x = f(\"" + word + "\")\n":                  0,
		"var x = package.Function(argument, another, third, \"" + strings.Repeat("b",
			60) + "\")\n": 1,
		"var x = `\n" + word + "\n`\n":                            0,
		"var x = map[string]int{\"" + word + "\": 1, \"b\": 2}\n": 0,
		"var " + strings.Repeat("x", 88) + ", y int = 1, 2\n":     1,
		"func f() {\n\t" + strings.Repeat("x", 90) + " := 1\n}\n": 0,
		"func f() {\n\t\t" + strings.Repeat("x", 90) + " := 1\n}": 1,
	} {
		if got := longLines([]byte("package x\n\n" + text)); len(got) != long {
			t.Errorf("%q: %d long lines are found, not %d", text, len(got), long)
		}
	}
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	address   = regexp.MustCompile(`[a-z]://`)
	listed    = regexp.MustCompile(`^// +([-*•]|\d+[.)]) `)
)

// A lexeme is a token of Go, or a comment, and where it is in its file.
type lexeme struct {
	pos, end int
	kind     token.Token
}

// longLines returns the lines of a file that are too long and could be broken. These could not: the
// inside of a literal or comment of many lines, an address, a directive, code in a comment, a text
// that fits nowhere, and what is hardly more than its texts.
func longLines(src []byte) []string {
	var lexemes []lexeme
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	for pos, kind, text := s.Scan(); kind != token.EOF; pos, kind, text = s.Scan() {
		if kind == token.STRING || kind == token.COMMENT {
			at := file.Offset(pos)
			lexemes = append(lexemes, lexeme{at, at + len(text), kind})
		}
	}
	var long []string
	start := 0
	for i, line := range bytes.Split(src, []byte("\n")) {
		end := start + len(line)
		if columnsOf(line) > columns && !address.Match(line) {
			for len(lexemes) > 0 && lexemes[0].end <= start {
				lexemes = lexemes[1:]
			}
			if !unbreakable(src, start, end, lexemes) {
				long = append(long, fmt.Sprintf("%d: %d columns, of at most %d: %s",
					i+1, columnsOf(line), columns, bytes.TrimSpace(line)))
			}
		}
		start = end + 1
	}
	return long
}

func columnsOf(line []byte) int { return utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t")) }

// unbreakable reports whether a line can't be broken. The lexemes are those from its first.
func unbreakable(src []byte, start, end int, lexemes []lexeme) bool {
	line := src[start:end]
	indent := len(line) - len(bytes.TrimLeft(line, "\t"))
	var rest []byte // what is not in a literal
	at := start
	for _, l := range lexemes {
		if l.pos >= end {
			break
		}
		if bytes.Contains(src[l.pos:l.end], []byte("\n")) {
			return true
		}
		text := src[l.pos:l.end]
		if l.kind == token.COMMENT {
			if l.pos == start+indent && !prose(string(text)) {
				return true
			}
			continue
		}
		room := columns - 4*indent - 1
		if l.pos > start+indent {
			room -= 4
		}
		if w := columnsOf(text); w > room && columnsOf(line)-w <= columns {
			return true
		}
		rest = append(rest, src[at:l.pos]...)
		at = l.end
	}
	if at == start {
		return false
	}
	rest = bytes.Join(bytes.Fields(append(rest, src[at:end]...)), []byte(" "))
	return columnsOf(rest) <= 40
}

// prose reports whether a comment is of words, in a paragraph or a list.
func prose(comment string) bool {
	if listed.MatchString(comment) {
		return true
	}
	text, ok := strings.CutPrefix(comment, "// ")
	return ok && text[0] != ' ' && text[0] != '#' && strings.Contains(text, " ")
}
