package position

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/cmd/internal/cli"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
	"tengen/search"
)

// scripted plays given actions and writes down what it is told.
type scripted struct {
	actions []game.Action
	told    []string
}

func (s *scripted) Begin(*rand.Rand) { s.told = append(s.told, "begin") }
func (s *scripted) Think(game.State, search.Requests) (game.Action, bool) {
	a := s.actions[0]
	s.actions = s.actions[1:]
	return a, true
}
func (s *scripted) Deliver(search.Evaluations) {}
func (s *scripted) Played(a game.Action)       { s.told = append(s.told, fmt.Sprint(a)) }

var _ player.Agent = (*scripted)(nil)

// typed is what a person types.
func typed(lines ...string) <-chan string {
	c := make(chan string, len(lines))
	for _, l := range lines {
		c <- l
	}
	close(c)
	return c
}

// After undo the other players are told of the game anew, up to the move taken back.
func TestUndo(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	other := &scripted{actions: []game.Action{8, 7, 6, 5}}
	var out strings.Builder
	x := NewGame(g, []Seat{{Name: "human"}, {Name: "scripted", Agent: other}}, 1, &out, false)
	// a3 (0), b3 (1), back twice; b2 (4), end.
	if err := x.Run(t.Context(), typed("a3", "b3", "undo", "undo", "undo", "b2")); err != nil {
		t.Fatal(err)
	}
	want := []string{"begin", "0", "8", "1", "7", // a3, scripted, b3, scripted
		"begin", "0", "8", // undo of b3
		"begin",  // undo of a3; the third has nothing to undo
		"4", "6"} // b2, scripted
	if !slices.Equal(other.told, want) {
		t.Errorf("told %v, want %v", other.told, want)
	}
	if n := strings.Count(out.String(), "there is no move of yours to take back"); n != 1 {
		t.Errorf("%d times nothing to take back, want 1", n)
	}
}

// A game without names and drawing is played by numbers, and chance takes part.
func TestPlainGameWithChance(t *testing.T) {
	ends := map[string]bool{}
	for seed := range uint64(20) {
		var out strings.Builder
		x := NewGame(coin{}, []Seat{{Name: "human"}, {Name: "human"}}, seed, &out, false)
		if err := x.Run(t.Context(),
			typed("x", "-1", "2", "moves", "1", "undo", "0", "1")); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`"x" is no move: the number of one is wanted; "moves" lists them`, `"-1" is no move`,
			`2 can't be played here; "moves" lists what can`, "player 1> 0 1\n", "chance: ",
			"the game is over: ",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out.String())
			}
		}
		_, end, _ := strings.Cut(out.String(), "the game is over: ")
		ends[end] = true
	}
	if len(ends) != 2 || !ends["player 1 1, player 2 0; player 1 wins\n"] ||
		!ends["player 1 0, player 2 1; player 2 wins\n"] {
		t.Errorf("the games end in %v", ends)
	}
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct{ actions, want string }{
		{"0 0 0", "player 1 1, player 2 1; a draw"},
		{"0 1 1", "player 1 0, player 2 1; player 2 wins"},
	} {
		var out strings.Builder
		x := NewGame(coin{}, []Seat{{Name: "human"}, {Name: "human"}}, 1, &out, false)
		for _, word := range strings.Fields(test.actions) {
			a, err := x.parse(word)
			if err != nil {
				t.Fatal(err)
			}
			x.apply(move{action: a})
		}
		x.finish()
		if want := "the game is over: " + test.want + "\n"; !strings.HasSuffix(out.String(), want) {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}

// A pass that is the only move is made without asking.
func TestForcedMovesAreMade(t *testing.T) {
	g := game.Must(game.New("go:rows=1,columns=1,players=2"))
	var out strings.Builder
	x := NewGame(g, []Seat{{Name: "human"}, {Name: "human"}}, 1, &out, false)
	if err := x.Run(t.Context(), typed()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Black: pass, for want of any other move\nWhite: pass, for want of any other move\n",
		"; a draw\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestColors(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2"))
	for _, color := range []bool{false, true} {
		var out strings.Builder
		x := NewGame(g, []Seat{{Name: "human"}, {Name: "human"}}, 1, &out, color)
		if err := x.Run(t.Context(), typed("quit")); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b["); got != color {
			t.Errorf("colours %v, want %v:\n%s", got, color, out.String())
		}
	}
	none := func(string) string { return "" }
	if cli.Colorful(&strings.Builder{}, none) {
		t.Error("a buffer is no terminal")
	}
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if cli.Colorful(file, none) {
		t.Error("a file is no terminal")
	}
}

// searcher is an agent that ponders until it is told of a move.
type searcher struct {
	scripted
	left   int // simulations until it can do no more
	states []uint64
	done   chan struct{}
}

func (s *searcher) CanPonder() bool { return true }
func (s *searcher) Ponder(at game.State, _ search.Evaluator, n int) (bool, error) {
	s.states = append(s.states, at.Hash())
	if s.left > 0 && s.left <= n {
		close(s.done)
	}
	s.left -= n
	return s.left > 0, nil
}

// While a person thinks the players search the position in which the person is to move, in turn and
// until they can do no more; without Ponder they don't.
func TestPonder(t *testing.T) {
	g := game.Must(game.New("tictactoe:players=3"))
	start := g.NewState().Hash()
	for _, ponder := range []bool{true, false} {
		a := &searcher{left: 100, done: make(chan struct{})}
		b := &searcher{left: 1000, done: make(chan struct{})}
		lines := make(chan string)
		x := NewGame(g, []Seat{{Name: "human"}, {Name: "a", Agent: a}, {Name: "b", Agent: b}}, 1,
			io.Discard, false)
		x.Ponder = ponder
		if !x.CanPonder() {
			t.Fatal("nobody can ponder")
		}
		go func() {
			if ponder {
				<-a.done
				<-b.done
			}
			lines <- "board"
			lines <- "quit"
		}()
		if err := x.Run(t.Context(), lines); err != nil {
			t.Fatal(err)
		}
		if !ponder {
			if len(a.states)+len(b.states) > 0 {
				t.Error("players ponder without being told to")
			}
			continue
		}
		// After a line that is no move they are asked again.
		if len(a.states) < 7 || len(a.states) > 9 || len(b.states) < 63 || len(b.states) > 65 ||
			slices.ContainsFunc(slices.Concat(a.states, b.states), func(h uint64) bool {
				return h != start
			}) {
			t.Errorf("a ponders %d times, b %d times; not always the position",
				len(a.states), len(b.states))
		}
	}
}

// pondering is an agent that tells when it has pondered often.
type pondering struct {
	player.Agent
	player.Ponderer
	player.Searching
	left int
	done chan struct{}
}

func (p *pondering) Ponder(s game.State, e search.Evaluator, n int) (bool, error) {
	if p.left -= n; p.left <= 0 && p.left > -n {
		close(p.done)
	}
	return p.Ponderer.Ponder(s, e, n)
}

// What is found while a person thinks counts in the next decision. In games with hidden information
// nobody ponders.
func TestPonderIsKept(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	p, err := player.Parse(g, "uct:simulations=20,reuse=true")
	if err != nil {
		t.Fatal(err)
	}
	plain := p.NewAgent(g)
	agent := &pondering{
		plain, plain.(player.Ponderer), plain.(player.Searching), 2000, make(chan struct{}),
	}
	lines := make(chan string)
	x := NewGame(g, []Seat{{Name: "human"}, {Name: "uct", Agent: agent}}, 1, io.Discard, false)
	x.Ponder = true
	kept := 0
	go func() {
		<-agent.done
		lines <- "b2"
		close(lines)
	}()
	made := x.play.OnMove
	x.play.OnMove = func(m player.Move) {
		if m.By == player.ByAgent {
			kept = max(kept, agent.Result().Stats().Kept)
		}
		made(m)
	}
	if err := x.Run(t.Context(), lines); err != nil {
		t.Fatal(err)
	}
	if kept < 100 {
		t.Errorf("%d nodes are kept", kept)
	}

	hidden := game.Must(game.New("turtle"))
	if p, err = player.Parse(hidden, "uct:simulations=20"); err != nil {
		t.Fatal(err)
	}
	seats := []Seat{{Name: "human"}, {Name: "uct", Agent: p.NewAgent(hidden)}}
	if NewGame(hidden, seats, 1, io.Discard, false).CanPonder() {
		t.Error("a player ponders about what it can't see")
	}
}
