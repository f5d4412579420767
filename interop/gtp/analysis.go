package gtp

import (
	"math"
	"strconv"
	"strings"
	"time"

	"tengen/game"
	"tengen/interop/findings"
)

// dialect is the form of the lines of an analysis.
type dialect uint8

const (
	kata  dialect = iota // KataGo's
	leela                // Leela Zero's
)

// analysis is what a command asks for, such as kata-analyze b 50 maxmoves 5.
type analysis struct {
	dialect  dialect
	color    game.Player
	interval time.Duration    // between lines; 0: no lines
	moves    int              // at most; 0: all that were visited
	visits   bool             // of the actions of variations
	root     bool             // a section on the position itself
	limits   []findings.Limit // on what is searched
}

// maxInterval is the longest interval between lines, in centiseconds.
const maxInterval = 1e9

// parseAnalysis reads the arguments [COLOUR] [INTERVAL] [KEY VALUE]…
func (e *Engine) parseAnalysis(d dialect, args []string) (analysis, error) {
	a := analysis{dialect: d, color: e.mover()}
	if len(args) > 0 {
		if c, err := parseColor(args[0]); err == nil {
			a.color, args = c, args[1:]
		}
	}
	if len(args) > 0 {
		if err := a.setInterval(args[0]); err == nil {
			args = args[1:]
		}
	}
	for len(args) > 0 {
		n, err := e.parseOption(&a, args)
		if err != nil {
			return a, err
		}
		args = args[n:]
	}
	return a, nil
}

func (a *analysis) setInterval(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= maxInterval) {
		return syntax("%.40q: an interval in hundredths of a second is wanted", text)
	}
	a.interval = time.Duration(math.Ceil(x)) * 10 * time.Millisecond
	return nil
}

// parseOption reads the first option of args, and returns the number of its words.
func (e *Engine) parseOption(a *analysis, args []string) (words int, err error) {
	if len(args) < 2 {
		return 0, syntax("%.40q is no colour and no interval, and an option has a value", args[0])
	}
	key, value := strings.ToLower(args[0]), args[1]
	switch key {
	case "interval":
		return 2, a.setInterval(value)
	case "maxmoves":
		a.moves, err = parseWhole(value, 1)
		return 2, err
	case "minmoves":
		// Nothing is known of moves that were not visited, and all others are told anyway.
		_, err = parseWhole(value, 0)
		return 2, err
	case "avoid", "allow":
		if len(args) < 4 {
			return 0, syntax("%s takes a colour, vertices and a depth", key)
		}
		l, err := e.parseLimit(key == "allow", args[1:4])
		if err != nil {
			return 0, err
		}
		a.limits = append(a.limits, l)
		return 4, nil
	}
	if a.dialect != kata {
		return 0, syntax("%.40q is no option", args[0])
	}
	on, err := strconv.ParseBool(strings.ToLower(value))
	if err != nil {
		return 0, syntax("%.40q %.40q: true or false is wanted", args[0], value)
	}
	switch key {
	case "pvvisits":
		a.visits = on
	case "rootinfo":
		a.root = on
	case "ownership", "ownershipstdev", "movesownership", "movesownershipstdev":
		// No network predicts who will own a point: there is no such section.
	default:
		return 0, syntax("%.40q is no option", args[0])
	}
	return 2, nil
}

// parseLimit reads COLOUR VERTEX,VERTEX,… DEPTH.
func (e *Engine) parseLimit(only bool, args []string) (findings.Limit, error) {
	color, err := parseColor(args[0])
	if err != nil {
		return findings.Limit{}, err
	}
	l := findings.Limit{Color: color, Only: only}
	for _, word := range strings.Split(args[1], ",") {
		if word == "" {
			continue
		}
		m, err := parseVertex(e.game, word)
		if err != nil {
			return findings.Limit{}, err
		}
		l.Moves = append(l.Moves, m)
	}
	if len(l.Moves) == 0 {
		return findings.Limit{}, syntax("%.40q has no vertex", args[1])
	}
	l.Depth, err = parseWhole(args[2], 1)
	return l, err
}
