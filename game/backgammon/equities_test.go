package backgammon

import (
	"bytes"
	"context"
	"math"
	"os"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

// solve returns the equities of a small game.
func solve(t testing.TB, checkers int) *Equities {
	t.Helper()
	v, err := New(checkers).NewSolver(0)
	if err != nil {
		t.Fatal(err)
	}
	return EquitiesOf(v)
}

// The numbers of positions. Keith (2018, "Hyper Fun 04: Hard-To-Reach Positions") counts 7,959,904
// with three checkers, among them those in which one player or both have borne off all checkers.
func TestNumberOfPositions(t *testing.T) {
	for n, want := range map[int]int{1: 652, 3: 7_959_904} {
		e := &Equities{arrangements: newArrangements(n)}
		if got := e.Positions() + 2*len(e.sides) - 1; got != want {
			t.Errorf("%d checkers have %d positions; want %d", n, got, want)
		}
	}
}

// The arrangements are numbered without gaps.
func TestArrangements(t *testing.T) {
	for n := 1; n <= MostSolved; n++ {
		x := newArrangements(n)
		for i := range x.sides {
			if got := x.index(&x.sides[i]); got != i {
				t.Fatalf("%d checkers: arrangement %d has the number %d", n, i, got)
			}
			total := 0
			for _, k := range x.sides[i].n {
				total += int(k)
			}
			if total != n {
				t.Fatalf("%d checkers: arrangement %d has %d", n, i, total)
			}
		}
	}
}

// valueOf returns the value of the board for player p, who is about to roll, or has lost.
func (n *naive) valueOf(e *Equities, p int) float64 {
	var s [players]side
	for i := range s {
		total := 0
		for point := 1; point <= points; point++ {
			for range max(0, n.at(i, point)) {
				s[i].put(point)
				total++
			}
		}
		for range n.bars[i] {
			s[i].put(bar)
			total++
		}
		s[i].n[0] = int8(n.checkers - total)
	}
	if s[1-p].one == 0 {
		return -float64(s[p].stake())
	}
	return float64(e.of(e.index(&s[p]), e.index(&s[1-p])))
}

// The values satisfy the equations of optimal play, with turns by the naive rules: the value of a
// position is the mean over the rolls of the best turn. That has one solution.
func TestEquitiesAreOptimal(t *testing.T) {
	for n := 1; n <= 2; n++ {
		e := solve(t, n)
		g := New(n)
		check := func(a, b int) {
			s := g.NewState().(*State)
			s.opening, s.sides = false, [players]side{e.sides[a], e.sides[b]}
			board := naiveOf(s)
			want := 0.
			for x := 1; x <= sides; x++ {
				for y := 1; y <= sides; y++ {
					best := math.Inf(-1)
					for next := range board.turns(0, max(x, y), min(x, y)) {
						best = max(best, -next.valueOf(e, 1))
					}
					want += best / (sides * sides)
				}
			}
			if got := e.Value(s); math.Abs(got-want) > 1e-5 {
				t.Fatalf("%s is worth %v; by the equation %v", s.Position(), got, want)
			}
		}
		rng := random.New(1, random.Test, 85)
		for a := range e.sides {
			for b := range e.sides {
				if e.legal(a, b) && (n == 1 || rng.IntN(300) == 0) {
					check(a, b)
				}
			}
		}
	}
}

// Where the players have passed each other, plain expectiminimax ends, and gives the same values of
// positions and actions.
func TestEquitiesAgreeWithExpectiminimax(t *testing.T) {
	e := solve(t, 2)
	g := New(2)
	v := &solver{e}
	rng := random.New(1, random.Test, 86)
	for range 30 {
		s := g.NewState().(*State)
		s.opening = false
		for p := range s.sides {
			s.sides[p] = side{}
			for range g.checkers {
				s.sides[p].put(1 + rng.IntN(9))
			}
		}
		s.mover = int8(rng.IntN(2))
		s.Apply(s.Sample(rng))
		want, err := gametest.Solve(g, s, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		list := v.Solve(s, nil)
		best := game.BestSolved(list, s.CurrentPlayer())
		for p := range want.Values {
			if math.Abs(float64(best.Value[p])-want.Values[p]) > 1e-6 {
				t.Fatalf("%s: the values are %v; by expectiminimax %v",
					s.Position(), best.Value, want.Values)
			}
		}
		if len(list) != len(s.LegalActions(nil)) {
			t.Fatalf("%s: %d actions are solved", s.Position(), len(list))
		}
	}
}

// Going on from equities that were stopped early leads to the same values.
func TestSolveGoesOn(t *testing.T) {
	want := solve(t, 1)
	ctx, stop := context.WithCancel(context.Background())
	e, err := Solve(ctx, 1, SolvedTo, nil, func(s Sweep) {
		if s.Number == 3 && s.Share == 1 {
			stop()
		}
	})
	if err == nil || e.Sweeps != 3 || e.Change <= SolvedTo {
		t.Fatalf("stopped after %d sweeps with a change of %v: %v", e.Sweeps, e.Change, err)
	}
	if e, err = Solve(context.Background(), 1, SolvedTo, e, nil); err != nil ||
		e.Change > SolvedTo || e.Sweeps <= 3 {
		t.Fatalf("complete after %d sweeps with a change of %v: %v", e.Sweeps, e.Change, err)
	}
	for i, x := range want.values {
		if math.Abs(float64(x-e.values[i])) > 1e-5 {
			t.Fatalf("value %d is %v, in one go %v", i, e.values[i], x)
		}
	}
	if _, err := Solve(context.Background(), 2, SolvedTo, e, nil); err == nil {
		t.Error("equities of 1 checker are those of 2")
	}
}

const goldenTable = "testdata/one.equities"

func TestTable(t *testing.T) {
	e := solve(t, 1)
	gametest.Rewrite(t, goldenTable, e.Write)
	golden, err := os.ReadFile(goldenTable)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseEquities(golden)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range read.values {
		if math.Abs(float64(x-e.values[i])) > 1e-6 {
			t.Fatalf("value %d is %v; in %s %v", i, e.values[i], goldenTable, x)
		}
	}
	var again bytes.Buffer
	if err := read.Write(&again); err != nil || !bytes.Equal(again.Bytes(), golden) {
		t.Errorf("%s is written again with other bytes: %v", goldenTable, err)
	}
	for i := range golden { // every byte matters
		bad := bytes.Clone(golden)
		bad[i] ^= 1
		if _, err := ParseEquities(bad); err == nil {
			t.Fatalf("byte %d changed is not found", i)
		}
	}
	if _, err := ParseEquities(golden[:len(golden)-1]); err == nil {
		t.Error("a file that is too short is read")
	}
	if _, err := New(2).OpenTable(goldenTable); err == nil {
		t.Error("values of 1 checker are those of 2")
	}
	if _, err := New(1).OpenTable(goldenTable); err != nil {
		t.Error(err)
	}
}

func FuzzParseEquities(f *testing.F) {
	golden, err := os.ReadFile(goldenTable)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseEquities(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := e.Write(&b); err != nil || !bytes.Equal(b.Bytes(), data) {
			t.Errorf("written again with other bytes: %v", err)
		}
	})
}

func TestWhoHasNoSolver(t *testing.T) {
	for _, n := range []int{3, 15} {
		if _, err := New(n).NewSolver(0); err == nil {
			t.Errorf("%d checkers are solved without a file", n)
		}
	}
}
