package turtle

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"tengen/internal/spec"
)

// deckKeys are the keys of a deck file, in the order of a Deck.
var deckKeys = [len(Deck{})]string{"double_plus", "plus", "minus", "any_plus", "any_minus", "arrow", "arrow2"}

// ReadDeck reads a deck from a YAML file: the number of copies of each kind of card,
// for the first three kinds per colour:
//
//	double_plus: 1
//	plus: 5
//	minus: 2
//	any_plus: 5
//	any_minus: 2
//	arrow: 3
//	arrow2: 2
//
// A missing kind is not in the deck. Errors name the file and the line.
func ReadDeck(path string) (Deck, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Deck{}, err
	}
	return parseDeck(path, text)
}

func parseDeck(name string, text []byte) (Deck, error) {
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			return Deck{}, fmt.Errorf("%s:%d: not YAML: %s", name, syntax.Token.Position.Line, oneLine(syntax.Message))
		}
		return Deck{}, fmt.Errorf("%s: not YAML: %s", name, oneLine(err.Error()))
	}
	var d Deck
	lines := map[string]int{} // line of each key
	for _, document := range file.Docs {
		if document.Body == nil {
			continue
		}
		keys, ok := document.Body.(ast.MapNode)
		switch {
		case !ok:
			return Deck{}, fmt.Errorf("%s:%d: keys and numbers of cards are wanted, such as \"plus: 5\"", name, lineOf(document.Body))
		case len(lines) > 0:
			return Deck{}, fmt.Errorf("%s:%d: a second document; one is wanted", name, lineOf(document.Body))
		}
		for entries := keys.MapRange(); entries.Next(); {
			key, line := oneLine(entries.Key().String()), lineOf(entries.Key())
			if first, twice := lines[key]; twice {
				return Deck{}, fmt.Errorf("%s:%d: %s is given twice, first on line %d", name, line, key, first)
			}
			lines[key] = line
			row := indexOf(key)
			if row < 0 {
				return Deck{}, fmt.Errorf("%s:%d: a deck has no key %q%s; it takes %s", name, line, key, spec.DidYouMean(key, deckKeys[:]), strings.Join(deckKeys[:], ", "))
			}
			n, err := strconv.Atoi(oneLine(entries.Value().String()))
			if err != nil || n < 0 || n > MostCopies {
				return Deck{}, fmt.Errorf("%s:%d: %s: a whole number from 0 to %d is wanted", name, line, key, MostCopies)
			}
			d[row] = n
		}
	}
	if d.size() == 0 {
		return Deck{}, fmt.Errorf("%s: at least one card is wanted, such as \"plus: 5\"", name)
	}
	return d, nil
}

// indexOf returns the index of a key in a Deck, or -1.
func indexOf(key string) int {
	for row, k := range deckKeys {
		if k == key {
			return row
		}
	}
	return -1
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
