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

// What is wrong is answered with one line that names the field, and the server goes on.
func TestWrongInput(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "az:go-5x5x2,simulations=10"))
	query := func(old, new string) string {
		text := ask("q", 10, "B C3")
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return strings.Replace(text, old, new, 1)
	}
	with := func(fields ...string) string { return ask("q", 10, "B C3", fields...) }
	for _, x := range []struct{ line, field, text string }{
		{"hello", "", "could not parse input line as json request: invalid character"},
		{"{", "", "it ends too early"},
		{`{"id":"q"} {}`, "", "there is more after the first value"},
		{`["id"]`, "", "not an object"},
		{"null", "", "not an object"},
		{"{}", "", `Request must have a string "id" field`},
		{`{"id":1}`, "", `Request must have a string "id" field`},
		{strings.Repeat("[", 20000), "", "could not parse"},
		{strings.Repeat("x", maxLine+1), "", "is longer than 1048576 bytes"},
		{"\xff\x00", "", "could not parse"},
		{`{"id":"q","action":"sing"}`, "action", "Must be query_version"},
		{`{"id":"q","action":3}`, "action", "Must be query_version"},
		{`{"id":"q","action":"terminate"}`, "terminateId", "terminateId"},
		{`{"id":"q","action":"terminate_all","turnNumbers":["a"]}`, "turnNumbers",
			"array of integers"},
		{`{"id":"q"}`, "boardXSize", "integer from 2 to 19"},
		{query(`"boardXSize":5`, `"boardXSize":5.5`), "boardXSize", "integer from 2 to 19"},
		{query(`"boardXSize":5`, `"boardXSize":20`), "boardXSize", "integer from 2 to 19"},
		{query(`"boardXSize":5`, `"boardXSize":"5"`), "boardXSize", "integer from 2 to 19"},
		{query(`"boardYSize":5`, `"boardYSize":null`), "boardYSize", "integer from 2 to 19"},
		{query(`"boardXSize":5`, `"boardXSize":9`), "boardXSize", "trained on 5×5 points"},
		{query(`"boardYSize":5`, `"boardYSize":4`), "boardYSize", "trained on 5×5 points"},
		{query(`"rules":{"ko":"POSITIONAL"},`, ``), "rules", "Must specify rules"},
		{query(`{"ko":"POSITIONAL"}`, `5`), "rules", "Must be a name of rules"},
		{query(`{"ko":"POSITIONAL"}`, `"klingon"`), "rules", "Could not parse rules: klingon"},
		{query(`{"ko":"POSITIONAL"}`, `"New Zealand"`), "rules", "new-zealand: they allow suicide"},
		{query(`{"ko":"POSITIONAL"}`, `"tromp_taylor"`), "rules",
			"tromp-taylor: they allow suicide"},
		{query(`{"ko":"POSITIONAL"}`, `{"scoring":"TERRITORY"}`), "rules",
			"scoring has to be AREA"},
		{query(`{"ko":"POSITIONAL"}`, `{"suicide":true}`), "rules", "suicide has to be false"},
		{query(`{"ko":"POSITIONAL"}`, `{"tax":"SEKI"}`), "rules", "tax has to be NONE"},
		{query(`{"ko":"POSITIONAL"}`, `{"hasButton":1}`), "rules", "hasButton has to be false"},
		{query(`{"ko":"POSITIONAL"}`, `{"ko":"SPIGHT"}`), "rules",
			"ko has to be POSITIONAL, SITUATIONAL or SIMPLE"},
		{query(`{"ko":"POSITIONAL"}`, `{"friendlyPassOk":"yes"}`), "rules",
			"friendlyPassOk has to be true or false"},
		{query(`{"ko":"POSITIONAL"}`, `{"whiteHandicapBonus":"2"}`), "rules",
			"whiteHandicapBonus has to be"},
		{query(`{"ko":"POSITIONAL"}`, `{"gravity":false}`), "rules", "there is no rule gravity"},
		{with(`"whiteHandicapBonus":1`), "whiteHandicapBonus", "Must be"},
		{query(`"komi":0.5`, `"komi":0.3`), "komi", "integer or half-integer"},
		{query(`"komi":0.5`, `"komi":151`), "komi", "integer or half-integer"},
		{query(`"komi":0.5`, `"komi":1e999`), "komi", "integer or half-integer"},
		{query(`"komi":0.5`, `"komi":true`), "komi", "integer or half-integer"},
		{query(`"moves":[["B","C3"]]`, `"other":[]`), "moves", "Must specify an array"},
		{query(`[["B","C3"]]`, `"C3"`), "moves", "Must be an array of pairs"},
		{query(`[["B","C3"]]`, `[["B"]]`), "moves", "Must be an array of pairs"},
		{query(`[["B","C3"]]`, `[["B",7]]`), "moves", "Must be an array of pairs"},
		{query(`[["B","C3"]]`, `[["R","C3"]]`), "moves", `Must be "B" or "W"`},
		{query(`[["B","C3"]]`, `[["B","F3"]]`), "moves", "Could not parse board location: F3"},
		{query(`[["B","C3"]]`, `[["B","C3"],["W","C3"]]`), "moves", "Illegal move 1: C3"},
		{query(`[["B","C3"]]`, `[["B","A2"],["W","C3"],["B","B1"],["W","A1"]]`), "moves",
			"Illegal move 3: A1"},
		{with(`"initialStones":{}`), "initialStones", "Must be an array of pairs"},
		{with(`"initialStones":[["B","pass"]]`), "initialStones", "pass"},
		{with(`"initialStones":[["B","A1"],["W","A2"],["W","B1"]]`), "initialStones",
			"the group of a1 has no liberty"},
		{with(`"initialPlayer":"X"`), "initialPlayer", `Must be "B" or "W"`},
		{with(`"analyzeTurns":1`), "analyzeTurns", "array of integers from 0 to 1"},
		{with(`"analyzeTurns":[2]`), "analyzeTurns", "array of integers from 0 to 1"},
		{with(`"analyzeTurns":[-1]`), "analyzeTurns", "array of integers from 0 to 1"},
		{with(`"analyzeTurns":[]`), "analyzeTurns", "array of integers from 0 to 1"},
		{with(`"priority":1.5`), "priority", "number between"},
		{with(`"priority":1,"analyzeTurns":[0],"priorities":[1]`), "priority", "both"},
		{with(`"priorities":[1]`), "priorities", "analyzeTurns"},
		{with(`"analyzeTurns":[0],"priorities":[1,2]`), "priorities", "matching length"},
		{query(`"maxVisits":10`, `"maxVisits":0`), "maxVisits", "integer from 1"},
		{query(`"maxVisits":10`, `"maxVisits":1e3`), "maxVisits", "integer from 1"},
		{with(`"includePolicy":1`), "includePolicy", "boolean"},
		{with(`"includePVVisits":"true"`), "includePVVisits", "boolean"},
		{with(`"includeOwnership":null`), "includeOwnership", "boolean"},
		{with(`"rootPolicyTemperature":"hot"`), "rootPolicyTemperature", "number"},
		{with(`"analysisPVLen":0`), "analysisPVLen", "1 to 1000"},
		{with(`"reportDuringSearchEvery":0`), "reportDuringSearchEvery", "seconds"},
		{with(`"firstReportDuringSearchAfter":-1`), "firstReportDuringSearchAfter", "seconds"},
		{with(`"overrideSettings":[]`), "overrideSettings", "Must be an object"},
		{with(`"overrideSettings":{"maxTime":"soon"}`), "overrideSettings", "maxTime"},
		{with(`"overrideSettings":{"maxVisits":0}`), "overrideSettings", "maxVisits"},
		{with(`"overrideSettings":{"reportAnalysisWinratesAs":"RED"}`), "overrideSettings",
			"BLACK, WHITE or SIDETOMOVE"},
		{with(`"avoidMoves":{}`), "avoidMoves", "list of dicts"},
		{with(`"avoidMoves":[1]`), "avoidMoves", "list of dicts"},
		{with(`"avoidMoves":[{"moves":["A1"],"player":"B"}]`), "avoidMoves", "list of dicts"},
		{with(`"avoidMoves":[{"moves":["A9"],"player":"B","untilDepth":1}]`), "avoidMoves", "A9"},
		{with(`"avoidMoves":[{"moves":["A1"],"player":"B","untilDepth":0}]`), "avoidMoves",
			"untilDepth"},
		{with(`"avoidMoves":[{"moves":[3],"player":"B","untilDepth":1}]`), "avoidMoves",
			"vertices"},
		{with(`"avoidMoves":[],"allowMoves":[]`), "allowMoves", "both"},
		{with(`"allowMoves":[{"moves":["A1"],"player":"B","untilDepth":1},{"moves":["A1"],"player":"B","untilDepth":1}]`), "allowMoves", "one entry"},
		{with(`"allowMoves":[{"moves":["C3"],"player":"W","untilDepth":1}]`), "allowMoves",
			"No legal move is left to search at turn 1"},
	} {
		s.send(x.line)
		r := s.any()
		if r.Error == "" || !strings.Contains(r.Error, x.text) || r.Field != x.field ||
			x.field != "" && r.ID != "q" || len(r.text) > 500 {
			t.Errorf("%s: %s, want %s: %s", clip(x.line), r.text, x.field, x.text)
		}
	}
	s.send("", " \t", ask("q", 10, "B C3"))
	s.final("q")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

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
