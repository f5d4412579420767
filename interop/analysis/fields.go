package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/game"
)

// object is a line of input: a JSON object, whose numbers are json.Number.
type object map[string]any

// fieldError says what is wrong with a field of a query.
type fieldError struct{ field, text string }

// parseObject reads a line.
func parseObject(line []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		return nil, fmt.Errorf("could not parse input line as json request: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil,
			errors.New(
				"could not parse input line as json request: there is more after the first value")
	}
	o, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("request line was valid json but was not an object, ignoring it")
	}
	return o, nil
}

// sortedKeys returns the keys of an object in order.
func sortedKeys(o map[string]any) []string {
	keys := make([]string, 0, len(o))
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// clip shortens a text from outside for a message.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// readInteger reads an integer of a field.
func readInteger(field string, value any, low, high int64, wanted string) (int64, *fieldError) {
	if n, ok := value.(json.Number); ok {
		if x, err := strconv.ParseInt(n.String(), 10, 64); err == nil && x >= low && x <= high {
			return x, nil
		}
	}
	return 0, &fieldError{field, wanted}
}

// readNumber reads a number of a field.
func readNumber(field string, value any, low, high float64, wanted string) (float64, *fieldError) {
	if n, ok := value.(json.Number); ok {
		if x, err := strconv.ParseFloat(n.String(), 64); err == nil && x >= low && x <= high &&
			!math.IsNaN(x) {
			return x, nil
		}
	}
	return 0, &fieldError{field, wanted}
}

// readIntegers reads a list of integers.
func readIntegers(field string, value any, low, high int64, wanted string) ([]int64, *fieldError) {
	list, ok := value.([]any)
	if !ok {
		return nil, &fieldError{field, wanted}
	}
	numbers := make([]int64, len(list))
	for i, x := range list {
		var err *fieldError
		if numbers[i], err = readInteger(field, x, low, high, wanted); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// readBool reads a field that is true or false; one that is left out is false.
func (o object) readBool(field string) (bool, *fieldError) {
	value, ok := o[field]
	if !ok {
		return false, nil
	}
	b, ok := value.(bool)
	if !ok {
		return false, &fieldError{field, "Must be a boolean"}
	}
	return b, nil
}

// parsePlayer reads a colour.
func parsePlayer(field string, value any) (game.Player, *fieldError) {
	text, _ := value.(string)
	switch strings.ToLower(text) {
	case "b", "black":
		return 0, nil
	case "w", "white":
		return 1, nil
	}
	return game.Nobody, &fieldError{field, `Must be "B" or "W"`}
}

// move is an action of a colour.
type move struct {
	color  game.Player
	action game.Action
}

// readMoves reads a list of pairs of a colour and a vertex.
func (o object) readMoves(g game.Game, field string) ([]move, *fieldError) {
	const wanted = `Must be an array of pairs of the form: ["B" or "W", GTP board vertex]`
	list, ok := o[field].([]any)
	if !ok {
		return nil, &fieldError{field, wanted}
	}
	moves := make([]move, len(list))
	for i, x := range list {
		pair, ok := x.([]any)
		if !ok || len(pair) != 2 {
			return nil, &fieldError{field, wanted}
		}
		vertex, ok := pair[1].(string)
		if !ok {
			return nil, &fieldError{field, wanted}
		}
		c, wrong := parsePlayer(field, pair[0])
		if wrong != nil {
			return nil, wrong
		}
		a, err := ParseVertex(g, vertex)
		if err != nil {
			return nil, &fieldError{field, "Could not parse board location: " + clip(vertex)}
		}
		moves[i] = move{c, a}
	}
	return moves, nil
}

// readLimits reads the moves that are to be avoided, or that are allowed alone.
func (o object) readLimits(g game.Game, field string) ([]Limit, *fieldError) {
	const wanted = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
	value, ok := o[field]
	if !ok {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &fieldError{field, wanted}
	}
	limits := make([]Limit, len(list))
	for i, x := range list {
		dict, ok := x.(map[string]any)
		if !ok {
			return nil, &fieldError{field, wanted}
		}
		vertices, ok := dict["moves"].([]any)
		if !ok || dict["player"] == nil || dict["untilDepth"] == nil {
			return nil, &fieldError{field, wanted}
		}
		l := Limit{Only: field == "allowMoves"}
		var wrong *fieldError
		if l.Color, wrong = parsePlayer(field, dict["player"]); wrong != nil {
			return nil, wrong
		}
		depth, wrong := readInteger(field, dict["untilDepth"], 1, 1e9,
			"untilDepth must be a positive integer")
		if wrong != nil {
			return nil, wrong
		}
		l.Depth = int(depth)
		for _, v := range vertices {
			text, ok := v.(string)
			if !ok {
				return nil, &fieldError{field, "Must be an array of GTP board vertices"}
			}
			a, err := ParseVertex(g, text)
			if err != nil {
				return nil, &fieldError{field, "Could not parse board location: " + clip(text)}
			}
			if !slices.Contains(l.Moves, a) {
				l.Moves = append(l.Moves, a)
			}
		}
		limits[i] = l
	}
	return limits, nil
}
