package gtp

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/interop/analysis"
	"tengen/player"
)

// dialect is the form of the lines of an analysis.
type dialect uint8

const (
	kata  dialect = iota // KataGo's
	leela                // Leela Zero's
)

// request is what a command asks for, such as kata-analyze b 50 maxmoves 5.
type request struct {
	dialect  dialect
	color    game.Player
	interval time.Duration    // between lines; 0: no lines
	moves    int              // at most; 0: all that were visited
	visits   bool             // of the actions of variations
	root     bool             // a section on the position itself
	limits   []analysis.Limit // on what is searched
}

// maxInterval is the longest interval between lines, in centiseconds.
const maxInterval = 1e9

// parseAnalysis reads the arguments [COLOUR] [INTERVAL] [KEY VALUE]…
func (e *Engine) parseAnalysis(d dialect, args []string) (request, error) {
	a := request{dialect: d, color: e.mover()}
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

func (a *request) setInterval(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= maxInterval) {
		return syntax("%.40q: an interval in hundredths of a second is wanted", text)
	}
	a.interval = time.Duration(math.Ceil(x)) * 10 * time.Millisecond
	return nil
}

// parseOption reads the first option of args, and returns the number of its words.
func (e *Engine) parseOption(a *request, args []string) (words int, err error) {
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
func (e *Engine) parseLimit(only bool, args []string) (analysis.Limit, error) {
	color, err := parseColor(args[0])
	if err != nil {
		return analysis.Limit{}, err
	}
	l := analysis.Limit{Color: color, Only: only}
	for _, word := range strings.Split(args[1], ",") {
		if word == "" {
			continue
		}
		m, err := parseVertex(e.game, word)
		if err != nil {
			return analysis.Limit{}, err
		}
		l.Moves = append(l.Moves, m)
	}
	if len(l.Moves) == 0 {
		return analysis.Limit{}, syntax("%.40q has no vertex", args[1])
	}
	l.Depth, err = parseWhole(args[2], 1)
	return l, err
}

// output takes the lines of an answer that grows while its command is executed.
type output interface {
	// Line writes a line of the answer.
	Line(text string)
	// Stopped reports whether the answer is to end: a line of input has arrived, or the
	// session ends.
	Stopped() bool
	// Wait returns when Stopped would return true, or after some time; 0 is no limit.
	Wait(d time.Duration)
}

var errNoMove = errors.New("no move is left to search")

// slice is the time after which a search that may be stopped looks whether it has to.
const slice = 20 * time.Millisecond

// mover is the colour to move, also when the game is over.
func (e *Engine) mover() game.Player {
	if c := e.State().CurrentPlayer(); c != game.Nobody {
		return c
	}
	return game.Player(e.State().(game.Turned).Turn() % 2)
}

// prepare makes the agent, if there is none.
func (e *Engine) prepare() {
	if e.agent != nil {
		return
	}
	p := e.config.Player
	if e.byClock {
		p = e.timed
	}
	e.agent, e.evaluator = p.NewAgent(e.game), p.NewEvaluator(e.game, 1)
}

// prepareFor makes the agent that plays for color: by its clock, if there is one that decides.
func (e *Engine) prepareFor(color game.Player) {
	if byClock := e.timed != nil && e.clocks[color].Limited(); byClock != e.byClock {
		e.Close()
		e.replay()
		e.byClock = byClock
	}
	e.prepare()
}

// analyzes reports whether positions can be analysed: the player's search can go on beyond its
// budget.
func (e *Engine) analyzes() bool {
	e.prepare()
	return player.CanPonder(e.agent)
}

// Analyze searches the position for a colour and writes what it finds to out, until out
// is stopped. A search that can't go on, because its tree is full, waits for that. The tree
// remains for decisions that follow, if the player keeps trees.
func (e *Engine) analyze(a request, out output) error {
	e.pondering = false
	if color := e.State().CurrentPlayer(); color != a.color {
		if err := e.hand(a.color); err != nil {
			return err
		}
		defer e.replay() // gives the turn back
	}
	agent, s, err := e.analyst(a)
	if err != nil {
		return err
	}
	r := e.reporter(a, agent)
	w := watch{e: e}
	next := e.config.Now().Add(a.interval)
	more, err := w.search(agent, s) // an answer that has begun can't become an error
	if err != nil {
		return err
	}
	out.Line("")
	for !out.Stopped() {
		if more {
			if more, err = w.search(agent, s); err != nil {
				return err
			}
		} else if a.interval == 0 {
			out.Wait(0)
			continue
		} else {
			out.Wait(max(1, next.Sub(e.config.Now())))
			if out.Stopped() {
				return nil
			}
		}
		now := e.config.Now()
		if a.interval == 0 || now.Before(next) {
			continue
		}
		if line := r.Line(); line != "" {
			out.Line(line)
		}
		if next = next.Add(a.interval); next.Before(now) {
			next = now.Add(a.interval)
		}
		if !more { // it has been told
			a.interval = 0
		}
	}
	return nil
}

// analyst returns the agent that searches, and the position as it has to see it.
func (e *Engine) analyst(a request) (player.Agent, game.State, error) {
	e.prepare()
	if len(a.limits) == 0 {
		if !e.told {
			e.tell()
		}
		return e.agent, e.State(), nil
	}
	g := &analysis.Limited{Game: e.game, Limits: a.limits}
	s, ok := g.From(e.State())
	if !ok {
		return nil, nil, errNoMove
	}
	agent := e.config.Player.NewAgent(g)
	agent.Begin(random.New(e.config.Seed, random.Arena, e.number, e.begun))
	e.begun++
	return agent, s, nil
}

// reporter returns the reporter of an agent's search of the position.
func (e *Engine) reporter(a request, agent player.Agent) *reporter {
	return &reporter{request: a, game: e.game, Finder: analysis.Finder{
		Result: agent.(player.Searching).Result(), Outlook: e.outlook(), Color: a.color,
	}}
}

// watch lets an agent ponder in slices.
type watch struct {
	e *Engine
	n int // simulations of a slice
}

// search makes the simulations of one slice.
func (w *watch) search(agent player.Agent, s game.State) (more bool, err error) {
	w.n = max(w.n, 1)
	began := time.Now()
	more, err = agent.(player.Ponderer).Ponder(s, w.e.evaluator, w.n)
	switch d := time.Since(began); {
	case d < slice/2:
		w.n = min(2*w.n, 1<<14)
	case d > 2*slice:
		w.n /= 2
	}
	return more, err
}

// genMoveAnalyze is GenMove with lines about the search.
func (e *Engine) genMoveAnalyze(a request, out output) error {
	e.prepareFor(a.color)
	agent, watched := e.agent.(player.Watched)
	if _, searches := e.agent.(player.Searching); !searches {
		watched = false
	}
	if watched && a.interval > 0 {
		var r *reporter
		next := e.config.Now().Add(a.interval)
		report := func() {
			if r == nil {
				r = e.reporter(a, e.agent)
			}
			if line := r.Line(); line != "" {
				out.Line(line)
			}
		}
		agent.Watch(func() {
			if now := e.config.Now(); !now.Before(next) {
				report()
				next = now.Add(a.interval)
			}
		})
		e.onDecision = report
		defer func() { agent.Watch(nil); e.onDecision = nil }()
	}
	m, err := e.GenMove(a.color)
	if err != nil {
		return err
	}
	out.Line("play " + moveWord(e.game, m))
	return nil
}

// ponder searches the position, in which the opponent is to move, for a moment.
func (e *Engine) ponder() {
	more, err := e.watch.search(e.agent, e.State())
	// An evaluator that has failed will do so again, when somebody waits for the answer.
	e.pondering = more && err == nil
}

// reporter writes the lines of an analysis. All values are of the colour to move.
type reporter struct {
	request
	analysis.Finder
	game game.Game
	line strings.Builder
}

// Line returns what is known so far, "" if no move has been visited.
func (r *reporter) Line() string {
	moves, visits := r.Moves(), 0
	for i := range moves {
		visits += moves[i].Visits
	}
	if visits == 0 {
		return ""
	}
	shown := moves
	if r.moves > 0 {
		shown = shown[:min(r.moves, len(shown))]
	}
	r.line.Reset()
	for i := range shown {
		if i > 0 {
			r.line.WriteByte(' ')
		}
		r.move(i, &shown[i])
	}
	if r.root {
		fmt.Fprintf(&r.line, " rootInfo visits %d", visits)
		r.values(r.Root())
	}
	return r.line.String()
}

// move writes the section of a move.
func (r *reporter) move(order int, m *analysis.Move) {
	fmt.Fprintf(&r.line, "info move %s visits %d", vertex(r.game, m.Action), m.Visits)
	if r.dialect == leela {
		fmt.Fprintf(&r.line, " winrate %d", basis(m.Winrate))
		if m.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %d", basis(float64(m.Prior)))
		}
		fmt.Fprintf(&r.line, " lcb %d", basis(m.LCB))
	} else {
		r.values(m.Expectation)
		if m.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %.6f", m.Prior)
		}
		fmt.Fprintf(&r.line, " lcb %.6f", m.LCB)
	}
	fmt.Fprintf(&r.line, " order %d pv", order)
	steps := r.Variation(*m)
	for _, s := range steps {
		r.line.WriteByte(' ')
		r.line.WriteString(vertex(r.game, s.Action))
	}
	if r.visits {
		r.line.WriteString(" pvVisits")
		for _, s := range steps {
			fmt.Fprintf(&r.line, " %d", s.Visits)
		}
	}
}

// values writes what KataGo's lines tell of a move and of the position.
func (r *reporter) values(x analysis.Expectation) {
	fmt.Fprintf(&r.line, " utility %.6f winrate %.6f", x.Difference, x.Winrate)
	if x.Scored {
		fmt.Fprintf(&r.line, " scoreMean %.4f scoreStdev %.4f scoreLead %.4f", x.Lead, x.SD, x.Lead)
	}
}

// basis returns a share in ten thousandths.
func basis(x float64) int { return int(math.Round(10_000 * x)) }
