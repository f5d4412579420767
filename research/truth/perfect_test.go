package truth

import (
	"context"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/connectfour"
	_ "tengen/game/mnk"
	"tengen/player"
	"tengen/research"
	"tengen/research/pagetest"
)

// The game of the tests, small enough to be solved at once.
const small = "connect-four:rows=4,columns=5"

func smallSets(t *testing.T, n int) (game.Game, []Set) {
	t.Helper()
	g := game.Must(game.New(small))
	sets, err := NewSets(context.Background(), g, n, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, sets
}

func TestSets(t *testing.T) {
	g, sets := smallSets(t, 40)
	again, err := NewSets(context.Background(), g, 40, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, set := range sets {
		seen := map[uint64]bool{}
		for i := range set.Positions {
			p := &set.Positions[i]
			turn := p.State.(game.Turned).Turn()
			legal := p.State.LegalActions(nil)
			if turn < set.Least || turn > set.Most || len(legal) < 2 ||
				len(p.Solved) != len(legal) || seen[p.State.Hash()] {
				t.Errorf("%s: a position of %d plies with %d actions, of which %d are solved",
					set.Name, turn, len(legal), len(p.Solved))
			}
			seen[p.State.Hash()] = true
			if p.State.Hash() != again[k].Positions[i].State.Hash() {
				t.Errorf("%s: position %d is another in the second set", set.Name, i)
			}
		}
	}
	if _, err := NewSets(context.Background(), g, 50_000, 1, nil); err == nil {
		t.Error("50,000 positions of four to five stones are found")
	}
	if _, err := NewSets(context.Background(), game.Must(game.New("tictactoe")), 1, 1,
		nil); err == nil {
		t.Error("sets of a game without a solver")
	}
}

// By hand: of four actions, one wins in 3, one in 1, one draws and one loses.
func TestKept(t *testing.T) {
	g := game.Must(game.New(small))
	p := Position{State: g.NewState(), Solved: []game.Solved{
		{Action: 0, Value: [2]float32{1, 0}, Plies: 3},
		{Action: 1, Value: [2]float32{1, 0}, Plies: 1},
		{Action: 2, Value: [2]float32{0.5, 0.5}, Plies: 9},
		{Action: 4, Value: [2]float32{0, 1}, Plies: 2},
	}}
	p.best = game.BestSolved(p.Solved, 0)
	for a, want := range map[game.Action][2]bool{
		0: {true, false}, 1: {true, true}, 2: {}, 3: {}, 4: {},
	} {
		if outcome, exact := p.Kept(a); outcome != want[0] || exact != want[1] {
			t.Errorf("action %d keeps %v, %v; want %v", a, outcome, exact, want)
		}
	}
	if !p.Open() {
		t.Error("the position is not open")
	}
	p.Solved = p.Solved[:2]
	if p.best = game.BestSolved(p.Solved, 0); p.Open() {
		t.Error("a position of wins is open")
	}
	set := Set{Positions: []Position{p, p, p, p}}
	if c := set.judge([]game.Action{0, 1, 1, 1}); c.Outcome.Percent != 100 ||
		c.Exact.Percent != 75 || c.Open != nil {
		t.Errorf("judged %+v", c)
	}
}

// The solver plays perfect moves only, random play does not, and UCT with more simulations plays
// more of them.
func TestPerfectPlay(t *testing.T) {
	g, sets := smallSets(t, 60)
	m := &Measurement{Game: g, Sets: sets, Simulations: []int{10, 1000}, Seed: 1}
	table := m.table(research.Made{})
	for _, text := range []string{"solver:tt=1", "random"} {
		p, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.add(context.Background(), table, Row{Player: text}, p); err != nil {
			t.Fatal(err)
		}
	}
	for k, c := range table.Rows[0].Cells {
		if c.Outcome.Percent != 100 || c.Exact.Percent != 100 {
			t.Errorf("the solver keeps %v and %v of the %s set", c.Outcome, c.Exact, sets[k].Name)
		}
	}
	sum := func(r Row) (x float64) {
		for _, c := range r.Cells {
			x += c.Exact.Percent
		}
		return x
	}
	if x := sum(table.Rows[1]); x > 270 || x < 30 {
		t.Errorf("random play is exact in %v %% of three sets", x)
	}
	u, err := m.UCT(context.Background(), research.Made{})
	if err != nil {
		t.Fatal(err)
	}
	if few, many := sum(u.Rows[0]), sum(u.Rows[1]); many <= few {
		t.Errorf("UCT is exact in %v %% with few simulations, in %v %% with many", few, many)
	}
	// With many simulations a win that has been proven may not be the nearest.
	if without, with := sum(u.Rows[0]), sum(u.Rows[2]); with <= without || !u.Rows[2].Proofs {
		t.Errorf("UCT is exact in %v %% with few simulations without proofs, in %v %% with",
			without, with)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if u, err := m.UCT(ctx, research.Made{}); err == nil || u.Interrupted == nil {
		t.Errorf("ended: %v, %+v", err, u)
	}
}

func TestSpread(t *testing.T) {
	even := []int{10, 20, 30, 40, 50}
	for _, c := range []struct {
		n    int
		list []int
		want []int
	}{
		{1, even, []int{50}}, {2, even, []int{20, 50}}, {3, even, []int{20, 30, 50}},
		{5, even, even}, {9, even, even}, {3, nil, nil},
		{4, []int{16, 32, 40, 48, 52, 54, 58, 60, 61, 62, 63, 64}, []int{16, 32, 48, 64}},
		{4, []int{60, 61, 62, 63, 64}, []int{60, 64}},
	} {
		if got := spread(c.list, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%d of %v: %v; want %v", c.n, c.list, got, c.want)
		}
	}
}

func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce connect-four", Machine: "2 processors", Seed: 1, Games: 3000,
		Distinct: 3000,
	}
	stages := []Range{{"early", 10, 13, 700}, {"middle", 14, 27, 600}, {"late", 28, 38, 300}}
	cells := func(share float64) []Cell {
		open := research.NewRate(share/3, 600)
		return []Cell{
			{research.NewRate(share, 1000), research.NewRate(share/2, 1000), &open},
			{research.NewRate(share, 1000), research.NewRate(share/2, 1000), &open},
			{research.NewRate(1, 1000), research.NewRate(share/2, 1000), nil},
		}
	}
	table := func(folder, search string) *Table {
		t := &Table{
			Made: made, Game: "connect-four:rows=6", Run: folder, Positions: 1000, Stages: stages,
		}
		for i := 1; i <= 2; i++ {
			t.Rows = append(t.Rows,
				Row{
					Player: "policy:x", Iteration: 10 * i, Games: 4000 * i, Hours: 0.5 * float64(i),
					Cells: cells(0.4 * float64(i)),
				},
				Row{
					Player: search, Simulations: 100, Iteration: 10 * i, Games: 4000 * i,
					Hours: 0.5 * float64(i), Cells: cells(0.45 * float64(i)),
				})
		}
		return t
	}
	uct := &Table{Made: made, Game: "connect-four:rows=6", Positions: 1000, Stages: stages,
		Rows: []Row{
			{Player: "uct:simulations=100", Simulations: 100, Cells: cells(0.5)},
			{Player: "uct:simulations=100,proofs=true", Simulations: 100, Proofs: true,
				Cells: cells(0.6)},
		}}
	return map[string]research.Part{
		"uct": uct, "alphazero": table("runs/connect-four", "az:x"),
		"descent": table("runs/d", "ubfm:x"),
	}
}

func TestPage(t *testing.T) {
	parts := allParts()
	delete(parts, "descent") // has the text of alphazero
	pagetest.Golden(t, Layout, parts)
}

func TestPartsAtEveryByte(t *testing.T) { pagetest.EveryByte(t, Layout, allParts()) }

func TestDamagedParts(t *testing.T) {
	pagetest.Damaged(t, Layout, [][3]string{
		{"uct", `{`, "unexpected end"},
		{"uct", `null`, "version 1"},
		{"uct", `{"made":{"version":1}}`, "no game"},
		{"descent", `{"made":{"version":1},"game":"x","stages":[{}],"rows":[{}]}`,
			"0 cells for 1 sets"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"uct": `{"made":{"version":1},"game":"a","stages":[{}],"rows":[{"cells":[{}]}]}`,
	})
}
