package sgf

import (
	"strconv"
	"strings"

	"tengen/game"
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
