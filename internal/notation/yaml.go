package notation

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ParseYAML returns the mapping in text, an empty one if there is none. Errors contain
// name, the file's path, and example, a valid line.
func ParseYAML(name string, text []byte, example string) (ast.MapNode, error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) ||
		bytes.IndexByte(text, 0) >= 0 {
		return nil,
			fmt.Errorf("%s:1: it is not in UTF-8 but in UTF-16, or no text: save it as UTF-8", name)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // the mark of some editors
	if err := modest(name, text); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if line := tabbed(text); line > 0 {
			return nil,
				fmt.Errorf(
					"%s:%d: a tab at the beginning of the line; YAML is indented with spaces",
					name, line)
		}
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			return nil, fmt.Errorf("%s:%d: not YAML: %s",
				name, syntax.Token.Position.Line, OneLine(syntax.Message))
		}
		return nil, fmt.Errorf("%s: not YAML: %s", name, OneLine(err.Error()))
	}
	var keys ast.MapNode
	for _, document := range file.Docs {
		switch body := document.Body.(type) {
		case nil, *ast.NullNode:
		case ast.MapNode:
			if keys != nil {
				return nil, ErrorAt(name, document.Body, "a second document; one is wanted")
			}
			keys = body
		default:
			return nil, ErrorAt(name, body, "keys and values are wanted, such as %q", example)
		}
	}
	if keys == nil {
		return &ast.MappingNode{}, nil
	}
	return keys, nil
}

// tabbed returns the first line, from 1, that is indented with a tab; 0 if there is none.
func tabbed(text []byte) int {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 && len(bytes.TrimSpace(line)) > 0 {
			return number
		}
	}
	return 0
}

// What a file may have at most. The parser takes memory in proportion to the square of the depth,
// and time in proportion to the square of the number of keys. Files that people write have a
// hundredth of it.
const (
	MaxSize  = 256 << 10 // bytes
	maxMarks = 6000      // ends of lines, colons and commas: at least as many as keys and elements
	// brackets and indicators that are open at a time; columns of indentation, 4 times as many
	maxDepth = 64
)

// modest returns an error, with its line, if a text is larger or more nested than files of keys
// are. What stands in quotes and comments counts as well.
func modest(name string, text []byte) error {
	if len(text) > MaxSize {
		return fmt.Errorf("%s: %d bytes; a file of keys has at most %d", name, len(text), MaxSize)
	}
	line, marks, open, begin := 1, 0, 0, 0
	leading := true // only indicators and white space so far
	indicators := 0
	fail := func(what string) error { return fmt.Errorf("%s:%d: %s", name, line, what) }
	for i, c := range text {
		switch c {
		case '\n', '\r':
			if c == '\n' {
				line++
			}
			begin, leading, indicators = i+1, true, 0
			marks++
		case ':', ',':
			marks++
			if c == ':' && leading {
				indicators++
			}
		case '[', '{':
			if open++; open > maxDepth {
				return fail(fmt.Sprintf("more than %d brackets within each other", maxDepth))
			}
		case ']', '}':
			open = max(0, open-1)
		case ' ', '\t':
			if leading && i-begin > 4*maxDepth {
				return fail(fmt.Sprintf("indented by more than %d columns", 4*maxDepth))
			}
		case '-', '?', '!', '&', '|', '>':
			if leading {
				indicators++
			}
		default:
			leading = false
		}
		if leading && indicators > maxDepth {
			return fail(fmt.Sprintf("more than %d lists or keys within each other", maxDepth))
		}
		if marks > maxMarks {
			return fail(fmt.Sprintf(
				"more than %d lines, colons and commas; a file of keys has fewer", maxMarks))
		}
	}
	return nil
}

// ErrorAt formats an error about node n of a file. It wraps as fmt.Errorf does.
func ErrorAt(name string, n ast.Node, form string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", name, LineOf(n), fmt.Errorf(form, args...))
}

// LineOf returns the line of a node, from 1.
func LineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// OneLine returns the words of text, separated by single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
