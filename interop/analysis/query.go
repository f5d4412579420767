package analysis

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/game"
	"tengen/game/goban"
)

// query is a request to analyse positions of a game.
type query struct {
	id    string
	game  game.Game
	first game.State // the position before the moves
	moves []move
	turns []position // the positions to analyse, in order

	visits      int
	time        time.Duration // of each search; 0: no limit
	perspective Perspective
	every       time.Duration // between reports during the search; 0: none
	after       time.Duration // before the first of them
	policy      bool
	visitsOfPV  bool
	lengthOfPV  int
	limits      []Limit
}

// position is one to analyse, after a number of moves.
type position struct {
	number   int
	priority int64
}

// Perspective says for whom values are told.
type Perspective uint8

const (
	SideToMove Perspective = iota
	Black
	White
)

// ParsePerspective reads BLACK, WHITE or SIDETOMOVE, as KataGo's reportAnalysisWinratesAs.
func ParsePerspective(text string) (p Perspective, ok bool) {
	switch strings.ToUpper(text) {
	case "BLACK":
		return Black, true
	case "WHITE":
		return White, true
	case "SIDETOMOVE":
		return SideToMove, true
	}
	return 0, false
}

// warning is about a field that has no effect or another one than expected.
type warning struct{ field, text string }

// Limits of queries, as KataGo has them.
const (
	mostKomi     = 150
	mostVisits   = 1 << 50
	endless      = 1 << 30 // visits that no tree has room for
	mostPriority = 1<<62 - 1
	mostWarnings = 16 // of fields that nobody knows
	defaultPV    = 15
)

// ignored are fields of KataGo that have no effect here, and why.
var ignored = map[string]string{
	"includeOwnership":           noOwnership,
	"includeOwnershipStdev":      noOwnership,
	"includeMovesOwnership":      noOwnership,
	"includeMovesOwnershipStdev": noOwnership,
	"rootPolicyTemperature":      "Not supported, the policy is used as it is",
	"rootFpuReductionMax":        "Not supported, the player's own constant is used",
}

const noOwnership = "Not supported, there is no ownership here"

// known are the fields that are read.
var known = []string{
	"id", "boardXSize", "boardYSize", "initialStones", "initialPlayer", "moves", "rules", "komi",
	"whiteHandicapBonus", "analyzeTurns", "maxVisits", "analysisPVLen", "includePolicy",
	"includePVVisits",
	"overrideSettings", "reportDuringSearchEvery", "firstReportDuringSearchAfter", "priority",
	"priorities",
	"avoidMoves", "allowMoves",
}

// parser reads one query.
type parser struct {
	object
	config   *Config
	rules    goban.Rules // of the player's game
	query    *query
	warnings []warning
}

// parse reads a query. The error names the field that is wrong.
func parse(c *Config, o object) (*query, []warning, *fieldError) {
	rules, _ := goban.RulesOf(c.Game)
	id, _ := o["id"].(string)
	p := &parser{object: o, config: c, rules: rules, query: &query{id: id, lengthOfPV: defaultPV}}
	for _, read := range []func() *fieldError{
		p.board, p.position, p.turns, p.budget, p.reports, p.settings, p.limits, p.others,
	} {
		if err := read(); err != nil {
			return nil, nil, err
		}
	}
	return p.query, p.warnings, nil
}

func (p *parser) warn(field, text string) {
	p.warnings = append(p.warnings, warning{field, text})
}

// turns reads which positions are to be analysed, and their priorities.
func (p *parser) turns() *fieldError {
	q, last := p.query, len(p.query.moves)
	turns := []int64{int64(last)}
	value, given := p.object["analyzeTurns"]
	if given {
		var err *fieldError
		wanted := fmt.Sprintf("Must be an array of integers from 0 to %d, the turns to analyze",
			last)
		if turns, err = readIntegers("analyzeTurns", value, 0, int64(last), wanted); err != nil {
			return err
		}
		if len(turns) == 0 {
			return &fieldError{"analyzeTurns", wanted}
		}
	}
	const wanted = "Must be a number between -2^62 and 2^62"
	one := int64(0)
	priority, hasPriority := p.object["priority"]
	if hasPriority {
		var err *fieldError
		if one, err = readInteger("priority",
			priority, -mostPriority, mostPriority, wanted); err != nil {
			return err
		}
	}
	priorities := map[int]int64{}
	for _, t := range turns {
		priorities[int(t)] = one
	}
	if value, ok := p.object["priorities"]; ok {
		list, err := readIntegers("priorities", value, -mostPriority, mostPriority, wanted)
		switch {
		case err != nil:
			return err
		case hasPriority:
			return &fieldError{"priority", "Cannot specify both priority and priorities"}
		case !given:
			return &fieldError{"priorities", "Can only specify when also specifying analyzeTurns"}
		case len(list) != len(turns):
			return &fieldError{"priorities", "Must be of matching length to analyzeTurns"}
		}
		for i, t := range turns {
			priorities[int(t)] = list[i]
		}
	}
	for _, number := range slices.Sorted(maps.Keys(priorities)) {
		q.turns = append(q.turns, position{number, priorities[number]})
	}
	// Only at the end of max_plies can nobody move any more.
	if _, err := q.at(q.turns[len(q.turns)-1].number); err != nil {
		return &fieldError{"analyzeTurns", err.Error()}
	}
	return nil
}

// budget reads how long each search is to be. overrideSettings may have it too.
func (p *parser) budget() *fieldError {
	p.query.visits = p.config.Visits
	if value, ok := p.object["maxVisits"]; ok {
		n, err := readInteger("maxVisits",
			value, 1, mostVisits, "Must be an integer from 1 to 2^50")
		if err != nil {
			return err
		}
		p.query.visits = int(min(n, endless))
	}
	return nil
}

// reports reads what is told, and when.
func (p *parser) reports() (err *fieldError) {
	q := p.query
	if q.policy, err = p.readBool("includePolicy"); err != nil {
		return err
	}
	if q.visitsOfPV, err = p.readBool("includePVVisits"); err != nil {
		return err
	}
	if value, ok := p.object["analysisPVLen"]; ok {
		n, err := readInteger("analysisPVLen", value, 1, 1000, "Must be an integer from 1 to 1000")
		if err != nil {
			return err
		}
		q.lengthOfPV = int(n)
	}
	for _, x := range []struct {
		field string
		to    *time.Duration
	}{{"reportDuringSearchEvery", &q.every}, {"firstReportDuringSearchAfter", &q.after}} {
		if value, ok := p.object[x.field]; ok {
			seconds, err := readNumber(x.field, value, 0.001, 1e6,
				"Must be number of seconds from 0.001 to 1000000.0")
			if err != nil {
				return err
			}
			*x.to = time.Duration(seconds * float64(time.Second))
		}
	}
	switch {
	case q.after > 0 && q.every == 0: // one report
		q.every = 1e6 * time.Second
	case q.after == 0:
		q.after = q.every
	}
	return nil
}

// settings reads overrideSettings. Those that nobody knows are warned of, as KataGo does.
func (p *parser) settings() *fieldError {
	const field = "overrideSettings"
	value, ok := p.object[field]
	p.query.perspective = p.config.Perspective
	if !ok {
		return nil
	}
	settings, ok := value.(map[string]any)
	if !ok {
		return &fieldError{field, "Must be an object"}
	}
	var unknown []string
	for _, key := range sortedKeys(settings) {
		value := settings[key]
		if text, ok := value.(string); ok { // numbers may be written as strings
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				value = json.Number(text)
			}
		}
		switch key {
		case "reportAnalysisWinratesAs":
			text, _ := value.(string)
			var ok bool
			if p.query.perspective, ok = ParsePerspective(text); !ok {
				return &fieldError{field, "Could not set settings: reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE"}
			}
		case "maxTime":
			seconds, err := readNumber(field, value, 0, 1e9,
				"Could not set settings: maxTime must be a number of seconds from 0 to 1000000000")
			if err != nil {
				return err
			}
			p.query.time = max(time.Duration(seconds*float64(time.Second)), 1)
		case "maxVisits":
			n, err := readInteger(field, value, 1, mostVisits,
				"Could not set settings: maxVisits must be an integer from 1 to 2^50")
			if err != nil {
				return err
			}
			if _, ok := p.object["maxVisits"]; !ok { // which has precedence
				p.query.visits = int(min(n, endless))
			}
		default:
			unknown = append(unknown, clip(key))
		}
	}
	if len(unknown) > 0 {
		if n := len(unknown) - mostWarnings; n > 0 {
			unknown = append(unknown[:mostWarnings], fmt.Sprintf("and %d more", n))
		}
		p.warn(field, "Unknown config params, which have no effect: "+strings.Join(unknown, ","))
	}
	return nil
}

// limits reads avoidMoves or allowMoves.
func (p *parser) limits() *fieldError {
	avoid, err := p.readLimits(p.query.game, "avoidMoves")
	if err != nil {
		return err
	}
	allow, err := p.readLimits(p.query.game, "allowMoves")
	switch {
	case err != nil:
		return err
	case avoid != nil && allow != nil:
		return &fieldError{"allowMoves", "Cannot specify both allowMoves and avoidMoves"}
	case len(allow) > 1:
		return &fieldError{"allowMoves", "Currently allowMoves only allows one entry"}
	}
	p.query.limits = append(avoid, allow...)
	if len(p.query.limits) == 0 {
		return nil
	}
	limited := &Limited{Game: p.query.game, Limits: p.query.limits}
	field := "avoidMoves"
	if allow != nil {
		field = "allowMoves"
	}
	return p.query.walk(false, func(turn int, s game.State) *fieldError {
		if !slices.ContainsFunc(p.query.turns, func(t position) bool { return t.number == turn }) {
			return nil
		}
		from := p.query.game.NewState()
		from.CopyFrom(s)
		if err := hand(from, p.query.next(turn, s)); err != nil {
			return &fieldError{"analyzeTurns", err.Error()}
		}
		if _, ok := limited.From(from); !ok {
			return &fieldError{
				field, fmt.Sprintf("No legal move is left to search at turn %d", turn),
			}
		}
		return nil
	})
}

// others warns of fields that have no effect, and wants a limit of the search.
func (p *parser) others() *fieldError {
	if p.query.visits == 0 {
		if p.query.time == 0 {
			return &fieldError{
				"maxVisits", "Must be given, since the player has no number of simulations",
			}
		}
		p.query.visits = endless
	}
	unknown := 0
	for _, key := range sortedKeys(p.object) {
		value := p.object[key]
		switch why, ok := ignored[key]; {
		case slices.Contains(known, key):
		case ok:
			if strings.HasPrefix(key, "include") {
				if on, err := p.readBool(key); err != nil {
					return err
				} else if !on {
					continue
				}
			} else if _, err := readNumber(key, value, -1e9, 1e9, "Must be a number"); err != nil {
				return err
			}
			p.warn(key, why)
		default:
			if unknown++; unknown <= mostWarnings {
				p.warn(clip(key), "Unexpected or unused field")
			}
		}
	}
	if n := unknown - mostWarnings; n > 0 {
		p.warn("", fmt.Sprintf("Unexpected or unused fields, %d more", n))
	}
	return nil
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// lines reads lines of at most maxLine bytes.
type lines struct {
	r    *bufio.Reader
	line []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReader(r)} }

// Next returns the next line without the spaces around it, until the next call; tooLong means that
// it was passed over. The error is io.EOF at the end.
func (l *lines) Next() (line []byte, tooLong bool, err error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(l.line)+len(part) > maxLine+1; !tooLong {
			l.line = append(l.line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (tooLong || len(l.line) > 0): // the last line has no end
			err = nil
		}
		return bytes.TrimSpace(l.line), tooLong, err
	}
}
