package cmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
)

// seat is a seat of the table: a person's, where it has no mind.
type seat struct {
	name string
	mind *mind
}

// mind is a player that thinks for itself, with what evaluates for it (nil where
// it needs nothing).
type mind struct {
	seat      *player.ObservingAgent
	evaluator search.Evaluator
}

// choose is the mind's action in s.
func (m *mind) choose(s game.State) game.Action { return player.Decide(m.seat, s, m.evaluator) }

// guided is a Game that explains to a person, in a few lines, what its drawings show
// and how its moves are typed.
type guided interface{ Guide() string }

// table is one game among persons at this terminal and other players.
type table struct {
	game  game.Game
	seats []seat
	seed  uint64
	out   io.Writer
	color bool
	// viewer is the person for whose eyes alone the terminal is, game.Nobody
	// where nothing is to be kept from anybody.
	viewer game.Player

	state   game.State
	chance  *rand.Rand
	record  []move // of the game so far
	thought string // of the player who decided last, "" where nobody did
}

// move is one action of the game.
type move struct {
	action game.Action
	person bool // chosen by a person
}

func newTable(g game.Game, seats []seat, seed uint64, out io.Writer, color bool) *table {
	t := &table{game: g, seats: seats, seed: seed, out: out, color: color, viewer: game.Nobody, chance: stream.New(seed, stream.Arena, 0, 0)}
	t.replay(nil)
	return t
}

// replay begins the game afresh and plays the moves that are given, of which
// every mind is told as if they had just happened.
func (t *table) replay(moves []move) {
	t.state = t.game.NewState()
	t.record, t.thought = nil, ""
	for i, s := range t.seats {
		if s.mind != nil {
			s.mind.seat.Begin(t.seed, 0, game.Player(i))
		}
	}
	for _, m := range moves {
		t.apply(m)
	}
}

func (t *table) apply(m move) {
	for _, s := range t.seats {
		if s.mind != nil {
			s.mind.seat.Played(t.state, m.action)
		}
	}
	t.state.Apply(m.action)
	t.record = append(t.record, m)
}

// play plays the game to its end, or until the persons leave it. lines are
// what they type.
func (t *table) play(ctx context.Context, lines <-chan string) error {
	for i, s := range t.seats {
		t.say("%s: %s", game.SeatName(t.game, game.Player(i)), s.name)
	}
	t.say("")
	shown := false    // the position, as it is
	var luck []string // what chance has brought since it was
	var legal []game.Action
	for t.state.CurrentPlayer() != game.Nobody {
		if err := ctx.Err(); err != nil {
			return err
		}
		mover := t.state.CurrentPlayer()
		if mover == game.Chance {
			a := t.state.(game.Chancer).Sample(t.chance)
			if t.viewer == game.Nobody {
				luck = append(luck, game.ActionName(t.game, t.state, a))
			}
			t.apply(move{action: a})
			shown = false
			continue
		}
		if !shown {
			t.tellLuck(&luck)
			t.draw()
			shown = true
		}
		s := t.seats[mover]
		legal = t.state.LegalActions(legal[:0])
		switch {
		case len(legal) == 1 && int(legal[0]) >= t.game.Actions():
			t.say("%s: %s, for want of any other move", game.SeatName(t.game, mover), game.ActionName(t.game, t.state, legal[0]))
			t.apply(move{action: legal[0]})
		case s.mind == nil:
			left, err := t.ask(ctx, lines, legal)
			if left || err != nil {
				return err
			}
			shown = false
		default:
			a := legal[0]
			if len(legal) > 1 {
				a = s.mind.choose(t.state)
				t.remember(s)
			}
			t.say("%s (%s): %s", game.SeatName(t.game, mover), s.name, game.ActionName(t.game, t.state, a))
			t.apply(move{action: a})
			shown = false
		}
	}
	if !shown {
		t.tellLuck(&luck)
		t.draw()
	}
	t.finish()
	return nil
}

// ask has a person move, or take a move back. left says that they leave.
func (t *table) ask(ctx context.Context, lines <-chan string, legal []game.Action) (left bool, err error) {
	mover := game.SeatName(t.game, t.state.CurrentPlayer())
	for {
		fmt.Fprintf(t.out, "%s> ", mover)
		var line string
		select {
		case <-ctx.Done():
			t.say("")
			return false, ctx.Err()
		case text, ok := <-lines:
			if !ok {
				t.say("\nthe game is left unfinished")
				return true, nil
			}
			line = strings.TrimSpace(text)
		}
		switch strings.ToLower(line) {
		case "":
		case "help", "?":
			t.say("a move (%s), or: moves, board, why, undo, quit", game.ActionName(t.game, t.state, legal[0]))
			if g, ok := t.game.(guided); ok {
				fmt.Fprint(t.out, g.Guide())
			}
		case "moves":
			t.say("%s", t.names(legal))
		case "board":
			t.draw()
		case "why":
			if t.viewer != game.Nobody {
				t.say("what others think would tell what they hold")
				continue
			}
			if t.thought == "" {
				t.say("no player that searches has moved yet")
				continue
			}
			fmt.Fprint(t.out, t.thought)
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
			switch {
			case err != nil:
				t.say("%v", err)
			case !slices.Contains(legal, a):
				t.say(`%s can't be played here; "moves" lists what can`, game.ActionName(t.game, t.state, a))
			default:
				t.apply(move{action: a, person: true})
				return false, nil
			}
		}
	}
}

// tellLuck says what chance has brought, and forgets it.
func (t *table) tellLuck(luck *[]string) {
	if len(*luck) > 0 {
		t.say("chance: %s", listed(*luck))
		*luck = nil
	}
}

// remember keeps what the mind in s, whose decision the position is, thought of it.
func (t *table) remember(s seat) {
	if v, ok := s.mind.seat.Analyzer(); ok {
		who := fmt.Sprintf("%s (%s)", game.SeatName(t.game, t.state.CurrentPlayer()), s.name)
		t.thought = thoughtOf(t.game, t.state, v).text(who, thoughtMoves)
	}
}

// parse reads a move as the game writes it.
func (t *table) parse(text string) (game.Action, error) { return parseMove(t.game, t.state, text) }

// parseMove reads a move of s as the game writes it, or by its number where the
// game names none.
func parseMove(g game.Game, s game.State, text string) (game.Action, error) {
	if n, ok := g.(game.Notated); ok {
		return n.ParseAction(s, text)
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return game.NoAction, fmt.Errorf(`%q is no move: the number of one is wanted; "moves" lists them`, text)
	}
	return game.Action(n), nil
}

// undo goes back to where a person moved last.
func (t *table) undo() bool {
	for i, m := range slices.Backward(t.record) {
		if m.person {
			t.replay(slices.Clone(t.record[:i]))
			return true
		}
	}
	return false
}

func (t *table) names(actions []game.Action) string {
	words := make([]string, len(actions))
	for i, a := range actions {
		words[i] = game.ActionName(t.game, t.state, a)
	}
	return listed(words)
}

// listed are the names of actions one after the other.
func listed(words []string) string {
	separator := " "
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, " ") }) {
		separator = ", "
	}
	return strings.Join(words, separator)
}

// draw shows the position, if the game draws itself.
func (t *table) draw() {
	if t.viewer != game.Nobody {
		fmt.Fprint(t.out, t.state.(game.SeatDrawn).DrawFor(t.viewer, t.color), "\n")
		return
	}
	if d, ok := t.state.(game.Drawn); ok {
		fmt.Fprint(t.out, d.Draw(t.color), "\n")
	}
}

// finish says how the game ended.
func (t *table) finish() {
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
		verdict = strings.Join(first[:len(first)-1], ", ") + " and " + first[len(first)-1] + " share the first place"
	}
	if len(first) == len(t.seats) && len(first) > 1 {
		verdict = "a draw"
	}
	t.say("the game is over: %s; %s", strings.Join(all, ", "), verdict)
}

func (t *table) say(form string, args ...any) { fmt.Fprintf(t.out, form+"\n", args...) }

// readLines hands on what is typed, line by line, and closes the channel at the
// end. Its goroutine ends with r.
func readLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}
