package sgf

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/game"
	"tengen/internal/notation"
)

// Record is one game of two-player Go.
type Record struct {
	Rows, Columns int       // 1 to 19
	Komi          *float64  // added to White's score; nil if the file does not say
	Names         [2]string // of Black and White
	Rules         string    // as in the file: "Chinese"
	Result        string    // "B+3.5", "W+R", "0"; "" or "?" if unknown
	// points with stones of Black and of White before the first move, ascending
	Setup    [2][]int
	First    *game.Player // who moves first, if the file says so (PL)
	Moves    []Move
	Edits    []Edit   // positions set up after moves, in order
	Warnings []*Error // what was guessed in reading the file, or passed over; Write leaves them out
}

// Edit changes the position within the game.
type Edit struct {
	After  int          // number of moves before it, at least 1; no two edits have the same
	Stones [2][]int     // points that get a stone of Black and of White, ascending
	Empty  []int        // points whose stone is taken away, ascending
	First  *game.Player // who moves next, if the file says so
}

// Move places a stone on a point, or passes.
type Move struct {
	Player game.Player // 0 is Black, 1 White
	Point  int         // row*Columns + column, rows from the top; or Pass
}

// Pass is the Point of a pass.
const Pass = -1

// CurrentPlayer returns who moves first: the player in PL, else the one who makes the first move,
// else White if only Black has set-up stones (a handicap), else Black.
func (r *Record) CurrentPlayer() game.Player {
	switch {
	case r.First != nil:
		return *r.First
	case len(r.Moves) > 0:
		return r.Moves[0].Player
	case len(r.Setup[0]) > 0 && len(r.Setup[1]) == 0:
		return 1
	}
	return 0
}

// ResultOf formats a result, given Black's score minus White's.
func ResultOf(margin float64) string {
	switch {
	case margin > 0:
		return "B+" + strconv.FormatFloat(margin, 'f', -1, 64)
	case margin < 0:
		return "W+" + strconv.FormatFloat(-margin, 'f', -1, 64)
	}
	return "0"
}

// MarginOf parses a result and returns Black's score minus White's, and false if the text has no
// margin ("W+R", "Void", "?").
func MarginOf(text string) (margin float64, ok bool) {
	text = strings.TrimSpace(text)
	if text == "0" || strings.EqualFold(text, "draw") || strings.EqualFold(text, "jigo") {
		return 0, true
	}
	sign := 1.0
	winner, by, found := strings.Cut(text, "+")
	switch {
	case !found:
		return 0, false
	case strings.EqualFold(winner, "W"):
		sign = -1
	case !strings.EqualFold(winner, "B"):
		return 0, false
	}
	x, err := number(by)
	if err != nil || x < 0 {
		return 0, false
	}
	return sign * x, true
}

// Error is an error at a place in a file, or a warning about one.
type Error struct {
	Offset  int // bytes from the beginning
	Problem string
}

func (e *Error) Error() string {
	return fmt.Sprintf("SGF, byte %d: %s", e.Offset, notation.Plain(e.Problem))
}

func fail(offset int, form string, args ...any) error {
	return &Error{offset, fmt.Sprintf(form, args...)}
}

// notes are the warnings of a file, one for each form, so that their number does not grow with the
// file.
type notes struct {
	list []*Error
	more []int // by warning: how many of its form came after it
	of   map[string]int
}

// add adds a warning. Without notes it does nothing.
func (n *notes) add(offset int, form string, args ...any) {
	if n == nil {
		return
	}
	if i, known := n.of[form]; known {
		n.more[i]++
		return
	}
	if n.of == nil {
		n.of = map[string]int{}
	}
	n.of[form] = len(n.list)
	n.list, n.more = append(n.list, &Error{offset, fmt.Sprintf(form, args...)}), append(n.more, 0)
}

// all returns the warnings in the order of their places, with how often each recurs.
func (n *notes) all() []*Error {
	for i, e := range n.list {
		switch more := n.more[i]; more {
		case 0:
		case 1:
			e.Problem += " (and once more)"
		default:
			e.Problem += fmt.Sprintf(" (and %d times more)", more)
		}
	}
	slices.SortStableFunc(n.list, func(a, b *Error) int { return a.Offset - b.Offset })
	return n.list
}

// perLine is the number of moves on a line of a file.
const perLine = 10

// Write writes the record as a file with one game.
func (r *Record) Write(w io.Writer) error {
	var b strings.Builder
	size := strconv.Itoa(r.Columns)
	if r.Rows != r.Columns {
		size += ":" + strconv.Itoa(r.Rows)
	}
	fmt.Fprintf(&b, "(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[%s]", size)
	if r.Komi != nil {
		fmt.Fprintf(&b, "KM[%s]", strconv.FormatFloat(*r.Komi, 'f', -1, 64))
	}
	b.WriteByte('\n')
	for _, p := range []struct{ name, text string }{
		{"PB", r.Names[0]}, {"PW", r.Names[1]}, {"RU", r.Rules}, {"RE", r.Result},
	} {
		if p.text != "" {
			fmt.Fprintf(&b, "%s[%s]\n", p.name, escape(p.text))
		}
	}
	r.setUp(&b, "\n", r.Setup, nil, r.First)
	edits := r.Edits
	for i := 0; ; i++ {
		if len(edits) > 0 && edits[0].After == i {
			b.WriteString("\n;")
			r.setUp(&b, "", edits[0].Stones, edits[0].Empty, edits[0].First)
			b.WriteByte('\n')
			edits = edits[1:]
		} else if i > 0 && i%perLine == 0 && i < len(r.Moves) {
			b.WriteByte('\n')
		}
		if i == len(r.Moves) {
			break
		}
		fmt.Fprintf(&b, ";%s[%s]", letterOf[r.Moves[i].Player], r.letters(r.Moves[i].Point))
	}
	b.WriteString(")\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write SGF: %w", err)
	}
	return nil
}

// setUp writes properties that set up a position, each with end after it.
func (r *Record) setUp(
	b *strings.Builder, end string, stones [2][]int, none []int, first *game.Player,
) {
	for i, points := range [][]int{stones[0], stones[1], none} {
		if len(points) == 0 {
			continue
		}
		b.WriteString([...]string{"AB", "AW", "AE"}[i])
		for _, p := range points {
			fmt.Fprintf(b, "[%s]", r.letters(p))
		}
		b.WriteString(end)
	}
	if first != nil {
		fmt.Fprintf(b, "PL[%s]%s", letterOf[*first], end)
	}
}

var letterOf = [2]string{"B", "W"}

// letters returns a point's column and row as letters, "" for a pass.
func (r *Record) letters(p int) string {
	if p == Pass {
		return ""
	}
	return string([]byte{'a' + byte(p%r.Columns), 'a' + byte(p/r.Columns)})
}

// escape returns the text escaped for use as a value.
func escape(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "\n", " ", "\r", " ").Replace(text)
}
