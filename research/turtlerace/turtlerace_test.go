package turtlerace

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/player"
	"tengen/research"
	"tengen/research/pagetest"
)

// The copied tables of the paper are consistent: with one search, the shares that two
// strategies win against each other add up to 100 %; MCTS wins 18 to 37 % against the others
// with any strategy but Dummy.
func TestPaperTables(t *testing.T) {
	for number, paper := range paperTables {
		played := 0
		for i := range strategies {
			for j := range strategies {
				p := paper.percent[i][j]
				switch {
				case p == noGames && paper.twice() && i == j:
				case p < 0 || p > 100 || i == j && paper.twice():
					t.Errorf("table %s has %v at %d, %d", paper.number, p, i, j)
				case paper.twice() && p+paper.percent[j][i] != 100:
					t.Errorf("table %s: %v and %v at %d, %d",
						paper.number, p, paper.percent[j][i], i, j)
				case paper.row == mcts && !paper.twice() &&
					(j < 3 && (p < 18 || p > 37) || j == 3 && (p < 45 || p > 57)):
					t.Errorf("table %s: MCTS wins %v at %d, %d", paper.number, p, i, j)
				default:
					played++
				}
			}
		}
		want := 16
		if number < 3 {
			want = 12
		}
		if played != want || len(paper.cells()) != want/(2-want/16) {
			t.Errorf("table %s has %d places and %d cells",
				paper.number, played, len(paper.cells()))
		}
	}
}

// Whether figures differ, computed by hand: with 100 and 1000 games near one half the standard
// error is 5.2 points.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		theirs, ours float64
		want         bool
	}{
		{47, 51.2, false}, {40, 50, false}, {38, 50, true}, {62, 50, true}, {20, 20, false},
		{81, 89, true}, {81, 87, false},
	} {
		e := entry{theirs: c.theirs, ours: research.NewRate(c.ours/100, 1000), games: 1000}
		if e.apart() != c.want {
			t.Errorf("%v of 100 games and %v of 1000 are apart: %v", c.theirs, c.ours, !c.want)
		}
	}
	same := entry{theirs: 0, ours: research.NewRate(0, 2), games: 2}
	if same.apart() {
		t.Error("nothing and nothing are apart")
	}
	// The paper's table, except for one cell that is 20 points higher.
	table := &Table{Table: 2}
	for _, cell := range paperTables[1].cells() {
		p := paperTables[1].percent[cell[0]][cell[1]]
		if cell == [2]int{0, 3} {
			p -= 20
		}
		table.Cells = append(table.Cells,
			Cell{
				strategies[cell[0]], strategies[cell[1]],
				Match{Players: 2, Games: 1000, Rate: research.NewRate(p/100, 1000)},
			})
	}
	g := table.gap()
	if g.cells != 6 || g.apart != 1 || math.Abs(g.mean+20./6) > 1e-9 ||
		math.Abs(g.rms-math.Sqrt(400./6)) > 1e-9 {
		t.Errorf("the gap is %+v", g)
	}
	if below, ok := table.entry(3, 0); !ok || math.Abs(below.ours.Percent-39) > 1e-9 ||
		below.theirs != 19 || below.ours.Low >= 39 || below.ours.High <= 39 {
		t.Errorf("below the diagonal stands %+v, %v", below, ok)
	}
	if _, ok := table.entry(2, 2); ok {
		t.Error("a strategy plays itself")
	}
}

// Dummy's searches choose uniformly among all actions, as random does.
func TestDummyIsRandom(t *testing.T) {
	g, err := newGame(2, false)
	if err != nil {
		t.Fatal(err)
	}
	s, rng := g.NewState(), random.New(1, random.Test, 90)
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	legal := s.LegalActions(nil)
	for _, text := range []string{
		"minimax:depth=2,strategy=dummy,determinizations=2",
		"alphabeta:depth=4,strategy=dummy,determinizations=2,tt=0",
	} {
		p, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		agent := p.NewAgent(g)
		agent.Begin(random.New(1, random.Test, 91))
		const draws = 1000
		counts := map[game.Action]int{}
		for range draws {
			counts[must(player.Decide(agent, s, nil))]++
		}
		share := 1 / float64(len(legal))
		for _, a := range legal {
			if n := counts[a]; math.Abs(float64(n)-draws*share) >
				5*math.Sqrt(draws*share*(1-share)) {
				t.Errorf("%s plays %s %d times of %d, of %d legal actions",
					text, game.ActionName(g, s, a), n, draws, len(legal))
			}
		}
	}
}

// The searches of Tables II and III choose the same actions, so the games are the same.
func TestSearchesChooseAlike(t *testing.T) {
	g, err := newGame(2, false)
	if err != nil {
		t.Fatal(err)
	}
	var lines [2][]uint64
	for i, algorithm := range []string{minimax, alphaBeta} {
		m := arena.Match{
			Game: g, Seatings: [][]int{{0, 1}, {1, 0}}, Games: 6, Seed: 5, Workers: 1,
			GamesPerWorker: 1,
		}
		for _, strategy := range []string{"hybrid", "efficient"} {
			p, err := player.Parse(g, searches(algorithm, strategy, 0))
			if err != nil {
				t.Fatal(err)
			}
			m.Players = append(m.Players, p)
		}
		results, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			lines[i] = append(lines[i], r.Line)
		}
	}
	if !slices.Equal(lines[0], lines[1]) {
		t.Error("minimax and alpha-beta play different games")
	}
}

// A table has all its cells, with swapped seats, and does not depend on the number of cores.
func TestTable(t *testing.T) {
	finished, all := 0, 0
	m := Experiments{Games: 3, Seed: 1, Simulations: 8, Progress: func(
		what, unit string, done, of int,
	) {
		if what != "table I" || unit != "games" || done < finished {
			t.Errorf("%s: %d %s after %d", what, done, unit, finished)
		}
		finished, all = done, of
	}}
	found, err := m.Table(context.Background(), 1, false, research.Made{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Cells) != 6 || found.Made.Games != 24 || found.Made.Distinct != 24 ||
		finished != 24 || all != 24 {
		t.Fatalf("the table is %+v; %d of %d games", found, finished, all)
	}
	for _, c := range found.Cells {
		r := c.Match
		if r.Games != 4 || r.Low > r.Percent || r.High < r.Percent || r.Turns < 5 ||
			r.First.Milliseconds <= 0 ||
			!strings.Contains(r.First.Name, "rollout="+c.Row) ||
			!strings.Contains(r.Second.Name, "rollout="+c.Column) {
			t.Errorf("a cell is %+v", c)
		}
	}
	m.Progress = nil
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := m.Table(context.Background(), 1, false, research.Made{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range again.Cells {
		if was := found.Cells[i].Match; c.Match.Rate != was.Rate || c.Match.Turns != was.Turns {
			t.Errorf("again a cell is %+v, was %+v", c.Match, was)
		}
	}
	open, err := m.Table(context.Background(), 3, true, research.Made{})
	if err != nil || !open.open() || !strings.Contains(open.title(), "open hands") ||
		len(open.Cells) != 6 {
		t.Errorf("with open hands: %+v, %v", open, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Table(ended, 6, false, research.Made{}); err == nil {
		t.Error("a table goes on after the context has ended")
	}
	if _, err := m.Table(context.Background(), 7, false, research.Made{}); err == nil {
		t.Error("there is a table 7")
	}
}

// The players of all matches beyond the paper can be parsed, and different players of a section
// have different names.
func TestQuestions(t *testing.T) {
	m := Experiments{Games: 2, Simulations: 1000, Time: 5 * time.Millisecond}
	for section, want := range map[string]int{
		"theirs": 24, "players": 12, "ceiling": 11, "time": 2, "opponents": 12, "weak": 48,
	} {
		list, err := m.questions(section)
		if err != nil || len(list) != want {
			t.Errorf("section %s has %d matches, %v", section, len(list), err)
		}
		names := map[string]string{}
		for _, q := range list {
			g, err := newGame(q.players, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range [][2]string{q.first, q.second} {
				if _, err := player.Parse(g, x[1]); err != nil {
					t.Errorf("section %s: %v", section, err)
				}
				if was, ok := names[x[0]]; ok && was != x[1] {
					t.Errorf("section %s: %s and %s are both called %s", section, was, x[1], x[0])
				}
				names[x[0]] = x[1]
			}
		}
	}
	if _, err := m.questions("nothing"); err == nil ||
		!strings.Contains(err.Error(), "theirs, players") {
		t.Errorf("an unknown section: %v", err)
	}
	m.AlphaZero = []string{"no such run"}
	if _, err := m.questions("theirs"); err == nil {
		t.Error("a network that there is not plays")
	}
	m.AlphaZero = []string{"go-5x5x3"}
	if _, err := m.questions("theirs"); err == nil ||
		!strings.Contains(err.Error(), "the turtle race is wanted") {
		t.Errorf("a network of another game: %v", err)
	}
}

// Matches of more than two players, also at measured time, have every player in each seat.
func TestBeyond(t *testing.T) {
	m := Experiments{
		Games: 4, Seed: 1, Simulations: 5, Time: 200 * time.Microsecond,
	}
	for section, seats := range map[string][]int{
		"players": {3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5}, "time": {2, 2},
	} {
		b, err := m.Beyond(context.Background(), section, research.Made{})
		if err != nil {
			t.Fatal(err)
		}
		games := 0
		for i, q := range b.Matches {
			r := q.Match
			if r.Players != seats[i] || r.Games < 4 || r.Games%r.Players != 0 ||
				r.Low > r.Percent || r.High < r.Percent || r.Turns < 5 {
				t.Errorf("%s: a match is %+v", section, r)
			}
			games += r.Games
		}
		if len(b.Matches) != len(seats) || b.Made.Games != games {
			t.Errorf("%s has %d matches of %d games", section, len(b.Matches), b.Made.Games)
		}
	}
	// Equal players get equal shares: a third in a game for three.
	g, err := newGame(3, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.match(context.Background(), g, "random", "random",
		900, 7, &research.Made{}, func(int, int) {})
	if err != nil || r.Low > 100./3 || r.High < 100./3 {
		t.Errorf("between equals: %+v, %v", r, err)
	}
	if got := timedText("uct:simulations=10,c=1,time=3s,rollout=fast", "2ms"); got !=
		"uct:time=2ms,c=1,rollout=fast" {
		t.Errorf("at equal time it is %s", got)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestInterrupted: tables and sections that are interrupted return the cells so far.
func TestInterrupted(t *testing.T) {
	for name, find := range map[string]func(e *Experiments,
		ctx context.Context) (research.Part, error){
		"table1": func(e *Experiments, ctx context.Context) (research.Part, error) {
			return e.Table(ctx, 1, false, research.Made{})
		},
		"beyond-time": func(e *Experiments, ctx context.Context) (research.Part, error) {
			return e.Beyond(ctx, "time", research.Made{})
		},
	} {
		sections := pagetest.Interrupted(t, Layout, name, true, func(
			ctx context.Context, progress func(),
		) (research.Part, error) {
			return find(&Experiments{
				Games: 6, Seed: 1, Simulations: 2, Time: 100 * time.Microsecond,
				Progress: func(string, string, int, int) { progress() },
			}, ctx)
		})
		if n := len(sections); n < 4 || strings.Count(sections[n-2], "**") < 2 {
			t.Errorf("%s was interrupted %d times, at last with\n%s", name, n, sections[n-2])
		}
	}
}
