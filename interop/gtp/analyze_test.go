package gtp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

var (
	kataMove = regexp.MustCompile(
		`^move (pass|[A-HJ-T]\d+) visits \d+ utility -?\d\.\d{6} winrate [01]\.\d{6}` +
			`( scoreMean -?\d+\.\d{4} scoreStdev \d+\.\d{4} scoreLead -?\d+\.\d{4})?( prior [01]\.\d{6})? lcb [01]\.\d{6} order (\d+) pv((?: pass| [A-HJ-T]\d+)+)( pvVisits[ \d]+)?( rootInfo visits \d+ utility .*)?$`)
	leelaMove = regexp.MustCompile(`^move (pass|[A-HJ-T]\d+) visits \d+ winrate \d+( prior \d+)? lcb \d+ order (\d+) pv((?: pass| [A-HJ-T]\d+)+)$`)
)

// checkInfo checks the form of a line of an analysis: sections of moves in their order, each with a
// variation that begins with its move.
func checkInfo(d dialect, line string) error {
	if !strings.HasPrefix(line, "info ") {
		return errors.New("it does not begin with info")
	}
	form, order, pv := kataMove, 4, 5
	if d == leela {
		form, order, pv = leelaMove, 3, 4
	}
	for i, section := range strings.Split(line[len("info "):], " info ") {
		m := form.FindStringSubmatch(section)
		if m == nil {
			return fmt.Errorf("section %d has another form: %s", i, section)
		}
		if m[order] != strconv.Itoa(i) {
			return fmt.Errorf("section %d has order %s", i, m[order])
		}
		if line := strings.Fields(m[pv]); line[0] != m[1] {
			return fmt.Errorf("the variation of %s begins with %s", m[1], line[0])
		}
	}
	return nil
}

// field returns the number that follows a key in a line, the first time.
func field(t *testing.T, line, key string) float64 {
	t.Helper()
	list := words(line)
	i := slices.Index(list, key)
	if i < 0 {
		t.Fatalf("%s: there is no %s", line, key)
	}
	x, err := strconv.ParseFloat(list[i+1], 64)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return x
}

func newUCT(t testing.TB) *Engine {
	return newEngine(t, player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}, five)
}

// An analysis goes on beyond the player's simulations, until a line arrives: an empty one, a
// comment, or the next command, which is then answered. Then it goes on where it was.
func TestAnalyze(t *testing.T) {
	s := serve(t, t.Context(), newUCT(t))
	visits := 0.0
	for i, c := range []struct {
		command string
		dialect dialect
		stop    string
	}{
		{"kata-analyze 1", kata, ""},
		{"lz-analyze b 1", leela, "# enough"},
		{"analyze B 1 rootInfo true", kata, "77 name"},
		{"kata-analyze interval 1 ownership true maxmoves 2", kata, "\t"},
	} {
		s.send(fmt.Sprintf("%d %s", i, c.command))
		s.want(fmt.Sprintf("=%d", i))
		s.info(c.dialect)
		last := field(t, s.info(c.dialect), "visits")
		for i == 3 && last < 40 { // more than the player's simulations
			last = field(t, s.info(c.dialect), "visits")
		}
		s.send(c.stop)
		s.rest(c.dialect)
		if c.stop == "77 name" {
			s.want("=77 Tengen", "")
		}
		if last < visits {
			t.Errorf("%s: %g visits, after %g before", c.command, last, visits)
		}
		visits = last
	}
	s.send("genmove b")
	if text := s.line(); !strings.HasPrefix(text, "= ") {
		t.Errorf("then it answers %q", text)
	}
	s.want("")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Arguments: what is understood, and what is not.
func TestAnalysisArguments(t *testing.T) {
	e := newUCT(t)
	for _, c := range []struct{ command, want string }{
		{"kata-analyze", "="},
		{"kata-analyze 50", "="},
		{"kata-analyze W", "="},
		{"kata-analyze white 12.5 ownership true rootInfo false pvVisits TRUE", "="},
		{"kata-analyze interval 20 minmoves 5 maxmoves 1 ownershipStdev true movesOwnership false movesOwnershipStdev true", "="},
		{"kata-analyze b 10 avoid b A1,B2,pass 5 avoid w C3 1", "="},
		{"lz-analyze 10 allow b A1,B2 1", "="},
		{"lz-analyze 0", "="},
		{"kata-analyze green", "? syntax error"},
		{"kata-analyze b 10 20", "? syntax error"},
		{"kata-analyze b -1", "? syntax error"},
		{"kata-analyze b 10 interval", "? syntax error"},
		{"kata-analyze b 10 interval soon", "? syntax error"},
		{"kata-analyze b 10 maxmoves 0", "? syntax error"},
		{"kata-analyze b 10 minmoves x", "? syntax error"},
		{"kata-analyze b 10 ownership maybe", "? syntax error"},
		{"kata-analyze b 10 wisdom true", "? syntax error"},
		{"lz-analyze b 10 ownership true", "? syntax error"},
		{"lz-analyze b 10 avoid b A1", "? syntax error"},
		{"lz-analyze b 10 avoid b A1 0", "? syntax error"},
		{"lz-analyze b 10 avoid b A9 1", "? syntax error"},
		{"lz-analyze b 10 avoid red A1 1", "? syntax error"},
		{"lz-analyze b 10 avoid b , 1", "? syntax error"},
		{"play b C3\nkata-analyze w 10 allow w C3 1", "? no move is left to search"},
		{"kata-genmove_analyze b 10 ownership nothing", "? syntax error"},
	} {
		// The end of the input ends the analysis.
		got := say(t, e, c.command+"\n")
		if got = strings.TrimPrefix(got, "=\n\n"); c.want == "=" {
			got = "=" + got
		}
		if !answers(strings.TrimSpace(got), c.want) {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}

// The answer of a player that can't go on beyond its budget is that there is no such command.
func TestAnalyzeWithoutSearch(t *testing.T) {
	e := newEngine(t, newLowest(), five)
	got := say(t, e,
		"kata-analyze 10\nknown_command lz-analyze\ngenmove_analyze b\ngogui-analyze_commands\n")
	if want := strings.Join([]string{
		"? unknown command", "= false", "? unknown command", "? unknown command", "",
	}, "\n\n"); got != want {
		t.Errorf("%q", got)
	}
	if slices.ContainsFunc(e.commands(), func(name string) bool {
		return strings.Contains(name, "analyze")
	}) {
		t.Error("list_commands has commands of analyses")
	}
	if list := newUCT(t).commands(); !slices.Contains(list, "kata-analyze") ||
		!slices.Contains(list, "lz-genmove_analyze") {
		t.Errorf("for UCT there is %v", list)
	}
}

// An analysis for the colour that is not to move, or after the end of the game, leaves the
// position as it was.
func TestAnalyzeOtherColor(t *testing.T) {
	e := newUCT(t)
	s := serve(t, t.Context(), e)
	for _, c := range []struct{ before, command string }{
		{"play b C3", "kata-analyze b 1"},
		{"play w pass", "kata-analyze w 1"},
		{"play b pass", "kata-analyze b 1"},
		{"play w pass", "kata-analyze 1"},
	} {
		s.send(c.before)
		s.want("=", "")
		key, turn := e.State().Hash(), e.State().CurrentPlayer()
		s.send(c.command)
		s.want("=")
		s.info(kata)
		s.send("")
		s.rest(kata)
		s.send("name")
		s.want("= Tengen", "")
		if e.State().Hash() != key || e.State().CurrentPlayer() != turn {
			t.Errorf("%s, %s: another position", c.before, c.command)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	// Nothing can be searched once max_plies have been played.
	e = newEngine(t, player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}, five+",max_plies=2")
	if got := say(t, e, "play b A1\nplay w B1\nkata-analyze b 10\n"); got != "=\n\n=\n\n? the game is over: go:size=5,players=2,pass=free,max_plies=2 ends after 2 plies\n\n" {
		t.Errorf("%q", got)
	}
}

// Moves that are to be avoided are in no section, and those that are allowed alone in all; below
// the depth given they are searched.
func TestAvoid(t *testing.T) {
	s := serve(t, t.Context(), newUCT(t))
	s.send("kata-analyze b 1 avoid b C3,B2,pass 1")
	s.want("=")
	for range 20 {
		for _, section := range strings.Split(s.info(kata), "info ")[1:] {
			if m := words(section)[1]; m == "C3" || m == "B2" || m == "pass" {
				t.Fatalf("%s is searched", m)
			}
		}
	}
	s.send("kata-analyze b 1 allow b A1,E5 1 avoid w C3 2")
	s.rest(kata)
	s.want("=")
	for range 20 {
		for _, section := range strings.Split(s.info(kata), "info ")[1:] {
			list := words(section)
			if list[1] != "A1" && list[1] != "E5" {
				t.Fatalf("%s is searched", list[1])
			}
			if pv := list[slices.Index(list, "pv")+1:]; len(pv) > 1 && pv[1] == "C3" {
				t.Fatalf("C3 is searched as the answer: %s", section)
			}
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// genmove_analyze makes the search of genmove and tells of it: at intervals, and at last.
func TestGenMoveAnalyze(t *testing.T) {
	for _, c := range []struct {
		command string
		dialect dialect
	}{
		{"kata-genmove_analyze b 1", kata},
		{"lz-genmove_analyze b 1 maxmoves 3", leela},
		{"genmove_analyze B 1 rootInfo true", kata},
	} {
		e := newEngine(t, player.UCT{Simulations: 3000, C: 0.8, Utility: player.Unit}, five)
		e.config.Now = ticking(time.Millisecond)
		s := serve(t, t.Context(), e)
		s.send("7 " + c.command)
		s.want("=7")
		n, last := 0, ""
		for {
			text := s.line()
			if strings.HasPrefix(text, "play ") {
				last += " " + text
				break
			}
			if err := checkInfo(c.dialect, text); err != nil {
				t.Fatalf("%s: %s: %v", c.command, text, err)
			}
			last = text
			n++
		}
		s.want("")
		list := words(last)
		if n < 3 || list[2] != list[len(list)-1] {
			t.Errorf("%s: %d lines, the last %s", c.command, n, last)
		}
		again := newEngine(t, player.UCT{Simulations: 3000, C: 0.8, Utility: player.Unit}, five)
		if got, want := "= "+list[2]+"\n\n", say(t, again, "genmove b\n"); got != want {
			t.Errorf("%s plays %q, genmove %q", c.command, got, want)
		}
		// Without an interval there is the move alone, and where there is no choice too.
		s.send("kata-genmove_analyze")
		s.want("=")
		if text := s.line(); !strings.HasPrefix(text, "play ") {
			t.Errorf("without an interval: %s", text)
		}
		s.want("")
		if err := s.end(); err != nil {
			t.Error(err)
		}
	}
	e := newEngine(t, player.UCT{Simulations: 30, C: 0.8, Utility: player.Unit},
		"go:size=1,players=2,pass=free")
	if got := say(t, e, "kata-genmove_analyze b 10\n"); got != "=\nplay pass\n\n" {
		t.Errorf("%q", got)
	}
}

// ticking returns a clock that goes on by d whenever it is read.
func ticking(d time.Duration) func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.Unix(0, n.Add(int64(d))) }
}

// searcher is a player whose search is scripted.
type searcher struct {
	lowest
	slices atomic.Int64
	most   int64 // slices until the tree is full; 0: never
	err    error
}

func newSearcher() *searcher { return &searcher{lowest: *newLowest()} }

func (p *searcher) NewAgent(g game.Game) player.Agent {
	return &searcherAgent{lowestAgent: p.lowest.NewAgent(g).(*lowestAgent), player: p}
}

type searcherAgent struct {
	*lowestAgent
	player *searcher
}

func (s *searcherAgent) CanPonder() bool       { return true }
func (s *searcherAgent) Result() search.Result { return s }
func (s *searcherAgent) Ponder(game.State, search.Evaluator, int) (bool, error) {
	time.Sleep(100 * time.Microsecond)
	n := s.player.slices.Add(1)
	return s.player.most == 0 || n < s.player.most, s.player.err
}

func (s *searcherAgent) Value(dst []float32) { dst[0], dst[1] = 0.5, 0.5 }
func (s *searcherAgent) Children(dst []search.Child) []search.Child {
	return append(dst,
		search.Child{
			Action: 3, Visits: int(s.player.slices.Load()),
			Value: [game.MaxPlayers]float32{0.6, 0.4},
		}, search.Child{Action: 4})
}
func (s *searcherAgent) Best() game.Action                              { return 3 }
func (s *searcherAgent) PrincipalVariation([]game.Action) []game.Action { return []game.Action{3} }
func (s *searcherAgent) Stats() search.Stats                            { return search.Stats{} }

func newScripted(t *testing.T, p *searcher, ponder bool) *Engine {
	e, err := NewEngine(Config{
		Player: p, Game: game.Must(game.New(five)), Name: "Tengen", Ponder: ponder,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Lines come at the interval, not more often; once the tree is full there is one more, and then
// the search rests until it is stopped.
func TestInterval(t *testing.T) {
	p := newSearcher()
	p.most = 40
	e := newScripted(t, p, false)
	s := serve(t, t.Context(), e)
	s.send("1 kata-analyze b 1")
	s.want("=1")
	last := ""
	for last == "" || field(t, last, "visits") < 40 {
		last = s.info(kata)
	}
	if !strings.HasPrefix(last, "info move D5 visits 40 utility 0.200000 winrate ") ||
		!strings.HasSuffix(last, " order 0 pv D5") {
		t.Errorf("the line is %s", last)
	}
	select {
	case text := <-s.lines:
		t.Errorf("a full tree has more to say: %s", text)
	case <-time.After(50 * time.Millisecond):
	}
	if n := p.slices.Load(); n != 40 {
		t.Errorf("a full tree is searched %d times", n-40)
	}
	s.send("2 name")
	s.want("", "=2 Tengen", "")
	// Without an interval nothing is said.
	s.send("3 kata-analyze b")
	s.want("=3")
	time.Sleep(20 * time.Millisecond)
	s.send("")
	s.want("")
	if err := s.end(); err != nil {
		t.Error(err)
	}
	// By a clock that goes on by 2 ms whenever it is read, which is after each slice, a line
	// comes after some five slices.
	p = newSearcher()
	e = newScripted(t, p, false)
	e.config.Now = ticking(2 * time.Millisecond)
	s = serve(t, t.Context(), e)
	s.send("kata-analyze b 1")
	s.want("=")
	first := field(t, s.info(kata), "visits")
	second := field(t, s.info(kata), "visits")
	if first < 4 || first > 6 || second-first < 4 || second-first > 6 {
		t.Errorf("lines after %g and %g slices", first, second)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// An analysis ends with the input, the context, and an error of the evaluator or of writing.
func TestAnalyzeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, ctx, newUCT(t))
	s.send("kata-analyze 1")
	s.want("=")
	s.info(kata)
	cancel()
	if err := s.wait(); err != context.Canceled {
		t.Errorf("the context ends: %v", err)
	}
	s = serve(t, t.Context(), newUCT(t))
	s.send("kata-analyze")
	s.want("=")
	if err := s.end(); err != nil {
		t.Errorf("the input ends: %v", err)
	}
	p := newSearcher()
	p.err = errors.New("no device")
	s = serve(t, t.Context(), newScripted(t, p, false))
	s.send("kata-analyze 1\nname")
	s.want("? no device", "", "= Tengen", "")
	if err := s.end(); err != nil {
		t.Errorf("the evaluator fails: %v", err)
	}
	in, out := io.Pipe()
	defer in.Close()
	go io.WriteString(out, "kata-analyze 1\n")
	if err := newUCT(t).Serve(t.Context(), in, brokenPipe{}); err == nil ||
		!strings.Contains(err.Error(), "answer kata-analyze") {
		t.Errorf("writing fails: %v", err)
	}
}

// The network's tree is kept from an analysis for the move, and below it.
func TestAnalyzeKeepsTree(t *testing.T) {
	g := game.Must(game.New(five))
	p, err := player.Parse(g, "az:go-5x5x2,simulations=20")
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEngine(Config{Player: p, Game: g})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, t.Context(), e)
	s.send("kata-analyze b 1 rootInfo true")
	s.want("=")
	line := s.info(kata)
	for field(t, line[strings.Index(line, "rootInfo"):], "visits") < 500 {
		line = s.info(kata)
	}
	if field(t, line, "prior") <= 0 {
		t.Errorf("%s: no prior", line)
	}
	s.send("kata-genmove_analyze b 1 rootInfo true")
	s.rest(kata)
	s.want("=")
	for {
		text := s.line()
		if strings.HasPrefix(text, "play ") {
			break
		}
		line = text
	}
	s.want("")
	if n := field(t, line[strings.Index(line, "rootInfo"):], "visits"); n < 520 {
		t.Errorf("the move was chosen by %g visits", n)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
