package turtle

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/internal/notation"
)

// deckKeys are the keys of a deck file, in the order of a Deck.
var deckKeys = [len(Deck{})]string{
	"double_plus", "plus", "minus", "any_plus", "any_minus", "arrow", "arrow2",
}

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
	keys, err := notation.ParseYAML(name, text, "plus: 5")
	if err != nil {
		return Deck{}, err
	}
	var d Deck
	lines := map[string]int{} // line of each key
	for entries := keys.MapRange(); entries.Next(); {
		node := entries.Key()
		key := notation.OneLine(node.String())
		if first, twice := lines[key]; twice {
			return Deck{}, notation.ErrorAt(name, node,
				"%s is given twice, first on line %d", key, first)
		}
		lines[key] = notation.LineOf(node)
		row := slices.Index(deckKeys[:], key)
		if row < 0 {
			return Deck{}, notation.ErrorAt(name, node, "a deck has no key %q%s; its keys are %s",
				key, notation.DidYouMean(key, deckKeys[:]), strings.Join(deckKeys[:], ", "))
		}
		n, err := strconv.Atoi(notation.OneLine(entries.Value().String()))
		if err != nil || n < 0 || n > MostCopies {
			return Deck{}, notation.ErrorAt(name, node, "%s: a whole number from 0 to %d is wanted",
				key, MostCopies)
		}
		d[row] = n
	}
	if d.size() == 0 {
		return Deck{}, fmt.Errorf("%s: at least one card is wanted, such as \"plus: 5\"", name)
	}
	return d, nil
}
