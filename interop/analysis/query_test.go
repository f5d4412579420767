package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
)

// parsed returns the query of a line.
func parsed(t *testing.T, c *Config, line string) *query {
	t.Helper()
	o, err := parseObject([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	q, _, f := parse(c, o)
	if f != nil {
		t.Fatalf("%s: %s: %s", line, f.field, f.text)
	}
	return q
}

// Rules and komi: what the names stand for, and the points for handicap stones.
func TestRules(t *testing.T) {
	c := newConfig(t, five, "uct:simulations=10")
	for _, x := range []struct{ rules, stones, more, want string }{
		{`{}`, "", "", "komi=[0,6.5]"},
		{`"chinese"`, "", "", "ko=simple,komi=[0,6.5]"},
		{`"Chinese_OGS"`, "", "", "komi=[0,6.5]"},
		{`"chinese-kgs"`, "", "", "komi=[0,6.5]"},
		{`"aga"`, "", "", "ko=situational,komi=[0,6.5]"},
		{`"french"`, "", "", "ko=situational,komi=[0,6.5]"},
		{`{"ko":"SIMPLE","scoring":"area","tax":"NONE","suicide":false,"hasButton":false,"friendlyPassOk":true}`, "", "", "ko=simple,komi=[0,6.5]"},
		{`"chinese"`, `["B","A1"],["B","B2"],["B","A1"]`, "", "ko=simple,komi=[0,8.5]"},
		{`"aga"`, `["B","A1"],["B","B2"]`, "", "ko=situational,komi=[0,7.5]"},
		{`"aga"`, `["B","A1"]`, "", "ko=situational,komi=[0,6.5]"},
		{`"aga"`, `["B","A1"],["B","B2"],["W","E5"]`, "", "ko=situational,komi=[0,6.5]"},
		{`"aga"`, `["B","A1"],["B","B2"]`, `,"whiteHandicapBonus":"N"`,
			"ko=situational,komi=[0,8.5]"},
		{`"chinese"`, `["B","A1"],["B","B2"]`, `,"whiteHandicapBonus":"0"`,
			"ko=simple,komi=[0,6.5]"},
		{`{"whiteHandicapBonus":"N-1"}`, `["B","A1"],["B","B2"]`, "", "komi=[0,7.5]"},
	} {
		q := parsed(t, &c, fmt.Sprintf(`{"id":"q","rules":%s,"komi":6.5,"boardXSize":5,"boardYSize":5,"moves":[],"initialStones":[%s]%s}`, x.rules, x.stones, x.more))
		r, _ := goban.RulesOf(q.game)
		got := fmt.Sprintf("komi=[%g,%g]", r.Komi[0], r.Komi[1])
		if r.Ko != goban.Positional {
			got = fmt.Sprintf("ko=%s,%s", r.Ko, got)
		}
		if got != x.want {
			t.Errorf("%s with %s%s: %s, want %s", x.rules, x.stones, x.more, got, x.want)
		}
	}
	if r, _ := goban.RulesOf(parsed(t, &c,
		`{"id":"q","rules":{},"boardXSize":9,"boardYSize":7,"moves":[]}`).game); r.Rows != 7 ||
		r.Columns != 9 || r.Komi[1] != 7.5 || r.MaxPlies != 6*63 {
		t.Errorf("%+v", r)
	}
}

// The colour that moves first.
func TestInitialPlayer(t *testing.T) {
	c := newConfig(t, five, "uct:simulations=10")
	for _, x := range []struct {
		fields string
		want   game.Player
	}{
		{`"moves":[]`, 0},
		{`"moves":[],"initialPlayer":"W"`, 1},
		{`"moves":[],"initialStones":[["B","A1"],["B","B2"]]`, 1},
		{`"moves":[],"initialStones":[["B","A1"]]`, 0},
		{`"moves":[],"initialStones":[["B","A1"],["B","B2"],["W","C3"]]`, 0},
		{`"moves":[],"initialStones":[["B","A1"],["B","B2"]],"initialPlayer":"black"`, 0},
		{`"moves":[["W","A1"]],"analyzeTurns":[0]`, 1},
		{`"moves":[["W","A1"]],"analyzeTurns":[0],"initialPlayer":"b"`, 0},
		{`"moves":[["W","A1"]]`, 0},
		{`"moves":[["W","A1"],["W","A2"]]`, 0},
		{`"moves":[["B","pass"],["W","pass"]]`, 0},
		{`"moves":[["B","A1"],["W","pass"],["B","pass"]]`, 1},
	} {
		q := parsed(t, &c, `{"id":"q","rules":{},"boardXSize":5,"boardYSize":5,`+x.fields+`}`)
		if s, err := q.at(q.turns[0].number); err != nil || s.CurrentPlayer() != x.want {
			t.Errorf("%s: %d is to move, %v", x.fields, s.CurrentPlayer(), err)
		}
	}
	// A game as long as the rules allow it has no position after it.
	c = newConfig(t, five+",max_plies=3", "uct:simulations=10")
	for moves, want := range map[string]string{
		`["B","A1"],["W","A2"]`:                           "",
		`["B","A1"],["W","A2"],["B","A3"]`:                "analyzeTurns: the game is over",
		`["B","A1"],["W","A2"],["B","A3"],["W","A4"]`:     "moves: Illegal move 3: A4: the game is over",
		`["B","A1"],["B","A2"],["B","A3"]`:                "moves: Illegal move 2: A3: the game is over",
		`["B","pass"],["W","pass"],["B","A1"],["W","A2"]`: "moves: Illegal move 3: A2: the game is over",
	} {
		o, err := parseObject(
			[]byte(`{"id":"q","rules":{},"boardXSize":5,"boardYSize":5,"moves":[` + moves + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, _, f := parse(&c, o); f != nil {
			got = f.field + ": " + f.text
		}
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %s, want %s", moves, got, want)
		}
	}
}

// A network that was trained on wins is told of with another komi.
func TestKomiOfWins(t *testing.T) {
	c := newConfig(t, "go:size=5,players=2,pass=free,reward=win,komi=[0,2]", "uct:simulations=10")
	c.Fixed = true // as if it were a network
	for komi, want := range map[string]int{"2": 0, "2.5": 1} {
		o, err := parseObject(
			[]byte(`{"id":"q","rules":{},"komi":` + komi +
				`,"boardXSize":5,"boardYSize":5,"moves":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, warnings, f := parse(&c, o); f != nil || len(warnings) != want {
			t.Errorf("komi %s: %v, %v", komi, warnings, f)
		}
	}
	s := serve(t, t.Context(), c)
	s.send(`{"id":"q","rules":{},"komi":2,"boardXSize":5,"boardYSize":5,"moves":[]}`)
	if r := s.final("q"); r.RootInfo.ScoreLead != nil || r.MoveInfos[0].ScoreMean != nil ||
		strings.Contains(r.text, "score") {
		t.Errorf("leads are told, which are not known: %s", r.text)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// The queue agrees with a list that is sorted anew for every job.
func TestQueue(t *testing.T) {
	rng := random.New(1, random.Test)
	for range 200 {
		q := newQueue()
		var list []*job
		number := 0
		for range 60 {
			switch rng.IntN(4) {
			case 0, 1:
				x := &query{id: fmt.Sprint(rng.IntN(4))}
				for range 1 + rng.IntN(3) {
					p := position{rng.IntN(3), int64(rng.IntN(3))}
					x.turns = append(x.turns, p)
					list = append(list, &job{query: x, position: p, order: uint64(number)})
					number++
				}
				q.Add(x)
			case 2:
				if len(list) == 0 {
					continue
				}
				slices.SortFunc(list, func(a, b *job) int {
					return cmp.Or(cmp.Compare(b.priority, a.priority),
						cmp.Compare(a.order, b.order))
				})
				if got := q.Next(); got.order != list[0].order {
					t.Fatalf("job %d comes first, want %d", got.order, list[0].order)
				} else {
					q.Done(got)
				}
				list = list[1:]
			case 3:
				if rng.IntN(4) > 0 {
					continue
				}
				id, turn := fmt.Sprint(rng.IntN(4)), rng.IntN(3)
				match := func(j *job) bool { return j.id == id && j.number == turn }
				var want, got []uint64
				for _, j := range list {
					if match(j) {
						want = append(want, j.order)
					}
				}
				slices.Sort(want)
				list = slices.DeleteFunc(list, match)
				for _, j := range q.Stop(match) {
					got = append(got, j.order)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%v are stopped, want %v", got, want)
				}
			}
		}
		q.Close(false)
		for range list {
			if q.Next() == nil {
				t.Fatal("a job is missing")
			}
		}
		if q.Next() != nil {
			t.Fatal("there is a job too many")
		}
		if q.Add(&query{turns: []position{{}}}); q.Next() != nil {
			t.Fatal("a job comes after the end")
		}
	}
}

// Whatever a line is, the parser says what is wrong with it or makes positions that can be
// searched.
func FuzzQuery(f *testing.F) {
	f.Add(ask("q", 10, "B C3 W pass B pass", `"analyzeTurns":[0,3],"priorities":[1,2]`))
	f.Add(ask("q", 10, "W A1 W A2", `"initialStones":[["B","C3"]],"initialPlayer":"W","avoidMoves":[{"player":"B","moves":["pass","B2"],"untilDepth":3}]`))
	f.Add(`{"id":"q","rules":"aga","boardXSize":2,"boardYSize":3,"moves":[["B","B3"]],"overrideSettings":{"maxTime":"1","maxVisits":3},"maxVisits":1}`)
	f.Add(`{"id":"q","rules":{"ko":"SIMPLE"},"boardXSize":2,"boardYSize":2,"moves":[],"allowMoves":[{"player":"B","moves":["A1"],"untilDepth":1}],"includePolicy":true,"komi":-150,"reportDuringSearchEvery":1e6}`)
	_, line := (&katrain{}).query(50, [][2]string{{"B", "C3"}})
	f.Add(line)
	c := newConfig(f, five, "uct:simulations=10")
	f.Fuzz(func(t *testing.T, line string) {
		o, err := parseObject([]byte(line))
		if err != nil {
			return
		}
		q, warnings, wrong := parse(&c, o)
		if len(warnings) > 64 {
			t.Errorf("%d warnings", len(warnings))
		}
		if wrong != nil {
			if wrong.field == "" || wrong.text == "" {
				t.Errorf("%+v says little", wrong)
			}
			return
		}
		if len(q.turns) == 0 || q.visits < 1 {
			t.Fatalf("%+v", q)
		}
		for _, p := range q.turns {
			s, err := q.at(p.number)
			if err != nil || s.CurrentPlayer() == game.Nobody || len(s.LegalActions(nil)) == 0 {
				t.Fatalf("turn %d: %v", p.number, err)
			}
		}
	})
}
