package yamlfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse returns the mapping in text, an empty one if there is none. Errors contain
// name, the file's path, and example, a valid line.
func Parse(name string, text []byte, example string) (ast.MapNode, error) {
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			return nil, fmt.Errorf("%s:%d: not YAML: %s", name, syntax.Token.Position.Line, OneLine(syntax.Message))
		}
		return nil, fmt.Errorf("%s: not YAML: %s", name, OneLine(err.Error()))
	}
	var keys ast.MapNode
	for _, document := range file.Docs {
		switch body := document.Body.(type) {
		case nil, *ast.NullNode:
		case ast.MapNode:
			if keys != nil {
				return nil, Errorf(name, document.Body, "a second document; one is wanted")
			}
			keys = body
		default:
			return nil, Errorf(name, body, "keys and values are wanted, such as %q", example)
		}
	}
	if keys == nil {
		return &ast.MappingNode{}, nil
	}
	return keys, nil
}

// Errorf formats an error about node n of a file. It wraps as fmt.Errorf does.
func Errorf(name string, n ast.Node, form string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", name, Line(n), fmt.Errorf(form, args...))
}

// Line returns the line of a node, from 1.
func Line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// OneLine returns the words of text, separated by single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
