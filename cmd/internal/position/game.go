package position

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// Seat says who plays in a seat: a person if Agent is nil.
type Seat struct {
	Name      string
	Agent     player.Agent
	Evaluator search.Evaluator // the agent's; nil where it needs none
}

// Game is a game among persons at this terminal and other players.
type Game struct {
	game  game.Game
	seats []Seat
	seed  uint64
	out   io.Writer
	color bool
	// viewer is the person to whom alone the terminal is shown; game.Nobody where
	// nothing is hidden from anybody.
	Viewer game.Player
	// Ponder makes the players that can search while a person thinks.
	Ponder bool
	// Resign is the utility below which a player resigns: when its searches have found less for it
	// at resignAfter of its decisions in a row. 0: none does. It is for games of two in which one
	// wins what the other loses.
	Resign float64
	// Editor reads what persons type; nil: Run's lines are read.
	Editor *cli.Editor
	// Hints is the player that is asked for hints; nil: there are none.
	Hints player.Player
	// Save writes the game so far to a file; nil: it can't be saved.
	Save func(path string, actions []game.Action) error

	play       *player.Game
	state      game.State // of play
	evaluators []search.Evaluator
	chance     *rand.Rand
	record     []move // of the game so far
	analysis   string // of the player who decided last, "" where nobody did
	shown      bool   // the position, as it is
	// the drawing before the last action, where nothing is hidden
	before string
	// others have moved in secret since the position was shown
	concealed bool
	believed  func(s game.State) []string // see Believe; nil: nothing
	hopeless  [game.MaxPlayers]int        // by player: its last decisions in a row below Resign
	resigned  bool                        // the player to move has resigned
	luck      []string                    // what chance has brought since the position was shown
}

// move is one action of the game.
type move struct {
	action game.Action
	person bool // chosen by a person
}

// NewGame returns a game that begins. The streams of chance and of the players follow from seed.
func NewGame(g game.Game, seats []Seat, seed uint64, out io.Writer, color bool) *Game {
	t := &Game{
		game: g, seats: seats, seed: seed, out: out, color: color, Viewer: game.Nobody,
		chance: random.New(seed, random.Arena, 0, 0), play: player.NewGame(g),
	}
	t.state = t.play.State()
	for _, s := range seats {
		t.evaluators = append(t.evaluators, s.Evaluator)
	}
	t.replay(nil)
	return t
}

// replay restarts the game and plays moves, which are legal.
func (t *Game) replay(moves []move) {
	o := player.Setup{Seed: t.seed, Purpose: random.Arena, Chance: t.chance}
	for i, s := range t.seats {
		o.Seats = append(o.Seats, player.Seat{
			Agent: s.Agent, Rand: random.New(t.seed, random.Arena, 0, uint64(i)+1), Evaluator: i,
		})
	}
	t.record, t.analysis, t.play.OnMove, t.before = nil, "", nil, ""
	t.hopeless, t.resigned = [game.MaxPlayers]int{}, false
	t.play.Start(o)
	for _, m := range moves {
		if err := t.apply(m); err != nil {
			panic("play: " + err.Error())
		}
	}
	t.play.OnMove = t.made
}

// apply plays a move, or returns an error if it is not legal.
func (t *Game) apply(m move) error {
	before := t.plain()
	err := t.play.Play(m.action)
	if err == nil {
		t.before = before
		t.record = append(t.record, m)
	}
	return err
}

// made reports a move that no person made.
func (t *Game) made(m player.Move) {
	if m.By == player.ByCaller {
		return
	}
	if t.resigned = t.despairs(m); t.resigned {
		return // it is not played
	}
	t.record = append(t.record, move{action: m.Action})
	t.before = t.plain() // OnMove is called before the action is applied
	name := game.ActionName(t.game, t.state, m.Action)
	switch {
	case t.Viewer != game.Nobody && m.By != player.ByChance &&
		game.Conceals(t.state, m.Action, t.Viewer):
		t.concealed = true
	case m.By == player.ByChance:
		t.shown = false
		if t.Viewer == game.Nobody {
			t.luck = append(t.luck, name)
		}
	case m.By == player.ByForce && int(m.Action) >= t.game.Actions():
		t.say("%s: %s, for want of any other move", game.SeatName(t.game, m.Player), name)
	default:
		t.shown = false
		who := fmt.Sprintf("%s (%s)", game.SeatName(t.game, m.Player), t.seats[m.Player].Name)
		if v, ok := m.Agent.(player.Analyzer); ok {
			t.analysis = cli.AnalysisOf(t.game, t.state, v).Text(who, cli.DefaultMoves)
		}
		t.say("%s: %s", who, name)
	}
}

// resignAfter is the number of hopeless decisions in a row after which a player resigns: one search
// may err.
const resignAfter = 3

// despairs reports whether a player resigns in place of a move.
func (t *Game) despairs(m player.Move) bool {
	s, ok := m.Agent.(player.Searching)
	if !ok || t.Resign == 0 {
		return false
	}
	utilities := make([]float32, t.game.Players())
	s.Result().Value(utilities)
	if n := &t.hopeless[m.Player]; float64(utilities[m.Player]) < t.Resign {
		*n++
	} else {
		*n = 0
	}
	return t.hopeless[m.Player] >= resignAfter
}

// Run plays the game to its end, or until a person leaves it. lines are the typed lines.
func (t *Game) Run(ctx context.Context, lines <-chan string) error {
	for i, s := range t.seats {
		t.say("%s: %s", game.SeatName(t.game, game.Player(i)), s.Name)
	}
	t.say("")
	for !t.play.Over() {
		if t.state.CurrentPlayer() != game.Chance {
			t.show()
		}
		if !t.play.Waiting() {
			mover := t.state.CurrentPlayer()
			if _, err := t.play.Next(ctx, t.evaluators); err != nil {
				return err
			}
			if t.resigned {
				t.say("%s (%s) resigns; %s wins", game.SeatName(t.game, mover), t.seats[mover].Name,
					game.SeatName(t.game, 1-mover))
				return nil
			}
			continue
		}
		left, err := t.ask(ctx, lines, t.play.LegalActions())
		if left || err != nil {
			return err
		}
		t.shown = false
	}
	t.show()
	t.finish()
	return nil
}

// ask asks a person for a move and plays it, or takes one back. left reports whether the person
// leaves the game.
func (t *Game) ask(
	ctx context.Context, lines <-chan string, legal []game.Action,
) (left bool, err error) {
	mover := game.SeatName(t.game, t.state.CurrentPlayer())
	for {
		line, err := t.read(ctx, lines, mover+"> ")
		if err == io.EOF {
			t.say("\nthe game is left unfinished")
			return true, nil
		}
		if err != nil {
			t.say("")
			return false, err
		}
		word, rest, _ := strings.Cut(line, " ")
		if strings.EqualFold(word, "save") && t.Save != nil {
			t.save(strings.TrimSpace(rest))
			continue
		}
		switch strings.ToLower(line) {
		case "":
		case "hint":
			if err := t.hint(ctx); err != nil {
				return false, err
			}
		case "resign":
			t.resign()
			return true, nil
		case "help", "?":
			t.help(game.ActionName(t.game, t.state, legal[0]))
		case "moves":
			t.say("%s", t.names(legal))
		case "board":
			t.draw()
		case "why":
			if t.Viewer != game.Nobody {
				t.say("what others think would tell what they hold")
				continue
			}
			if t.analysis == "" {
				t.say("no player that searches has moved yet")
				continue
			}
			fmt.Fprint(t.out, folded(t.analysis))
		case "quit", "exit":
			t.say("the game is left unfinished")
			return true, nil
		case "undo":
			if !t.undo() {
				t.say("there is no move of yours to take back")
				continue
			}
			return false, nil
		default:
			a, err := t.parse(line)
			if err != nil {
				t.say("%v", err)
			} else if t.apply(move{action: a, person: true}) == nil {
				return false, nil
			} else {
				t.say(`%s can't be played here; "moves" lists what can`,
					game.ActionName(t.game, t.state, a))
			}
		}
	}
}

// read returns the next line that is typed, or io.EOF. Until then the players ponder.
func (t *Game) read(ctx context.Context, lines <-chan string, prompt string) (string, error) {
	var typed <-chan cli.Typed
	if t.Editor != nil {
		var err error
		if typed, err = t.Editor.Ask(prompt); err != nil {
			return "", err
		}
		defer t.Editor.Close()
		lines = nil
	} else {
		fmt.Fprint(t.out, prompt)
	}
	var pondering []game.Player
	if t.Ponder {
		pondering = t.ponderers()
	}
	for {
		var search <-chan struct{} // nil, which blocks, if nobody ponders
		if len(pondering) > 0 {
			search = always
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case text, ok := <-lines:
			if !ok {
				return "", io.EOF
			}
			return strings.TrimSpace(text), nil
		case line := <-typed:
			if line.Err == cli.ErrInterrupted {
				return "", context.Canceled
			}
			return strings.TrimSpace(line.Text), line.Err
		case <-search:
		}
		// Each in turn, by so few simulations that a line is noticed soon.
		p := pondering[0]
		pondering = pondering[1:]
		more, err := t.play.Ponder(p, t.evaluators[p], ponderedAtOnce)
		if err != nil {
			return "", err
		}
		if more {
			pondering = append(pondering, p)
		}
	}
}

// ponderedAtOnce is the number of simulations between two looks at what was typed.
const ponderedAtOnce = 16

// always is a channel from which one can always receive.
var always = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// ponderers lists the players that can search while a person thinks.
func (t *Game) ponderers() (list []game.Player) {
	for i := range t.seats {
		if p := game.Player(i); t.play.CanPonder(p) {
			list = append(list, p)
		}
	}
	return list
}

// CanPonder reports whether a player can search while a person thinks.
func (t *Game) CanPonder() bool { return len(t.ponderers()) > 0 }

// show shows the outcomes of chance since the last position shown, and the position, unless it is
// shown already.
func (t *Game) show() {
	if mover := t.state.CurrentPlayer(); t.concealed &&
		(mover == t.Viewer || mover == game.Nobody) {
		t.concealed, t.shown = false, false
	}
	if t.shown {
		return
	}
	if len(t.luck) > 0 {
		t.say("chance: %s", listed(t.luck))
		t.luck = nil
	}
	t.draw()
	t.shown = true
}

// parse parses a move in the notation of the game.
func (t *Game) parse(text string) (game.Action, error) {
	return ParseMove(t.game, t.state, text)
}

// undo takes back the last move of a person and all after it.
func (t *Game) undo() bool {
	for i, m := range slices.Backward(t.record) {
		if m.person {
			t.replay(slices.Clone(t.record[:i]))
			return true
		}
	}
	return false
}

func (t *Game) names(actions []game.Action) string {
	words := make([]string, len(actions))
	for i, a := range actions {
		words[i] = game.ActionName(t.game, t.state, a)
	}
	return listed(words)
}

// listed joins the names of actions.
func listed(words []string) string {
	separator := " "
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, " ") }) {
		separator = ", "
	}
	return strings.Join(words, separator)
}

// draw shows the position, if the game can draw it.
func (t *Game) draw() {
	if t.Viewer != game.Nobody {
		fmt.Fprint(cli.Colored(t.out),
			folded(t.state.(game.SeatDrawn).DrawFor(t.Viewer, t.color)), "\n")
		return
	}
	if d, ok := t.state.(game.Drawn); ok {
		text := d.Draw(t.color)
		if t.before != "" {
			text = marked(t.before, d.Draw(false), text)
		}
		fmt.Fprint(cli.Colored(t.out), folded(text), "\n")
	}
}

// plain returns the drawing of the position without colours; "" if the game draws none or hides
// something.
func (t *Game) plain() string {
	d, ok := t.state.(game.Drawn)
	if _, hidden := t.state.(game.ImperfectInformation); !ok || hidden {
		return ""
	}
	return d.Draw(false)
}

// finish prints the result of the game.
func (t *Game) finish() {
	scores, returns := make([]float32, t.game.Players()), make([]float32, t.game.Players())
	game.Scores(t.state, scores)
	t.state.Returns(returns)
	best := slices.Max(returns)
	var all, first []string
	for i := range t.seats {
		name := game.SeatName(t.game, game.Player(i))
		all = append(all, fmt.Sprintf("%s %g", name, scores[i]))
		if returns[i] == best {
			first = append(first, name)
		}
	}
	verdict := first[0] + " wins"
	if len(first) > 1 {
		verdict = strings.Join(first[:len(first)-1], ", ") + " and " + first[len(first)-1] +
			" share the first place"
	}
	if len(first) == len(t.seats) && len(first) > 1 {
		verdict = "a draw"
	}
	t.say("the game is over: %s; %s", strings.Join(all, ", "), verdict)
}

func (t *Game) say(form string, args ...any) {
	fmt.Fprint(t.out, folded(fmt.Sprintf(form+"\n", args...)))
}
