package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// figure is a number of an event.
type figure struct {
	name string
	x    float64
}

// walker reads the figures of events: their numbers with their names, in the order of the text. The
// elements of lists with one element per seat are named after the seats. Text and lists of objects
// are left out. Decoding an event takes several times as long.
type walker struct {
	text  []byte
	at    int
	depth int
	path  []byte // of the value that is read
	seats []string
	list  []figure
	order []int             // of the numbers of lists, within their lists
	names map[string]string // by their bytes
}

const (
	maxDepth = 100    // of objects and lists within each other
	maxNames = 10_000 // that are remembered
)

var errSyntax = errors.New("this is no JSON")

// figures returns the figures of an event: one JSON object. They are valid until the next call.
func (w *walker) figures(text []byte, seats []string) ([]figure, error) {
	*w = walker{
		text: text, seats: seats, path: w.path[:0], list: w.list[:0], order: w.order[:0],
		names: w.names,
	}
	if w.names == nil || len(w.names) > maxNames {
		w.names = map[string]string{}
	}
	w.space()
	err := w.object()
	if w.space(); err == nil && w.at < len(w.text) {
		err = errSyntax
	}
	if err != nil {
		return nil, fmt.Errorf("%w, at byte %d", err, w.at+1)
	}
	return w.list, nil
}

// next returns the byte at the place, 0 at the end.
func (w *walker) next() byte {
	if w.at < len(w.text) {
		return w.text[w.at]
	}
	return 0
}

func (w *walker) space() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return
		}
	}
}

// take reads the byte c, and the space after it.
func (w *walker) take(c byte) error {
	if w.next() != c {
		return errSyntax
	}
	w.at++
	w.space()
	return nil
}

// open reads the beginning of an object or a list.
func (w *walker) open(c byte) error {
	if w.depth++; w.depth > maxDepth {
		return fmt.Errorf("more than %d lists within each other", maxDepth)
	}
	return w.take(c)
}

// more reads what stands before element n of an object or a list, or else its end, and returns
// which.
func (w *walker) more(n int, end byte) (bool, error) {
	w.space()
	switch {
	case w.next() == end:
		w.at++
		w.depth--
		return false, nil
	case n == 0:
		return true, nil
	}
	return true, w.take(',')
}

// object reads an object. Names of its figures begin with the path.
func (w *walker) object() error {
	if err := w.open('{'); err != nil {
		return err
	}
	top, length := w.depth == 1, len(w.path)
	for n := 0; ; n++ {
		if more, err := w.more(n, '}'); err != nil || !more {
			return err
		}
		key, err := w.key()
		if w.space(); err == nil {
			err = w.take(':')
		}
		if err != nil {
			return err
		}
		if length > 0 {
			w.path = append(w.path, '/')
		}
		w.path = append(w.path, key...)
		figures := len(w.list)
		number, err := w.value()
		if err != nil {
			return err
		}
		switch name := string(w.path); { // does not allocate
		case name == "" || top && (name == "time" || name == "event" || name == "iteration" ||
			name == "message"):
			w.list = w.list[:figures] // not figures
		case number:
			w.name(&w.list[figures])
		}
		w.path = w.path[:length]
	}
}

// add adds a figure. It has the name of that of the last event in its place, most often its own.
func (w *walker) add(x float64) {
	if n := len(w.list); n < cap(w.list) {
		w.list = w.list[:n+1]
		w.list[n].x = x
	} else {
		w.list = append(w.list, figure{x: x})
	}
}

// name names a figure after the path.
func (w *walker) name(f *figure) {
	if f.name == string(w.path) {
		return
	}
	name, ok := w.names[string(w.path)]
	if !ok {
		name = string(w.path)
		w.names[name] = name
	}
	f.name = name
}

// array reads a list. It names the numbers at the end, when their count is known.
func (w *walker) array() error {
	if err := w.open('['); err != nil {
		return err
	}
	figures, order, length := len(w.list), len(w.order), len(w.path)
	n := 0
	for ; ; n++ {
		more, err := w.more(n, ']')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		before := len(w.list)
		number, err := w.value()
		if err != nil {
			return err
		}
		if number {
			w.order = append(w.order, n)
		} else {
			w.list = w.list[:before]
		}
	}
	for k, i := range w.order[order:] {
		if length > 0 {
			w.path = append(w.path, '/')
		}
		if n == len(w.seats) {
			w.path = append(w.path, w.seats[i]...)
		} else {
			w.path = strconv.AppendInt(w.path, int64(i), 10)
		}
		w.name(&w.list[figures+k])
		w.path = w.path[:length]
	}
	w.order = w.order[:order]
	return nil
}

// value reads a value. If it is a number, or true or false, it is the last figure of the list, and
// its name is to be set.
func (w *walker) value() (number bool, err error) {
	switch c := w.next(); c {
	case '{':
		return false, w.object()
	case '[':
		return false, w.array()
	case '"':
		_, err := w.quoted()
		return false, err
	case 't':
		w.add(1)
		return true, w.word("true")
	case 'f':
		w.add(0)
		return true, w.word("false")
	case 'n':
		return false, w.word("null")
	}
	return w.number()
}

func (w *walker) word(word string) error {
	if len(w.text)-w.at < len(word) || string(w.text[w.at:w.at+len(word)]) != word {
		return errSyntax
	}
	w.at += len(word)
	return nil
}

// number reads a number. One that is out of range is no figure.
func (w *walker) number() (bool, error) {
	from := w.at
	if w.next() == '-' {
		w.at++
	}
	zero := w.next() == '0'
	digits := w.digits()
	if digits == 0 || zero && digits > 1 {
		return false, errSyntax
	}
	whole := digits < 16 // and exact
	if w.next() == '.' {
		w.at++
		if whole = false; w.digits() == 0 {
			return false, errSyntax
		}
	}
	if c := w.next(); c == 'e' || c == 'E' {
		w.at++
		if c := w.next(); c == '+' || c == '-' {
			w.at++
		}
		if whole = false; w.digits() == 0 {
			return false, errSyntax
		}
	}
	text := w.text[from:w.at]
	x := 0.0
	if whole && text[0] != '-' {
		for _, c := range text {
			x = 10*x + float64(c-'0')
		}
	} else {
		var err error
		if x, err = strconv.ParseFloat(string(text), 64); err != nil {
			return false, nil
		}
	}
	w.add(x)
	return true, nil
}

// digits reads digits, and returns how many.
func (w *walker) digits() int {
	from := w.at
	for w.at < len(w.text) && w.text[w.at]-'0' <= 9 {
		w.at++
	}
	return w.at - from
}

// key reads the name of a field.
func (w *walker) key() ([]byte, error) {
	text, err := w.quoted()
	if err != nil {
		return nil, err
	}
	for _, c := range text {
		if c == '\\' || c >= 0x80 {
			var key string
			if json.Unmarshal(text, &key) != nil {
				return nil, errSyntax
			}
			return []byte(key), nil
		}
	}
	return text[1 : len(text)-1], nil
}

// quoted reads a string, and returns it with its quotes.
func (w *walker) quoted() ([]byte, error) {
	from := w.at
	if w.next() != '"' {
		return nil, errSyntax
	}
	for w.at++; w.at < len(w.text); w.at++ {
		switch c := w.text[w.at]; {
		case c == '"':
			w.at++
			return w.text[from:w.at], nil
		case c < ' ':
			return nil, errSyntax
		case c == '\\':
			if err := w.escape(); err != nil {
				return nil, err
			}
		}
	}
	return nil, errSyntax
}

// escape reads an escape sequence of a string but for its last byte.
func (w *walker) escape() error {
	w.at++
	switch w.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			w.at++
			switch c := w.next(); {
			case c-'0' <= 9, c|0x20-'a' <= 5:
			default:
				return errSyntax
			}
		}
		return nil
	}
	return errSyntax
}
