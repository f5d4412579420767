package gtp

import (
	"errors"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/interop/findings"
	"tengen/player"
)

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
func (e *Engine) analyze(a analysis, out output) error {
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
func (e *Engine) analyst(a analysis) (player.Agent, game.State, error) {
	e.prepare()
	if len(a.limits) == 0 {
		if !e.told {
			e.tell()
		}
		return e.agent, e.State(), nil
	}
	g := &findings.Limited{Game: e.game, Limits: a.limits}
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
func (e *Engine) reporter(a analysis, agent player.Agent) *reporter {
	return &reporter{analysis: a, game: e.game, Finder: findings.Finder{
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
func (e *Engine) genMoveAnalyze(a analysis, out output) error {
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
