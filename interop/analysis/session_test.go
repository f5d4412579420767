package analysis

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/testkit"
	"tengen/player"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const five = "go:size=5,players=2,pass=free"

// newConfig returns the configuration of a player of a game.
func newConfig(t testing.TB, gameName, name string) Config {
	t.Helper()
	g := game.Must(game.New(gameName))
	p, err := player.Parse(g, name)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Player: p, Game: g, Fixed: player.HasNetwork(p), Visits: player.Simulations(p),
		Version: "1.2", Seed: 7, Parallel: 1,
	}
}

// session is a server that serves a test as it would serve a program.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // what the server writes
	ended chan error  // Serve's error
}

// patience is how long a test waits for a line.
const patience = 2 * time.Minute

func serve(t *testing.T, ctx context.Context, c Config) *session {
	t.Helper()
	server, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	t.Cleanup(func() { inR.Close(); outR.Close() })
	s := &session{t: t, in: inW, lines: make(chan string, 1000), ended: make(chan error, 1)}
	go func() {
		s.ended <- server.Serve(ctx, inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(s.lines)
		b := bufio.NewScanner(outR)
		b.Buffer(nil, 2*maxLine)
		for b.Scan() {
			s.lines <- b.Text()
		}
	}()
	return s
}

func (s *session) send(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			s.t.Fatalf("%s: %v", clip(line), err)
		}
	}
}

func (s *session) line() string {
	s.t.Helper()
	select {
	case text, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the server has ended")
		}
		return text
	case <-time.After(patience):
		s.t.Fatal("the server says nothing")
	}
	return ""
}

// reply is what programs read of an answer of any kind.
type reply struct {
	ID, Error, Field, Warning    string
	Action, TerminateID, Version string
	IsDuringSearch, NoResults    bool
	TurnNumber                   int
	MoveInfos                    []told
	RootInfo                     *told
	Policy                       []float64
	text                         string
}

type told struct {
	Move, CurrentPlayer              string
	Order, Visits                    int
	Prior, LCB, Winrate, Utility     float64
	ScoreLead, ScoreMean, ScoreStdev *float64
	PV                               []string
	PVVisits                         []int
}

// next returns the next answer that is no warning.
func (s *session) next() reply {
	s.t.Helper()
	for {
		if r := s.any(); r.Warning == "" {
			return r
		}
	}
}

func (s *session) any() reply {
	s.t.Helper()
	return s.parse(s.line())
}

func (s *session) parse(text string) reply {
	s.t.Helper()
	r := reply{text: text}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return r
}

// final returns the next answer that is not during a search, and wants it to be that of a query.
func (s *session) final(id string) reply {
	s.t.Helper()
	for {
		r := s.next()
		if r.IsDuringSearch {
			continue
		}
		if r.ID != id || r.Error != "" {
			s.t.Fatalf("%s is no answer to %s", r.text, id)
		}
		return r
	}
}

// end closes the input, and returns Serve's error.
func (s *session) end() error {
	s.t.Helper()
	s.in.Close()
	return s.wait()
}

func (s *session) wait() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(patience):
		s.t.Fatal("the session does not end")
	}
	return nil
}

// ask returns a query about 5×5 points after moves such as "B C3", with further fields.
func ask(id string, visits int, moves string, fields ...string) string {
	var list []string
	for words := strings.Fields(moves); len(words) > 1; words = words[2:] {
		list = append(list, fmt.Sprintf("[%q,%q]", words[0], words[1]))
	}
	text := fmt.Sprintf(`{"id":%q,"rules":{"ko":"POSITIONAL"},"komi":0.5,"boardXSize":5,"boardYSize":5,"maxVisits":%d,"moves":[%s]`,
		id, visits, strings.Join(list, ","))
	for _, f := range fields {
		text += "," + f
	}
	return text + "}"
}
