package gtp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/testkit"
	"tengen/interop/sgf"
	"tengen/player"
)

// TestMain runs the fake program if the first argument is "fake": it speaks the protocol with
// the fault that the second argument names. Otherwise it runs the tests and checks that none
// leaves a goroutine running.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake" {
		fake(os.Args[2])
		return
	}
	testkit.Main(m)
}

// fakeCommand returns the command of the fake program.
func fakeCommand(mode string) string { return fmt.Sprintf("'%s' fake %s", os.Args[0], mode) }

func fake(mode string) {
	e, err := NewEngine(Config{
		Player: newLowest(), Game: game.Must(game.New(five)), Name: "Fake", Version: mode,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println("welcome") // which is no answer
	moves := 0
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		c, ok := ParseCommand(s.Text())
		if !ok {
			continue
		}
		if c.Name == "genmove" || c.Name == "play" {
			moves++
		}
		if c.Name == "clear_board" {
			moves = 0
		}
		text, err := e.Do(c)
		switch {
		case c.Name == "final_score" && mode == "miscounts":
			text, err = "W+99.5", nil
		case c.Name == "final_score" && mode == "silent":
			text, err = "", errors.New("cannot score")
		case mode == "mute" && moves > 1:
			hang()
		case mode == "dies" && moves > 1:
			os.Stdout.Close()
			time.Sleep(100 * time.Millisecond) // as a program on a busy machine may
			fmt.Fprintln(os.Stderr, "first line\nout of luck")
			os.Exit(3)
		case mode == "fails" && c.Name == "quit":
			os.Exit(4)
		case mode == "deaf" && c.Name == "quit":
			hang()
		case mode == "refuses" && c.Name == "play" && moves > 3:
			text, err = "", errIllegal
		case mode == "small" && c.Name == "boardsize":
			text, err = "", errSize
		case c.Name == "genmove" && moves > 3:
			switch mode {
			case "resigns":
				text = "Resign"
			case "repeats":
				text = "a5"
			case "raves":
				text = "zz9"
			}
		}
		fmt.Print(strings.ReplaceAll(answer(c.ID, text, err), "\n", "\r\n"))
		if c.Name == "quit" {
			return
		}
	}
}

// hang never returns. An empty select would be a deadlock, of which a program without cgo dies.
func hang() { time.Sleep(time.Hour) }

func newMatch(mode string) *Match {
	return &Match{
		Config:  Config{Player: newLowest(), Game: game.Must(game.New(five + ",max_plies=40"))},
		Command: fakeCommand(mode), Games: 4,
	}
}

// Two players of the lowest point play one distinct game. Its result is that of the board,
// whatever score the other program gives.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		mode            string
		counted, agrees int
	}{{"well", 4, 0}, {"miscounts", 4, 0}, {"silent", 0, 0}} {
		m := newMatch(c.mode)
		var records []*sgf.Record
		m.OnGame = func(r *Result, record *sgf.Record) error {
			records = append(records, record)
			return nil
		}
		done := 0
		r, err := m.Play(t.Context(), func(n, all int) { done = n })
		if err != nil {
			t.Fatal(err)
		}
		if done != 4 || len(r.Results) != 4 || r.Distinct != 2 || r.Opponent != "Fake "+c.mode {
			t.Errorf("%s: %+v", c.mode, r)
		}
		own := 0
		for _, g := range r.Results {
			if g.OwnFinalScore == g.Score {
				own++
			}
			if c.mode == "well" && g.OwnFinalScore != g.TheirFinalScore {
				t.Errorf("the engine counts %s and %s", g.OwnFinalScore, g.TheirFinalScore)
			}
		}
		if r.OwnCounted != 4 || r.OwnAgrees != own || r.TheirCounted != c.counted ||
			r.TheirAgrees != c.agrees {
			t.Errorf("%s: final scores %d/%d and %d/%d",
				c.mode, r.OwnAgrees, r.OwnCounted, r.TheirAgrees, r.TheirCounted)
		}
		for i, g := range r.Results {
			if g.Black != (i%2 == 0) || !slices.Equal(g.Moves, r.Results[0].Moves) ||
				g.Score != r.Results[0].Score {
				t.Errorf("game %d: %+v", i, g)
			}
			// The record has the same moves, result and players.
			end, err := records[i].Play(m.Game, len(records[i].Moves))
			if err != nil || sgf.ResultOf(sgf.Margin(end)) != g.Score ||
				records[i].Result != g.Score || len(records[i].Moves) != len(g.Moves) {
				t.Errorf("record %d: %v %+v", i, err, records[i])
			}
			if who := records[i].Names[i%2]; who != "lowest" {
				t.Errorf("record %d: the player is called %s", i, who)
			}
			margin, _ := sgf.MarginOf(g.Score)
			if want := margin * float64(1-2*(i%2)); g.Margin != want {
				t.Errorf("game %d: the margin is %v, want %v", i, g.Margin, want)
			}
		}
	}
}

// Pairs of games have the same opening, and different pairs different ones.
func TestOpenings(t *testing.T) {
	m := newMatch("well")
	m.Opening, m.Games = 3, 6
	r, err := m.Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		same := slices.Equal(r.Results[0].Moves[:3], r.Results[i].Moves[:3])
		if same != (i < 2) || slices.Contains(r.Results[i].Moves[:3], "pass") {
			t.Errorf("game %d opens with %v, game 0 with %v",
				i, r.Results[i].Moves[:3], r.Results[0].Moves[:3])
		}
	}
	again, err := m.Play(t.Context(), nil)
	if err != nil ||
		!slices.EqualFunc(r.Results, again.Results, func(a, b Result) bool {
			return slices.Equal(a.Moves, b.Moves)
		}) {
		t.Error("the same seed gives other games")
	}
}

// A resigned game counts for the other player, a void game for nobody.
func TestBrokenOff(t *testing.T) {
	for _, c := range []struct{ mode, ended, why string }{
		{"resigns", EndedResigned, ""},
		{"repeats", EndedIllegal, "its move a5 is illegal in " + five},
		{"refuses", EndedRefused, `it answers "play`},
	} {
		m := newMatch(c.mode)
		r, err := m.Play(t.Context(), nil)
		if err != nil {
			t.Errorf("%s: %v", c.mode, err)
			continue
		}
		for _, g := range r.Results {
			if g.Ended != c.ended || !strings.HasPrefix(g.Why, c.why) || g.Score != "" {
				t.Errorf("%s: %+v", c.mode, g)
			}
		}
		void := c.ended != EndedResigned
		if r.Black.Margin.N != 0 || void != (r.Black.Void == 2 && r.Black.Games == 0) ||
			!void != (r.Black.Wins == 2 && r.White.Wins == 2) {
			t.Errorf("%s: %+v", c.mode, r.Black)
		}
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil ||
			void != strings.Contains(b.String(), "game 3 is void: "+c.why) {
			t.Errorf("%s: %v\n%s", c.mode, err, b.String())
		}
	}
}

// An error that ends a match names the command and quotes the program.
func TestMatchErrors(t *testing.T) {
	for mode, want := range map[string]string{
		"dies":  `: it ended; it said: out of luck`,
		"raves": `its move is "zz9", which is no point of the board`,
		"small": `game 1: it answers "boardsize 5" with "? unacceptable size"`,
		"fails": "exit status 4",
	} {
		if _, err := newMatch(mode).Play(t.Context(), nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	for command, want := range map[string]string{
		"/no/such/program": "start /no/such/program",
		" ":                "the command of a program that speaks GTP is wanted",
		"gnugo 'mode":      "a quote ' is not closed",
	} {
		m := newMatch("well")
		m.Command = command
		if _, err := m.Play(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	m := newMatch("well")
	m.Games = 0
	if _, err := m.Play(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "a match of 0 games") {
		t.Error(err)
	}
	m = newMatch("well")
	m.OnGame = func(*Result, *sgf.Record) error { return io.ErrShortWrite }
	if _, err := m.Play(t.Context(), nil); err != io.ErrShortWrite {
		t.Error(err)
	}
}

// A program that does not answer is left when the context ends.
func TestMatchStops(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := newMatch("mute").Play(ctx, nil)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 2*time.Minute {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// A program that does not answer in time ends the match, with one line.
func TestPatience(t *testing.T) {
	m := newMatch("mute")
	m.Patience = 100 * time.Millisecond
	if _, err := m.Play(t.Context(), nil); err == nil ||
		!strings.HasSuffix(err.Error(), `: no answer within 100ms`) {
		t.Errorf("a program that is silent: %v", err)
	}
}

// A match that is stopped, or whose program fails, has the report of the games before.
func TestMatchInterrupted(t *testing.T) {
	broken := errors.New("no more")
	for _, stop := range []error{context.Canceled, broken} {
		ctx, cancel := context.WithCancel(t.Context())
		m := newMatch("well")
		m.Games = 20
		m.OnGame = func(r *Result, _ *sgf.Record) error {
			switch {
			case r.Number == 3 && stop == broken:
				return broken
			case r.Number == 2 && stop == context.Canceled:
				cancel()
			}
			return nil
		}
		r, err := m.Play(ctx, nil)
		if i := arena.InterruptedBy(err); !errors.Is(err, stop) || i == nil || i.Games != 3 ||
			i.Planned != 20 || r.Interrupted != i {
			t.Fatalf("%v, %+v", err, r)
		}
		if r.Black.Games != 2 || r.White.Games != 1 || len(r.Results) != 3 {
			t.Errorf("%+v", r)
		}
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil ||
			!strings.HasSuffix(b.String(), "\n3 of 20 games; interrupted\n") {
			t.Errorf("%v\n%s", err, &b)
		}
	}
}

// A program that does not quit is killed.
func TestClose(t *testing.T) {
	t.Parallel() // it takes closing
	c, err := Start(fakeCommand("deaf"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := c.Ask(t.Context(), "name"); text != "Fake" || err != nil {
		t.Error(text, err)
	}
	began := time.Now()
	if err := c.Close(); err != nil || time.Since(began) > closing+2*time.Minute {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		`gnugo --mode gtp`:        `["gnugo" "--mode" "gtp"]`,
		` 'a b'c  "d'e" "" `:      `["a bc" "d'e" ""]`,
		`C:\go\gnugo.exe` + "\tx": `["C:\\go\\gnugo.exe" "x"]`,
	} {
		words, err := split(text)
		if got := fmt.Sprintf("%q", words); err != nil || got != want {
			t.Errorf("%s: %s %v", text, got, err)
		}
	}
}

// findGNUGo returns the path of GNU Go, which Debian installs outside PATH.
func findGNUGo() string {
	for _, name := range []string{"gnugo", "/usr/games/gnugo"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// The player and GNU Go understand each other, and agree on scores though stones are left that are
// dead.
func TestGNUGo(t *testing.T) {
	path := findGNUGo()
	if path == "" {
		t.Skip("GNU Go is not installed (Debian's package gnugo): no match with it is played")
	}
	dir := t.TempDir()
	m := &Match{
		Config: Config{
			Player: player.UCT{Simulations: 60, C: 0.8, Utility: player.Unit},
			Game:   game.Must(game.New("go:size=5,players=2,komi=[0,0.5],pass=free")), Seed: 5,
		},
		Command: path + " --mode gtp --level 1 --boardsize 5 --chinese-rules --positional-superko --never-resign --seed 1",
		Games:   4, Opening: 1,
		OnGame: func(r *Result, record *sgf.Record) error {
			f, err := os.Create(filepath.Join(dir, fmt.Sprint(r.Number, ".sgf")))
			if err != nil {
				return err
			}
			defer f.Close()
			return record.Write(f)
		},
	}
	r, err := m.Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Opponent != "GNU Go 3.8" {
		t.Logf("it is %s", r.Opponent)
	}
	for _, g := range r.Results {
		if !g.Finished() || g.OwnFinalScore == "" || g.OwnFinalScore != g.TheirFinalScore {
			t.Errorf("%+v", g)
		}
	}
	// GNU Go reads our records and shows the same last position.
	c, err := Start(m.Command)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, g := range r.Results {
		name := filepath.Join(dir, fmt.Sprint(i, ".sgf"))
		if _, err := c.Ask(t.Context(), "loadsgf "+name); err != nil {
			t.Error(err)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := sgf.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		end, err := record.Play(m.Game, len(g.Moves))
		if err != nil {
			t.Fatal(err)
		}
		for color, letter := range []string{"black", "white"} {
			got, err := c.Ask(t.Context(), "list_stones "+letter)
			want := stonesOf(m.Game, end, game.Player(color))
			have := strings.Fields(got)
			slices.Sort(have)
			if err != nil || !slices.Equal(have, want) {
				t.Errorf("%s: %s stones are %v, want %v (%v)", name, letter, have, want, err)
			}
		}
	}
}

// stonesOf returns the points of a colour, sorted by name.
func stonesOf(g game.Game, s game.State, color game.Player) (list []string) {
	for p, c := range goban.Stones(s, nil) {
		if c == color {
			list = append(list, vertex(g, game.Action(p)))
		}
	}
	slices.Sort(list)
	return list
}
