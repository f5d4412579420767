package goban

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// One black stone takes the last liberty of a white and of a red stone.
func TestCapturesSeveralColorsAtOnce(t *testing.T) {
	for _, size := range bothLayouts {
		g := game.Must(game.New(fmt.Sprintf("go:size=%d,players=3,pass=free", size)))
		s := g.NewState()
		play(t, g, s, "a2 a1 c1  c2 pass pass  d1 pass pass  b2 pass pass  b1")
		bottom := strings.Split(diagram(s, size, size), "/")[size-2:]
		if got := bottom[0][:5] + "/" + bottom[1][:5]; got != "XXX../.X.X." {
			t.Errorf("size %d: the corner is %s", size, got)
		}
	}
}

func TestSuicide(t *testing.T) {
	for _, size := range bothLayouts {
		r := Rules{Rows: size, Columns: size, Players: 3}
		for _, c := range []struct {
			what, diagram string
			color         int
			legal         bool // for the point in the corner
		}{
			{"a stone alone among Black", ".X/X.", 1, false},
			{"the third colour likewise", ".X/X.", 2, false},
			{"a point among the mover's own stones", ".X/X.", 0, true},
			{"two groups joined without a liberty", ".OX/OX./X..", 1, false},
			{"the same point captures both groups", ".OX/OX./X..", 2, true},
			{"a capture of one colour saves the stone", ".OX/#X.", 0, true},
			{"two groups, neither of which can be captured", ".OX/#..", 0, false},
			{"joins a group with another liberty", ".XO/O..", 0, true},
			{"joins a group without one", ".XO/OO.", 0, false},
			{"joins a group with a liberty below", ".O/XO", 0, true},
		} {
			s := fromDiagram(t, r, c.diagram, c.color)
			if got := slices.Contains(s.LegalActions(nil), 0); got != c.legal {
				t.Errorf("size %d: %s (%s): legal %v", size, c.what, c.diagram, got)
			}
		}
	}
}

// TestKo checks the three rules in two positions that distinguish them.
func TestKo(t *testing.T) {
	for _, size := range []int{5, 9} {
		for _, c := range []struct {
			ko             string
			recapture      bool
			afterOtherMove bool
		}{
			{"positional", false, true},
			// Red has moved in between: with Red to move the position is new.
			{"situational", true, true},
			{"simple", false, true},
		} {
			g := game.Must(game.New(fmt.Sprintf("go:size=%d,players=3,pass=free,ko=%s",
				size, c.ko)))
			s := g.NewState()
			// White c2 is in atari; Red plays elsewhere; Black captures at d2.
			play(t, g, s, "b2 d1 pass  c1 d3 pass  c3 e2 pass  pass c2 a5  d2")
			if got := allows(t, g, s, "c2"); got != c.recapture {
				t.Errorf("size %d, %s: White may retake at once: %v", size, c.ko, got)
			}
			play(t, g, s, "e5 pass a4")
			if got := allows(t, g, s, "c2"); got != c.afterOtherMove {
				t.Errorf("size %d, %s: White may retake after other moves: %v", size, c.ko, got)
			}
		}
	}
	// With two colours all three forbid an immediate recapture.
	for _, ko := range []string{"positional", "situational", "simple"} {
		g := game.Must(game.New("go:size=5,players=2,pass=free,ko=" + ko))
		s := g.NewState()
		play(t, g, s, "b2 d1  c1 d3  c3 e2  pass c2  d2")
		if allows(t, g, s, "c2") {
			t.Errorf("%s: White may retake at once", ko)
		}
		play(t, g, s, "a5 e5")
		if !allows(t, g, s, "c2") {
			t.Errorf("%s: White may not retake after a threat", ko)
		}
	}
}

// TestSuperko: on 2×2 points Black's fourth stone captures three and would recreate
// the position after the first, with the same colour to move.
func TestSuperko(t *testing.T) {
	for ko, want := range map[string]bool{
		"positional": false, "situational": false, "simple": true,
	} {
		g := game.Must(game.New("go:size=2,players=2,pass=free,ko=" + ko))
		s := g.NewState()
		play(t, g, s, "a1 b2 a2 b1 a1 a2")
		if got := diagram(s, 2, 2); got != "OO/.O" {
			t.Fatalf("%s: the board is %s", ko, got)
		}
		if got := allows(t, g, s, "a1"); got != want {
			t.Errorf("%s: the last capture is legal: %v", ko, got)
		}
	}
}

func TestEyes(t *testing.T) {
	for _, c := range []struct {
		what, diagram string
		point         string // counted from the upper left: row, column
		diagonal      bool
		chain         bool
		orthogonal    bool
	}{
		{"corner, diagonal empty", ".X./X../...", "00", true, false, true},
		{"corner, diagonal own", ".X./XX./...", "00", true, true, true},
		{"corner, diagonal of another colour", ".X./XO./...", "00", false, false, true},
		{"corner, diagonal of the third colour", ".X./X#./...", "00", false, false, true},
		{"corner, a neighbour empty", "..../X.../...", "00", false, false, false},
		{"corner, a neighbour of another colour", ".X./O../...", "00", false, false, false},
		{"edge, both diagonals own", "X.X/XXX/...", "01", true, true, true},
		{"edge, diagonals empty", "X.X/.X./...", "01", true, false, true},
		{"edge, one diagonal of another colour", "X.X/OX./...", "01", false, false, true},
		{"edge, connected around", "X.X./X#X/XXX", "01", false, false, false},
		{"interior, all own", "XXX/X.X/XXX", "11", true, true, true},
		{"interior, one diagonal of another colour", "OXX/X.X/XXX", "11", true, true, true},
		{"interior, one diagonal empty, one of another colour", "OXX/X.X/XX.", "11",
			true, false, true},
		{"interior, two diagonals of other colours", "OXX/X.X/XX#", "11", false, false, true},
		{"interior, two, but in one group", "XXXXX/XOXOX/XX.XX/..X.X/..XXX", "22",
			false, true, true},
		{"interior, four groups", ".X./X.X/.X.", "11", true, false, true},
	} {
		row, column := int(c.point[0]-'0'), int(c.point[1]-'0')
		for _, size := range bothLayouts {
			for kind, want := range map[Eye]bool{
				Diagonal: c.diagonal, Chain: c.chain, Orthogonal: c.orthogonal,
			} {
				s := fromDiagram(t, Rules{Rows: size, Columns: size, Players: 3, Eye: kind},
					c.diagram, 0)
				p := row*size + column
				var got bool
				switch s := s.(type) {
				case *small:
					own := s.stones[0]
					got = s.eyes(own, s.occupied()&^own, s.full&^s.occupied())>>p&1 != 0
				case *large:
					got = s.isEye(int16(p))
				}
				if got != want {
					t.Errorf("size %d, %s (%s): %s eye %v", size, c.what, c.diagram, kind, got)
				}
			}
		}
	}
}

// TestForcedPass: eye-filling placements are legal only if there is another placement.
func TestForcedPass(t *testing.T) {
	for _, c := range []struct {
		diagram string
		pass    Pass
		color   int
		want    []game.Action
	}{
		{"X.X.X", Forced, 0, []game.Action{5}},
		{"X.X.X", Free, 0, []game.Action{1, 3, 5}},
		{"X.X.X", Forced, 1, []game.Action{1, 3}}, // each captures a stone at the end
		{"X.X.X..", Forced, 0, []game.Action{1, 3, 5, 6}},
		{"XX.XX.X", Forced, 2, []game.Action{2, 5}}, // likewise
		{".XX.XX.", Forced, 2, []game.Action{7}},    // all are suicide
		{".", Forced, 0, []game.Action{1}},          // the only placement is suicide
		{".", Free, 0, []game.Action{1}},
	} {
		s := fromDiagram(t, Rules{Rows: 1, Columns: len(c.diagram), Players: 3, Pass: c.pass},
			c.diagram, c.color)
		if got := s.LegalActions(nil); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s, colour %d: legal %v, want %v",
				c.diagram, c.pass, c.color, got, c.want)
		}
	}
}

func TestGameEnds(t *testing.T) {
	for players := 2; players <= 4; players++ {
		for _, size := range bothLayouts {
			g := game.Must(game.New(fmt.Sprintf("go:size=%d,players=%d,pass=free", size, players)))
			s := g.NewState()
			play(t, g, s, strings.Repeat("pass ",
				players-1)+"a1 "+strings.Repeat("pass ", players-1))
			if s.CurrentPlayer() == game.Nobody {
				t.Errorf("%s: over after %d passes", g.Name(), players-1)
			}
			s.Apply(action(t, g, s, "pass"))
			if s.CurrentPlayer() != game.Nobody {
				t.Errorf("%s: not over after %d passes", g.Name(), players)
			}
		}
	}
	g := game.Must(game.New("go:size=5,players=3,max_plies=4"))
	s := g.NewState()
	play(t, g, s, "a1 b1 c1")
	if s.CurrentPlayer() != 0 {
		t.Errorf("after three plies of four the current player is %d", s.CurrentPlayer())
	}
	play(t, g, s, "e5")
	if s.CurrentPlayer() != game.Nobody {
		t.Errorf("after four plies of four the current player is %d", s.CurrentPlayer())
	}
}

func TestScores(t *testing.T) {
	for _, c := range []struct {
		what, diagram string
		want          [3]float32 // points without komi on a board that continues with empty points
	}{
		{"an empty board", ".", [3]float32{0, 0, 0}},
		{"one stone has it all", "X", [3]float32{1, 0, 0}},
		{"a region between two colours", "X.O", [3]float32{1, 1, 0}},
		{"a corner of one's own", ".X./XO.", [3]float32{3, 1, 0}},
		{"a corner that two colours touch", ".X./O..", [3]float32{1, 1, 0}},
		{"two regions of two colours", ".X.O./XXOO#/...#.", [3]float32{4, 3, 2}},
	} {
		for _, size := range bothLayouts {
			r := Rules{Rows: size, Columns: size, Players: 3, Komi: []float64{0, 0.5, 7}}
			got := make([]float32, 3)
			fromDiagram(t, r, c.diagram, 0).(game.Scored).Scores(got)
			want := c.want
			if c.diagram == "X" {
				want[0] = float32(size * size)
			}
			want[1] += 0.5
			want[2] += 7
			if !slices.Equal(got, want[:]) {
				t.Errorf("size %d, %s (%s): %v, want %v", size, c.what, c.diagram, got, want)
			}
		}
	}
}

func TestReturns(t *testing.T) {
	for _, c := range []struct {
		name string
		want []float32
	}{
		{"go:rows=2,columns=3,players=3,max_plies=3", []float32{1. / 6, 1. / 6, 1. / 6}},
		{"go:rows=2,columns=3,players=3,max_plies=3,komi=[0,1,0]",
			[]float32{1. / 6, 1. / 6, 1. / 6}},
		{"go:rows=2,columns=3,players=3,max_plies=3,reward=win", []float32{1. / 3, 1. / 3, 1. / 3}},
		{"go:rows=2,columns=3,players=3,max_plies=3,reward=win,komi=[0,1,0]", []float32{0, 1, 0}},
		{"go:rows=2,columns=3,players=3,max_plies=3,reward=win,komi=[1,-1,1]",
			[]float32{0.5, 0, 0.5}},
	} {
		g := game.Must(game.New(c.name))
		s := g.NewState()
		play(t, g, s, "a2 c2 b1") // X.O above .#.
		got := make([]float32, 3)
		s.Returns(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestRuleLimits: each end of a range is allowed, and what is beyond it is not.
func TestRuleLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		ok     bool
		change func(r *Rules)
	}{
		{"nothing else", true, func(*Rules) {}},
		{"a row", true, func(r *Rules) { r.Rows = 1 }},
		{"no row", false, func(r *Rules) { r.Rows = 0 }},
		{"most rows", true, func(r *Rules) { r.Rows = 19 }},
		{"a row more", false, func(r *Rules) { r.Rows = 20 }},
		{"a column", true, func(r *Rules) { r.Columns = 1 }},
		{"no column", false, func(r *Rules) { r.Columns = 0 }},
		{"most columns", true, func(r *Rules) { r.Columns = 19 }},
		{"a column more", false, func(r *Rules) { r.Columns = 20 }},
		{"two colours", true, func(r *Rules) { r.Players = 2 }},
		{"one colour", false, func(r *Rules) { r.Players = 1 }},
		{"four colours", true, func(r *Rules) { r.Players = 4 }},
		{"five colours", false, func(r *Rules) { r.Players = 5 }},
		{"most komi", true, func(r *Rules) { r.Komi = []float64{-1000, 0, 1000} }},
		{"more komi", false, func(r *Rules) { r.Komi = []float64{0, 1000.5, 0} }},
		{"less komi", false, func(r *Rules) { r.Komi = []float64{0, -1000.5, 0} }},
		{"komi of no number", false, func(r *Rules) { r.Komi = []float64{0, math.NaN(), 0} }},
		{"komi of two colours", false, func(r *Rules) { r.Komi = []float64{0, 0} }},
		{"a ply", true, func(r *Rules) { r.MaxPlies = 1 }},
		{"less than a ply", false, func(r *Rules) { r.MaxPlies = -1 }},
		{"most plies", true, func(r *Rules) { r.MaxPlies = 20_000 }},
		{"a ply more", false, func(r *Rules) { r.MaxPlies = 20_001 }},
		{"another ko", false, func(r *Rules) { r.Ko = "none" }},
		{"another pass", false, func(r *Rules) { r.Pass = "never" }},
		{"another eye", false, func(r *Rules) { r.Eye = "false" }},
		{"another reward", false, func(r *Rules) { r.Reward = "glory" }},
	} {
		r := Rules{Rows: 3, Columns: 4, Players: 3}
		c.change(&r)
		if _, err := New(r); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	g := game.Must(New(Rules{Rows: 3, Columns: 4, Players: 2, Komi: []float64{-1, 7.5}}))
	if low, high := g.(game.Measured).ScoreBounds(); low != -1 || high != 19.5 {
		t.Errorf("scores are from %g to %g", low, high)
	}
	if n := g.(game.Limited).PlyLimit(); n != 72 {
		t.Errorf("a game has at most %d plies", n)
	}
}

// TestObservation: a plane for the stones of each colour, then one of ones for the colour to move,
// and none of a game that is over.
func TestObservation(t *testing.T) {
	for _, size := range bothLayouts {
		for players := 2; players <= 4; players++ {
			g := game.Must(New(Rules{Rows: size, Columns: size, Players: players, MaxPlies: 40}))
			rng := random.New(uint64(size), random.Test, uint64(players))
			s, points := g.NewState(), size*size
			for over := false; !over; {
				over = s.CurrentPlayer() == game.Nobody
				got := slices.Repeat([]float32{7}, 2*players*points)
				s.Observation(got)
				want := make([]float32, len(got))
				for p := range points {
					if c := s.(interface{ at(int) int }).at(p); c >= 0 {
						want[c*points+p] = 1
					}
					if !over {
						want[(players+int(s.CurrentPlayer()))*points+p] = 1
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("size %d, %d colours: the observation of %s, player %d, is %v",
						size, players, diagram(s, size, size), s.CurrentPlayer(), got)
				}
				if !over {
					legal := s.LegalActions(nil)
					s.Apply(legal[rng.IntN(len(legal))])
				}
			}
		}
	}
}
