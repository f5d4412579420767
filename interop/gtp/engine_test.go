package gtp

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
	"tengen/search"
)

// lowest plays the lowest legal action, and records what it is told.
type lowest struct{ agent *lowestAgent }

func newLowest() *lowest { return &lowest{&lowestAgent{}} }

func (*lowest) Name() string                                 { return "lowest" }
func (*lowest) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (l *lowest) NewAgent(g game.Game) player.Agent          { l.agent.game = g; return l.agent }
func (s *lowestAgent) Deliver(search.Evaluations)            {}
func (s *lowestAgent) Begin(*rand.Rand)                      { s.told = nil }
func (s *lowestAgent) Played(a game.Action) {
	s.told = append(s.told, vertex(s.game, a))
}
func (s *lowestAgent) Think(p game.State, _ search.Requests) (game.Action, bool) {
	s.before = slices.Clone(s.told)
	return p.LegalActions(nil)[0], true
}

type lowestAgent struct {
	game   game.Game
	told   []string // since Begin
	before []string // what was told before the last decision
}

func newEngine(t testing.TB, p player.Player, name string) *Engine {
	t.Helper()
	e, err := NewEngine(Config{
		Player: p, Game: game.Must(game.New(name)), Name: "Tengen", Version: "0",
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const five = "go:size=5,players=2,pass=free"

// say sends lines to the engine and returns its answers.
func say(t testing.TB, e *Engine, lines string) string {
	t.Helper()
	var out bytes.Buffer
	if err := e.Serve(t.Context(), strings.NewReader(lines), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// answers reports whether an answer is what a test wants: after "syntax error" it may say more.
func answers(got, want string) bool {
	return got == want ||
		strings.HasSuffix(want, errSyntax.Error()) && strings.HasPrefix(got, want+": ")
}

// A session, answer by answer, derived by hand.
func TestSession(t *testing.T) {
	e := newEngine(t, newLowest(), five)
	for _, c := range []struct{ line, want string }{
		{"protocol_version", "= 2"},
		{"1 name", "=1 Tengen"},
		{"0002 version # a comment", "=0002 0"},
		{"3 known_command genmove", "=3 true"},
		{"known_command fly", "= false"},
		{"  # nothing", ""},
		{"\x01  \t ", ""},
		{"4", "?4 unknown command"},
		{"5 fly", "?5 unknown command"},
		{"PLAY b c3", "? unknown command"},
		{"play", "? syntax error"},
		{"play b", "? syntax error"},
		{"play green c3", "? syntax error"},
		{"play b f1", "? syntax error"},
		{"play b c6", "? syntax error"},
		{"play b resign", "? syntax error"},
		{"p\x02lay\tBlack\tC3\r", "="},
		{"play w c3", "? illegal move"},
		{"play WHITE pass", "="},
		{"genmove b", "= A5"},
		{"6 genmove w more words", "=6 B5"},
		{"final_score", "= B+25"}, // Black c3, a5, White b5, which is dead
		{"komi 0.5", "="},
		{"final_score", "= B+24.5"},
		{"komi lots", "? syntax error"},
		{"komi NaN", "? syntax error"},
		{"komi 0x1p3", `? syntax error: "0x1p3" is no number`},
		{"komi 6,5", `? syntax error: "6,5" is no number`},
		{"komi 1e9", "? unacceptable komi"},
		{"komi -3", "="},
		{"final_score", "= B+28"},
		{"undo", "="},
		{"undo", "="},
		{"undo", "="},
		{"final_score", "= B+28"},
		{"undo", "="},
		{"undo", "? cannot undo"},
		{"final_score", "= B+3"},
		{"komi 0", "="},
		{"final_score", "= 0"},
		// White's stone in the corner is captured; a ko may not be retaken immediately.
		{"play w a1", "="}, // White begins: Black has passed
		{"play b a2", "="},
		{"play w b2", "="},
		{"play b b1", "="},
		{"play w c1", "="},
		{"final_status_list alive", "= B2\nC1"},
		{"final_status_list dead", "= A2\nB1"},
		{"final_status_list seki", "="},
		{"final_status_list dame", "="},
		{"final_status_list pink", "? syntax error"},
		{"play w a1", "= "}, // Black has passed; it takes b1, which the ko began with
		{"play b b1", "? illegal move"},
		{"play b e5", "="},
		// Two stones of a colour in a row, then two passes, then further moves.
		{"play b e4", "="},
		{"play b pass", "="},
		{"play w pass", "="},
		{"genmove b", "= A5"},
		{"showboard", `= 
    a b c d e
 5  X . . . X 5
 4  . . . . X 4
 3  . . . . . 3
 2  X O . . . 2
 1  O . O . . 1
    a b c d e
X Black 4  O White 4  (White to move)`},
		{"boardsize 3", "="},
		{"genmove w", "= A3"},
		{"play w j1", "? syntax error"},
		{"boardsize 20", "? unacceptable size"},
		{"boardsize 0", "? unacceptable size"},
		{"boardsize x", "? syntax error"},
		{"final_score", "= W+9"}, // what it was before
		{"clear_board", "="},
		{"final_score", "= 0"},
		{"boardsize 19", "="},
		{"genmove b", "= A19"},
		{"play w t1", "="},
		{"play b i1", "? syntax error"},
		{"time_settings 10 5 1", "="},
		{"time_settings 10 5", "? syntax error"},
		{"time_settings 10 five 1", "? syntax error"},
		{"time_left b 9 0", "="},
		{"time_left x 9 0", "? syntax error"},
		{"kgs-time_settings none", "="},
		{"kgs-time_settings byoyomi 60 30 5", "="},
		{"kgs-time_settings canadian 60 30", "? syntax error"},
		{"kgs-time_settings hourglass 60",
			"? time settings not supported: there is no system \"hourglass\""},
		{"kgs-time_settings", "? syntax error"},
		{"list_commands", "= " + strings.Join(e.commands(), "\n")},
		{"7 quit", "=7"},
	} {
		got := say(t, e, c.line+"\n")
		if c.want != "" != strings.HasSuffix(got, "\n\n") ||
			!answers(strings.TrimSpace(got), strings.TrimSpace(c.want)) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
	if got := say(t, e, "quit\nname\n"); got != "=\n\n" {
		t.Errorf("after quit it answers %q", got)
	}
}

// Commands that the protocol requires of every engine.
func TestRequiredCommands(t *testing.T) {
	for _, name := range strings.Fields("protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove") {
		if !slices.Contains(newEngine(t, newLowest(), five).commands(), name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// The player is told of all moves: of a pass if a colour moved twice in a row, and not of
// undone moves.
func TestToldOfMoves(t *testing.T) {
	p := newLowest()
	e := newEngine(t, p, five)
	for _, c := range []struct{ lines, want string }{
		{"play b c3\ngenmove w\n", "C3"},
		{"genmove b\n", "C3 A5"},
		{"genmove b\n", "C3 A5 B5 pass"},
		{"genmove w\n", "C3 A5 B5 pass C5"},
		{"undo\nundo\nplay w e1\ngenmove b\n", "C3 A5 B5 E1"},
		{"play w pass\nplay b pass\ngenmove w\n", "C3 A5 B5 E1 C5 pass pass"},
		{"play w c3\ngenmove b\n", "C3 A5 B5 E1 C5 pass pass D5"}, // illegal: it is not told
		{"boardsize 5\ngenmove w\n", "pass"},
	} {
		say(t, e, c.lines)
		if got := strings.Join(p.agent.before, " "); got != c.want {
			t.Errorf("%q: it was told of %q, want %q", c.lines, got, c.want)
		}
	}
}

// Once max_plies actions have been played there are only passes.
func TestFull(t *testing.T) {
	e := newEngine(t, newLowest(), five+",max_plies=3")
	got := say(t, e, "genmove b\ngenmove w\ngenmove b\ngenmove w\nplay b pass\nplay w e1\nundo\nundo\nundo\ngenmove b\n")
	want := strings.Join([]string{"= A5", "= B5", "= C5", "= pass", "=",
		"? illegal move: the game is over: go:size=5,players=2,pass=free,max_plies=3 ends after 3 plies", "=", "=", "=", "= C5", ""}, "\n\n")
	if got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestFixedBoard(t *testing.T) {
	g := game.Must(game.New(five + ",reward=win,max_plies=60"))
	e, err := NewEngine(Config{Player: newLowest(), Game: g, Fixed: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, e, "boardsize 9\nboardsize 5\nkomi 24.5\n"); got !=
		"? unacceptable size\n\n=\n\n=\n\n" {
		t.Errorf("%q", got)
	}
	if name := e.Game().Name(); name !=
		"go:size=5,players=2,komi=[0,24.5],pass=free,reward=win,max_plies=60" {
		t.Errorf("the game is %s", name)
	}
	// A game that is not fixed keeps max_plies if it was set, else has the default of its size.
	e = newEngine(t, newLowest(), five)
	say(t, e, "boardsize 4\n")
	if name := e.Game().Name(); name != "go:size=4,players=2,pass=free" {
		t.Errorf("the game is %s", name)
	}
}

func TestCheckGame(t *testing.T) {
	for name, want := range map[string]string{
		"tictactoe":                               "is not Go: a game such as go:size=5,players=2,pass=free is wanted",
		"go:size=5,players=3,pass=free":           "players=2 is wanted",
		"go:size=5,players=2":                     "pass=free is wanted",
		"go:rows=4,columns=5,players=2,pass=free": "not played on a square board",
	} {
		if _, err := NewEngine(Config{
			Player: newLowest(), Game: game.Must(game.New(name)),
		}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Players that search find the winning capture, again after an undo, and the
// same seed gives the same moves.
func TestPlayers(t *testing.T) {
	play := func() string {
		e := newEngine(t, player.UCT{Simulations: 200, C: 0.8, Utility: player.Points},
			"go:size=3,players=2,pass=free")
		var seen []player.Analysis
		e.config.OnMove = func(_ game.Game, _ game.State, v player.Analysis) {
			seen = append(seen, v)
		}
		out := say(t, e,
			"genmove b\nundo\ngenmove b\ngenmove w\nplay b pass\ngenmove w\nfinal_score\n")
		if len(seen) < 3 {
			t.Errorf("%d decisions were shown", len(seen))
		}
		return out
	}
	first := play()
	if !strings.HasPrefix(first, "= B2\n\n=\n\n= B2\n\n") { // the centre takes all
		t.Errorf("it plays %q", first)
	}
	if again := play(); again != first {
		t.Errorf("the same seed gives %q, then %q", first, again)
	}
}

// The end of the input ends a session, and so does the context.
func TestServeEnds(t *testing.T) {
	e := newEngine(t, newLowest(), five)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if err := e.Serve(ctx, r, io.Discard); err != context.Canceled {
		t.Error(err)
	}
	if err := e.Serve(t.Context(), strings.NewReader(strings.Repeat("x", maxLine+1)),
		io.Discard); err == nil || !strings.Contains(err.Error(), "read commands") {
		t.Error(err)
	}
	if err := e.Serve(t.Context(), strings.NewReader("name\n"), brokenPipe{}); err == nil ||
		!strings.Contains(err.Error(), "answer name") {
		t.Error(err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// For any input every command is answered once, and nothing panics.
func FuzzServe(f *testing.F) {
	f.Add("boardsize 3\ngenmove b\nplay w b2\nundo\nshowboard\nfinal_score\n")
	f.Add("1 komi 7.5\nplay b pass\nplay w pass\nplay w a1\ngenmove w\ntime_settings 1 2 3\ntime_left b 1 1\n")
	f.Add("# c\n\n17\nquit\nname\n")
	f.Add("kata-analyze b 1 avoid b a1,b2 1 ownership true\n\nlz-genmove_analyze w 1\nanalyze 5\nkata-analyze w maxmoves 2 rootInfo true pvVisits true\n")
	f.Add("set_free_handicap a1 b2\nset_position b a1 w b2\ngogui-setup_player w\nprintsgf\ngg-undo 2\nloadsgf x 3\nplace_free_handicap 3\n")
	f.Add("kata-set-rule ko SIMPLE\nkata-set-rules {\"ko\":\"POSITIONAL\"}\nkata-get-rules\nkata-get-param maxPlayouts\ntengen-search b\nget_komi\n")
	f.Fuzz(func(t *testing.T, lines string) {
		if strings.Contains(lines, "\r") { // a scanner takes these for parts of a line's end
			return
		}
		asked, quit := 0, false
		for _, line := range strings.Split(lines, "\n") {
			if c, ok := ParseCommand(line); ok && !quit {
				asked++
				quit = c.Name == "quit"
			}
		}
		e := newEngine(t, newLowest(), "go:size=2,players=2,pass=free")
		if strings.Contains(lines, "analy") {
			e = newEngine(t, player.UCT{Simulations: 3, C: 0.8, Utility: player.Unit},
				"go:size=2,players=2,pass=free")
		}
		e.config.ReadFile = func(path string) ([]byte, error) {
			return []byte("(;SZ[2]AB[aa];W[bb])"), nil
		}
		out := say(t, e, lines)
		if got := strings.Count(out, "\n\n"); got != asked {
			t.Errorf("%d commands, %d answers: %q", asked, got, out)
		}
	})
}
