package tcg

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tengen/internal/notation"
)

// deckKeys are the keys of a deck file.
var deckKeys = []string{"cards", "hand", "hp", "opening"}

// ReadDeck reads a deck from a YAML file:
//
//	cards: [1/1/1, 6/0/0, 0/4/4, removal, removal]
//	hand: 3
//	hp: 20
//	opening: [6/0/0, removal]
//
// Every card is listed as often as the deck contains it. The defaults are hand 5, hp
// 50 and no opening: the hands are dealt. Errors name the file and the line.
func ReadDeck(path string) (Deck, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Deck{}, fmt.Errorf("deck: %w", err)
	}
	return parseDeck(path, text)
}

// deckFile holds the state of reading a file. lines holds the line of each key.
type deckFile struct {
	name  string
	deck  Deck
	lines map[string]int
}

func parseDeck(name string, text []byte) (Deck, error) {
	keys, err := notation.ParseYAML(name, text, "cards: [4/1/1, removal]")
	if err != nil {
		return Deck{}, err
	}
	f := deckFile{name: name, deck: Deck{Hand: 5, HP: 50}, lines: map[string]int{}}
	if err := f.read(keys); err != nil {
		return Deck{}, err
	}
	return f.deck, f.check()
}

// read reads the keys.
func (f *deckFile) read(keys ast.MapNode) error {
	for entries := keys.MapRange(); entries.Next(); {
		node := entries.Key()
		key := notation.OneLine(node.String())
		if first, twice := f.lines[key]; twice {
			return f.errorAt(node, "%s is given twice, first on line %d", key, first)
		}
		f.lines[key] = notation.LineOf(node)
		var err error
		switch key {
		case "cards":
			f.deck.Cards, err = f.cards(key, entries.Value())
		case "opening":
			f.deck.Opening, err = f.cards(key, entries.Value())
		case "hand":
			f.deck.Hand, err = f.number(key, node, entries.Value())
		case "hp":
			f.deck.HP, err = f.number(key, node, entries.Value())
		default:
			return f.errorAt(node, "a deck has no key %q%s; its keys are %s",
				key, notation.DidYouMean(key, deckKeys), strings.Join(deckKeys, ", "))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cards reads a list of cards.
func (f *deckFile) cards(key string, n ast.Node) ([]Card, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, fmt.Errorf("%s:%d: %s: a list of cards is wanted, such as [4/1/1, removal]",
			f.name, f.lines[key], key)
	}
	cards := []Card{}
	for _, element := range list.Values {
		c, err := ParseCard(plain(element))
		if err != nil {
			return nil, f.errorAt(element, "%s: %w", key, err)
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// number reads a whole number.
func (f *deckFile) number(key string, at, n ast.Node) (int, error) {
	i, err := strconv.Atoi(plain(n))
	if err != nil {
		return 0, f.errorAt(at, "%s: a whole number is wanted", key)
	}
	return i, nil
}

// check validates the deck.
func (f *deckFile) check() error {
	if f.lines["cards"] == 0 {
		return fmt.Errorf("%s: the key cards is missing, which lists the deck", f.name)
	}
	for _, c := range []struct {
		key   string
		check func() error
	}{
		{"cards", f.deck.checkCards}, {"hand", f.deck.checkHand}, {"hp", f.deck.checkHP},
		{"opening", f.deck.checkOpening},
	} {
		if err := c.check(); err != nil {
			if f.lines[c.key] == 0 {
				return fmt.Errorf("%s: %s: %w", f.name, c.key, err)
			}
			return fmt.Errorf("%s:%d: %s: %w", f.name, f.lines[c.key], c.key, err)
		}
	}
	return nil
}

func (f *deckFile) errorAt(n ast.Node, form string, args ...any) error {
	return notation.ErrorAt(f.name, n, form, args...)
}

// plain returns a scalar as written, or "" if n is not a scalar.
func plain(n ast.Node) string {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value
	case *ast.IntegerNode:
		return strings.TrimSpace(s.GetToken().Value)
	}
	return ""
}
