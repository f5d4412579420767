package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// Actions are echoed with all their fields.
func TestActions(t *testing.T) {
	c := newConfig(t, five, "uct:simulations=20")
	c.Models, c.Revision = []string{"a network"}, "abc"
	s := serve(t, t.Context(), c)
	for _, x := range [][2]string{
		{`{"id":"foo","action":"query_version","n":1.50}`,
			`{"action":"query_version","git_hash":"abc","id":"foo","n":1.50,"version":"1.2"}`},
		{`{"action":"query_models","id":""}`, `{"action":"query_models","id":"","models":[{"internalName":"a network","name":"a network","usesHumanSLProfile":false}]}`},
		{`  {"action":"clear_cache","id":"<é>"}  `, `{"action":"clear_cache","id":"<é>"}`},
		{`{"action":"terminate","id":"1","terminateId":"nobody","turnNumbers":[1,2]}`,
			`{"action":"terminate","id":"1","terminateId":"nobody","turnNumbers":[1,2]}`},
		{`{"action":"terminate_all","id":"1"}`, `{"action":"terminate_all","id":"1"}`},
	} {
		s.send(x[0])
		if got := s.line(); got != x[1] {
			t.Errorf("%s: %s, want %s", x[0], got, x[1])
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	c.Revision, c.Models = "", nil
	s = serve(t, t.Context(), c)
	s.send(`{"id":"v","action":"query_version"}`, `{"id":"m","action":"query_models"}`)
	if a, b := s.line(),
		s.line(); a !=
		`{"action":"query_version","git_hash":"<omitted>","id":"v","version":"1.2"}` ||
		b != `{"action":"query_models","id":"m","models":[]}` {
		t.Error(a, b)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Several turns of a query, in the order of their priorities and then of the game; values for
// whom the query wants them.
func TestTurnsAndPerspective(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "az:go-5x5x2,simulations=10"))
	moves := "B C3 W C2 B D2"
	var turns []int
	s.send(ask("q", 30, moves, `"analyzeTurns":[3,0,2,1],"priorities":[1,5,1,9]`))
	for range 4 {
		turns = append(turns, s.final("q").TurnNumber)
	}
	if !slices.Equal(turns, []int{1, 0, 2, 3}) {
		t.Errorf("turns %v", turns)
	}
	var got [3]reply
	for i, side := range []string{"BLACK", "white", "SideToMove"} {
		s.send(ask("q", 30, moves, `"includePVVisits":true,"analysisPVLen":2,"overrideSettings":{"reportAnalysisWinratesAs":"`+side+`"}`))
		got[i] = s.final("q")
	}
	black, white := got[0], got[1]
	if got[2].text != white.text || white.RootInfo.CurrentPlayer != "W" {
		t.Errorf("for the side to move, which is White: %s\nfor White: %s", got[2].text, white.text)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	for i, b := range black.MoveInfos {
		w := white.MoveInfos[i]
		if b.Move != w.Move || b.Visits != w.Visits || !near(b.Winrate, 1-w.Winrate) ||
			!near(b.LCB, 1-w.LCB) || !near(b.Utility, -w.Utility) ||
			!near(*b.ScoreLead, -*w.ScoreLead) || *b.ScoreStdev != *w.ScoreStdev {
			t.Errorf("%+v for Black, %+v for White", b, w)
		}
		if len(b.PV) > 2 || len(b.PVVisits) != len(b.PV) || b.PVVisits[0] != b.Visits {
			t.Errorf("the variation of %+v", b)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// While one query is searched others wait: they are taken by priority, then in their order.
func TestPriority(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "uct:simulations=10"))
	s.send(ask("first", 1<<40, "", `"reportDuringSearchEvery":0.001`))
	if r := s.any(); r.ID != "first" || !r.IsDuringSearch {
		t.Fatal(r.text)
	}
	for i, priority := range []int{0, 3, 0, -1, 3, 1 << 40} {
		s.send(ask(fmt.Sprint(i), 5, "", fmt.Sprintf(`"priority":%d`, priority)))
	}
	s.send(`{"id":"t","action":"terminate","terminateId":"first"}`)
	var order []string
	for len(order) < 7 {
		if r := s.next(); !r.IsDuringSearch && r.Action == "" {
			order = append(order, r.ID)
		}
	}
	if want := []string{"first", "5", "1", "4", "0", "2", "3"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Every position that was asked for has one last answer, however it ends.
func TestTerminate(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "uct:simulations=10"))
	s.send(ask("a", 1<<40, "B C3 W C2", `"analyzeTurns":[0,1,2],"reportDuringSearchEvery":0.001`),
		ask("b", 1<<40, ""), ask("c", 3, ""))
	for !s.any().IsDuringSearch {
	}
	ended := func(want ...string) {
		t.Helper()
		got := map[string]bool{}
		for len(got) < len(want) {
			if r := s.next(); !r.IsDuringSearch && r.Action == "" {
				got[fmt.Sprintf("%s%d%t", r.ID, r.TurnNumber, r.NoResults)] = true
			}
		}
		for _, w := range want {
			if !got[w] {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
	s.send(`{"id":"t","action":"terminate","terminateId":"a","turnNumbers":[2]}`)
	ended("a2true")
	s.send(`{"id":"t","action":"terminate","terminateId":"a"}`)
	ended("a1true", "a0false")
	s.send(`{"id":"t","action":"terminate_all"}`)
	if err := s.end(); err != nil {
		t.Error(err)
	}
	// The answer to the second action may come only now: a search that it ends does not wait for
	// it.
	last := map[string]int{}
	for text := range s.lines {
		if r := s.parse(text); !r.IsDuringSearch && r.Action == "" {
			last[fmt.Sprintf("%s%d%t", r.ID, r.TurnNumber, r.NoResults)]++
		}
	}
	// b was searched or not, by then; c waited.
	if last["c0true"] != 1 || last["b0true"]+last["b0false"] != 1 || len(last) != 2 {
		t.Errorf("%v", last)
	}
}

// However queries are mixed with their ends, each position that was asked for has exactly one last
// answer, after its reports.
func TestEveryPositionIsAnswered(t *testing.T) {
	rng := random.New(1, random.Test)
	c := newConfig(t, five, "uct:simulations=10")
	c.Parallel = 4
	s := serve(t, t.Context(), c)
	open := map[string]bool{}
	done := make(chan map[string]int)
	go func() {
		last := map[string]int{}
		for text := range s.lines {
			var r reply
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			key := fmt.Sprintf("%s at %d", r.ID, r.TurnNumber)
			switch {
			case r.Error != "":
				t.Error(text)
			case r.Warning != "" || r.Action != "":
			case last[key] > 0:
				t.Errorf("after the last answer: %s", text)
			case !r.IsDuringSearch:
				last[key]++
			}
		}
		done <- last
	}()
	for i := range 300 {
		id := fmt.Sprint("query ", i)
		visits := 1 + rng.IntN(200)
		if rng.IntN(10) == 0 {
			visits = 1 << 40
		}
		s.send(ask(id, visits, "B C3 W C2 B D2",
			`"analyzeTurns":[0,2,3],"reportDuringSearchEvery":0.001`,
			fmt.Sprintf(`"priority":%d`, rng.IntN(3))))
		for _, turn := range []int{0, 2, 3} {
			open[fmt.Sprintf("%s at %d", id, turn)] = true
		}
		switch rng.IntN(6) {
		case 0:
			s.send(fmt.Sprintf(`{"id":"t","action":"terminate","terminateId":"query %d"}`,
				rng.IntN(i+1)))
		case 1:
			s.send(fmt.Sprintf(
				`{"id":"t","action":"terminate","terminateId":"query %d","turnNumbers":[%d]}`,
				rng.IntN(i+1), rng.IntN(4)))
		case 2:
			if rng.IntN(10) == 0 {
				s.send(`{"id":"t","action":"terminate_all"}`)
			}
		}
	}
	s.send(`{"id":"t","action":"terminate_all"}`)
	if err := s.end(); err != nil {
		t.Error(err)
	}
	last := <-done
	for key := range open {
		if last[key] != 1 {
			t.Errorf("%s has %d last answers", key, last[key])
		}
	}
	if len(last) != len(open) {
		t.Errorf("%d positions are answered, %d were asked for", len(last), len(open))
	}
}

// The same queries have the same answers: one at a time to the byte and in the same order, and
// several at a time each for itself.
func TestDeterministic(t *testing.T) {
	queries := func(c Config) []string {
		s := serve(t, t.Context(), c)
		for i := range 12 {
			s.send(ask(fmt.Sprint(i), 40+i, strings.Repeat("B C3 W C2 ", i%2),
				`"includePolicy":true`, fmt.Sprintf(`"priority":%d`, i%3)))
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for text := range s.lines {
			lines = append(lines, text)
		}
		return lines
	}
	for _, name := range []string{
		"az:go-5x5x2,simulations=10", "az:go-5x5x2,simulations=10,leaves=4", "uct:simulations=10",
	} {
		c := newConfig(t, five, name)
		one := queries(c)
		slices.Sort(one) // whatever came before the reader was first
		if len(one) != 12 {
			t.Fatalf("%s: %d answers", name, len(one))
		}
		c.Parallel = 4
		several := queries(c)
		slices.Sort(several)
		if !slices.Equal(one, several) {
			t.Errorf("%s: answers differ with 4 searches at a time", name)
		}
		c.Seed++
		if other := queries(c); name[:3] == "uct" &&
			slices.Equal(one, slices.Sorted(slices.Values(other))) {
			t.Errorf("%s: another seed changes nothing", name)
		}
	}
	// One query at a time, in two sessions.
	var texts [2]string
	for i := range texts {
		s := serve(t, t.Context(), newConfig(t, five, "uct:simulations=10"))
		for j := range 5 {
			s.send(ask(fmt.Sprint(j), 100, ""))
			texts[i] += s.line() + "\n"
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
	}
	if texts[0] != texts[1] {
		t.Error("two sessions differ")
	}
}

// Other players know any board, oblong ones too; there a win of all points is as wide as the
// board.
func TestBoards(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "uct:simulations=10,utility=unit"))
	s.send(`{"id":"q","rules":"chinese-ogs","komi":-3,"boardXSize":7,"boardYSize":2,"moves":[["b","G1"],["white","A2"],["B","pass"]],"overrideSettings":{"maxVisits":"25"}}`)
	if r := s.final("q"); r.RootInfo.Visits != 25 || r.RootInfo.CurrentPlayer != "W" {
		t.Error(r.text)
	}
	s.send(`{"id":"q","rules":"aga","boardXSize":19,"boardYSize":19,"moves":[]}`)
	if r := s.final("q"); r.RootInfo.Visits != 10 || *r.RootInfo.ScoreLead > 50 {
		t.Error(r.text)
	}
	// Two passes end nothing, and a colour may move twice.
	s.send(ask("q", 20, "B pass W pass"), ask("r", 20, "B C3 B C4 B C5"))
	if a, b := s.final("q"), s.final("r"); a.RootInfo.CurrentPlayer != "B" ||
		b.RootInfo.CurrentPlayer != "W" {
		t.Error(a.text, b.text)
	}
	// One visit; and a move that has no alternative.
	s.send(ask("q", 1, ""),
		ask("r", 20, "", `"allowMoves":[{"moves":["pass"],"player":"B","untilDepth":1}]`))
	if a, b := s.final("q"), s.final("r"); a.RootInfo.Visits != 1 || len(b.MoveInfos) != 1 ||
		b.MoveInfos[0].Move != "pass" {
		t.Error(a.text, b.text)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// A search ends by its time, after one step at least; reports come at their times.
func TestTime(t *testing.T) {
	c := newConfig(t, five, "uct:time=1s")
	ticks := int64(0)
	// one worker reads it
	c.Now = func() time.Time { ticks++; return time.Unix(0, ticks*int64(time.Second)) }
	s := serve(t, t.Context(), c)
	// The clock goes on by one second whenever it is read: at the beginning, and after each step.
	query := func(fields string) string {
		return `{"id":"q","rules":{},"boardXSize":5,"boardYSize":5,"moves":[],` + fields + `}`
	}
	s.send(query(`"overrideSettings":{"maxTime":5}`))
	if r := s.any(); r.RootInfo == nil || r.RootInfo.Visits != 5*16 {
		t.Error(r.text)
	}
	s.send(query(`"overrideSettings":{"maxTime":"0"}`))
	if r := s.any(); r.RootInfo == nil || r.RootInfo.Visits != 16 {
		t.Error(r.text)
	}
	var visits []int
	s.send(query(`"maxVisits":160,"reportDuringSearchEvery":3,"firstReportDuringSearchAfter":2`))
	for {
		r := s.any()
		visits = append(visits, r.RootInfo.Visits)
		if !r.IsDuringSearch {
			break
		}
	}
	if !slices.Equal(visits, []int{32, 80, 128, 160}) {
		t.Errorf("reports after %v visits", visits)
	}
	s.send(query(`"komi":1`))
	if r := s.any(); r.Field != "maxVisits" ||
		!strings.Contains(r.Error, "no number of simulations") {
		t.Error(r.text)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Fields without effect are warned of, also where there are many.
func TestWarnings(t *testing.T) {
	s := serve(t, t.Context(), newConfig(t, five, "uct:simulations=10"))
	var many, settings []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"field%02d":null`, i))
		settings = append(settings, fmt.Sprintf(`"setting%02d":1`, i))
	}
	s.send(ask("q", 10, "",
		append(many,
			`"includeOwnershipStdev":true,"includeMovesOwnership":false,"rootFpuReductionMax":0.5`,
			`"overrideSettings":{`+strings.Join(settings, ",")+`}`)...))
	n := map[string]int{}
	for {
		r := s.any()
		if r.Warning == "" {
			break
		}
		n[strings.TrimRight(r.Field, "0123456789")]++
		if len(r.text) > 500 ||
			r.Field == "overrideSettings" &&
				!strings.HasSuffix(r.Warning, "setting15,and 24 more") ||
			r.Field == "" && !strings.Contains(r.Warning, "24 more") {
			t.Error(r.text)
		}
	}
	if fmt.Sprint(n) !=
		"map[:1 field:16 includeOwnershipStdev:1 overrideSettings:1 rootFpuReductionMax:1]" {
		t.Error(n)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// A session ends with its input, at once or when all is answered; with its context; and with an
// error of writing or reading.
func TestEnds(t *testing.T) {
	c := newConfig(t, five, "uct:simulations=10")
	s := serve(t, t.Context(), c)
	for i := range 5 {
		s.send(ask(fmt.Sprint(i), 2000, ""))
	}
	if err := s.end(); err != nil || len(s.lines) > 5 {
		t.Errorf("%v", err)
	}
	n := 0
	for range s.lines {
		n++
	}
	if n != 5 {
		t.Errorf("%d answers to 5 queries", n)
	}
	c.AtOnce = true
	s = serve(t, t.Context(), c)
	s.send(ask("q", 1<<40, ""), ask("r", 1<<40, ""))
	if err := s.end(); err != nil {
		t.Errorf("at once: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	s = serve(t, ctx, c)
	s.send(ask("q", 1<<40, ""))
	cancel(errors.New("a signal"))
	if err := s.wait(); err != context.Canceled {
		t.Errorf("the context ends: %v", err)
	}
	s.in.Close()
	server, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	defer in.Close()
	go io.WriteString(out, ask("q", 10, "")+"\n")
	if err := server.Serve(t.Context(), in, broken{}); err == nil ||
		!strings.Contains(err.Error(), "write an answer: no pipe") {
		t.Errorf("writing fails: %v", err)
	}
	if server, err = NewServer(c); err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(t.Context(), broken{}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "read queries: no pipe") {
		t.Errorf("reading fails: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("no pipe") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("no pipe") }

// failing is a player whose evaluator fails.
type failing struct{ player.UCT }

func (f failing) NewAgent(g game.Game) player.Agent { return failingAgent{f.UCT.NewAgent(g)} }

type failingAgent struct{ player.Agent }

func (failingAgent) CanPonder() bool { return true }
func (f failingAgent) Result() search.Result {
	return f.Agent.(player.Searching).Result()
}
func (failingAgent) Ponder(game.State, search.Evaluator, int) (bool, error) {
	return false, errors.New("no device")
}

// An evaluator that fails is told to whoever asks.
func TestEvaluatorFails(t *testing.T) {
	c := newConfig(t, five, "uct:simulations=10")
	c.Player = failing{c.Player.(player.UCT)}
	s := serve(t, t.Context(), c)
	for _, fields := range []string{`"priority":1`, `"includePolicy":true`} {
		s.send(ask("q", 10, "", fields))
		if got := s.line(); got != `{"error":"no device","id":"q"}` {
			t.Error(got)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Games and players that no query can be about.
func TestNewServer(t *testing.T) {
	for _, x := range [][3]string{
		{"go:size=5,players=3", "uct", "has 3 players"},
		{"go:size=5,players=2", "uct", "has forced passes"},
		{"tictactoe", "uct", "is not Go"},
		{five, "random", "can't analyse"},
		{five, "alphabeta", "can't analyse"},
	} {
		g := game.Must(game.New(x[0]))
		p, err := player.Parse(g, x[1])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewServer(Config{Player: p, Game: g}); err == nil ||
			!strings.Contains(err.Error(), x[2]) {
			t.Errorf("%s, %s: %v", x[0], x[1], err)
		}
	}
}

// Lines agree with those of bytes.Split, also where they are too long for the reader's buffer.
func TestLines(t *testing.T) {
	long, tooLong := strings.Repeat("a", maxLine), strings.Repeat("b", maxLine+2)
	text := "one\n\n two \r\n" + long + "\n" + tooLong + "\nthree\n" +
		strings.Repeat("c", 70_000) + "\nlast"
	in := newLines(strings.NewReader(text))
	for i, want := range bytes.Split([]byte(text), []byte("\n")) {
		want = bytes.TrimSpace(want)
		got, over, err := in.Next()
		switch {
		case err != nil:
			t.Fatalf("line %d: %v", i, err)
		case over != (len(want) > maxLine):
			t.Errorf("line %d of %d bytes: too long is %t", i, len(want), over)
		case !over && !bytes.Equal(got, want):
			t.Errorf("line %d: %d bytes, want %d", i, len(got), len(want))
		}
	}
	if _, _, err := in.Next(); err != io.EOF {
		t.Errorf("in the end %v", err)
	}
}
