package sgf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tengen/game"
)

// maxSide is the longest side of a board.
const maxSide = 19

// Is reports whether a file seems to hold a game in this format, in any encoding.
func Is(text []byte) bool { return start(open(text).text) >= 0 }

// Parse reads the first game of a file. Its errors are *Error. What was guessed is in Warnings.
func Parse(text []byte) (*Record, error) {
	src := open(text)
	r := &reader{src: src, facts: map[string]fact{}, node: -1}
	r.Rows, r.Columns = maxSide, maxSide
	err := r.read()
	var e *Error
	if errors.As(err, &e) {
		e.Offset = src.offset(e.Offset)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range r.notes.all() {
		w.Offset = src.offset(w.Offset)
		r.Warnings = append(r.Warnings, w)
	}
	return &r.Record, nil
}

// reader makes a record from a source.
type reader struct {
	Record
	src   *source
	notes notes
	facts map[string]fact // of the game, by property
	setup

	node   int          // that is being read
	moves  []Move       // of the node
	turn   *game.Player // its PL
	stones int          // where it sets stones up; 0 if nowhere
}

// fact is the text of a property, and where it stands.
type fact struct {
	text   string
	offset int
}

// read reads the source.
func (r *reader) read() error {
	// The size comes first: it determines the meaning of points.
	if err := r.sizes(); err != nil {
		return err
	}
	r.setup.begin(r.Rows * r.Columns)
	s := scanner{text: r.src.text, notes: &r.notes}
	err := s.mainLine(func(node int, p property) error {
		if node != r.node {
			r.endNode()
			r.node = node
		}
		switch p.name {
		case "B", "W":
			return r.readMove(p)
		case "AB", "AW", "AE":
			return r.readSetup(p)
		case "PL":
			return r.readFirst(p)
		case "KM", "PB", "PW", "RU", "RE", "HA", "CA", "AP":
			r.readFact(p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.endNode()
	r.endEdit()
	r.Setup = r.setup.before()
	r.conclude()
	r.explainEncoding()
	for _, at := range r.src.cut {
		r.notes.add(at, `half a character stands before "]"`)
	}
	if begin := start(s.text[s.at:]); begin >= 0 {
		r.notes.add(s.at+begin, "another game follows: only the first is read")
	} else if c := s.next(); c == ';' {
		r.notes.add(s.at, `the game has ended before this ";": what follows is not read`)
	}
	return nil
}

// sizes reads GM and SZ.
func (r *reader) sizes() error {
	var size, kind *fact
	s := scanner{text: r.src.text}
	err := s.mainLine(func(node int, p property) error {
		f := &fact{strings.TrimSpace(r.src.simpleText(p.first)), p.first.offset}
		switch {
		case p.name == "GM" && kind == nil:
			kind = f
		case p.name == "SZ" && size == nil:
			if size = f; node > 0 {
				r.notes.add(f.offset, "SZ stands after the root")
			}
		case p.name == "SZ" && f.text != size.text:
			return fail(f.offset, "SZ[%.40s] after SZ[%.40s]: a game has one size",
				f.text, size.text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if kind != nil {
		switch n, err := strconv.Atoi(kind.text); {
		case n == 1 && err == nil:
		case kind.text == "" || strings.EqualFold(kind.text, "go"):
			r.notes.add(kind.offset, "GM[%.40s] is taken for GM[1], which is Go", kind.text)
		default:
			return fail(kind.offset, "GM[%.40s] is not Go, which is GM[1]", kind.text)
		}
	}
	switch {
	case size == nil:
	case size.text == "":
		r.notes.add(size.offset, "SZ is empty: a board of 19×19 is meant, as without SZ")
	default:
		return r.readSize(*size)
	}
	return nil
}

// readSize reads 9, 9:13, 9x13, or 19路.
func (r *reader) readSize(f fact) error {
	var sides []int
	bad := func(c rune) bool {
		return c < 0x80 && !isDigit(byte(c)) && !isSpace(byte(c)) &&
			!strings.ContainsRune(":xX,*", c)
	}
	text := strings.Map(narrow, f.text)
	for _, digits := range strings.FieldsFunc(text, func(c rune) bool {
		return c < '0' || c > '9'
	}) {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > maxSide {
			n = -1
		}
		sides = append(sides, n)
	}
	if len(sides) == 1 {
		sides = append(sides, sides[0])
	}
	if strings.ContainsFunc(text, bad) || len(sides) != 2 || min(sides[0], sides[1]) < 1 {
		return fail(f.offset, "SZ[%.40s]: a size from 1 to %d, or columns:rows, is wanted",
			f.text, maxSide)
	}
	r.Columns, r.Rows = sides[0], sides[1]
	return nil
}

// readFact keeps a property that describes the game. If there are several, that of the root counts,
// and the first.
func (r *reader) readFact(p property) {
	f := fact{r.src.simpleText(p.first), p.first.offset}
	switch known, again := r.facts[p.name]; {
	case again:
		if known.text != f.text && (p.name == "KM" || p.name == "PB" || p.name == "PW") {
			r.notes.add(f.offset, "%s[%.40s] after %[1]s[%.40[3]s]: the first counts",
				p.name, f.text, known.text)
		}
		return
	case r.node > 0 && p.name == "KM":
		r.notes.add(f.offset, "%s stands after the root", p.name)
	case r.node > 0 && (p.name == "CA" || p.name == "AP" || p.name == "HA"):
		return
	}
	r.facts[p.name] = f
}

// conclude sets what the facts say.
func (r *reader) conclude() {
	r.Names = [2]string{r.facts["PB"].text, r.facts["PW"].text}
	r.Rules, r.Result = r.facts["RU"].text, r.facts["RE"].text
	if f, ok := r.facts["KM"]; ok {
		x, guess, isNumber := komi(f.text, strings.HasPrefix(r.facts["AP"].text, "Tengen"))
		switch {
		case isNumber:
			r.Komi = &x
			if guess != "" {
				r.notes.add(f.offset, "KM[%.40s] is taken for a komi of %v: %s", f.text, x, guess)
			}
		case strings.TrimSpace(f.text) == "":
			r.notes.add(f.offset, "KM is empty: the komi is that of the rules")
		default:
			r.notes.add(f.offset, "KM[%.40s] is no number: the komi is that of the rules", f.text)
		}
	}
	h, err := strconv.Atoi(strings.TrimSpace(r.facts["HA"].text))
	if err == nil && h > 1 && !r.any && (len(r.Moves) == 0 || r.Moves[0].Player == 1) {
		r.notes.add(r.facts["HA"].offset,
			"HA[%d], and no stones are set up (AB): the board is empty before White's first move",
			h)
	}
}

// explainEncoding warns if the encoding of the text was not that of CA, or guessed.
func (r *reader) explainEncoding() {
	src, ca := r.src, r.facts["CA"]
	other := firstOther(src.text)
	set := charsetOf(ca.text)
	switch {
	case other < 0 || set == src.set || src.start > 0:
	case src.set == asUTF8 && ca.text == "":
	case src.set.unit == 2:
		r.notes.add(0, "the text has no mark of its byte order: it is read as UTF-16")
	case ca.text == "":
		r.notes.add(other, "the encoding of the text is not named (CA): it is read as %s",
			src.set.name)
	case set == nil:
		r.notes.add(ca.offset, "CA[%.40s] is no encoding that is known: the text is read as %s",
			ca.text, src.set.name)
	default:
		r.notes.add(ca.offset, "CA[%.40s] is not the encoding of the text: it is read as %s",
			ca.text, src.set.name)
	}
	if s := src.set; s == asUTF8 && other >= 0 {
		if i := firstInvalid(src.text); i >= 0 {
			r.notes.add(i, "a byte is no UTF-8")
		}
	}
}

// number reads a finite number.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = fmt.Errorf("%q is not finite", text)
	}
	return x, err
}
