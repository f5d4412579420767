package turtle

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Scores worked out by hand from formulas 4 to 10, in the order fast, efficient-smart,
// hybrid, dummy: the square of the own turtle after the move, and k·c. The player owns
// red, which stands on square 3 below green; blue leads on square 6, with purple above
// it; yellow is on square 2.
func TestScores(t *testing.T) {
	trailing := "2:Y 3:RG 6:BP"
	leading := "2:Y 6:RG 3:BP"
	carried := "2:Y 6:GR 3:BP" // on the first square, but not the lowest there
	for _, c := range []struct {
		squares, move string
		want          [4]int
	}{
		// Own forward: k is 10c, or c; c·k is 40 and 10, or 4 and 1.
		{trailing, "red++", [4]int{5 + 40, 5 + 4, 5 + 4, 0}},
		{trailing, "red+", [4]int{4 + 10, 4 + 1, 4 + 1, 0}},
		{trailing, "any+:red", [4]int{4 + 10, 4 + 1, 4 + 1, 0}},
		{leading, "red++", [4]int{8 + 40, 8 + 4, 8 + 40, 0}},
		{leading, "red+", [4]int{7 + 10, 7 + 1, 7 + 10, 0}},
		{carried, "red+", [4]int{7 + 10, 7 + 1, 7 + 1, 0}},
		// Own backward: k is -10c in all.
		{trailing, "red-", [4]int{2 - 10, 2 - 10, 2 - 10, 0}},
		{leading, "any-:red", [4]int{5 - 10, 5 - 10, 5 - 10, 0}},
		// Another forward: k is -c in all; if it carries the own turtle, that one moves too.
		{trailing, "yellow+", [4]int{3 - 1, 3 - 1, 3 - 1, 0}},
		{trailing, "arrow2:yellow", [4]int{3 - 4, 3 - 4, 3 - 4, 0}},
		{trailing, "green++", [4]int{3 - 4, 3 - 4, 3 - 4, 0}},
		{carried, "green++", [4]int{8 - 4, 8 - 4, 8 - 4, 0}},
		// Another backward: k is c, or 10c.
		{trailing, "blue-", [4]int{3 + 1, 3 + 10, 3 + 10, 0}},
		{leading, "blue-", [4]int{6 + 1, 6 + 10, 6 + 1, 0}},
		{carried, "any-:green", [4]int{5 + 1, 5 + 10, 5 + 10, 0}},
		// To the goal: c is the card's, the turtle stops at 9.
		{"2:Y 8:RG 6:BP", "red++", [4]int{9 + 40, 9 + 4, 9 + 40, 0}},
	} {
		name, _, _ := strings.Cut(c.move, ":")
		g := made(t, "turtle:hand=1")
		s := at(t, g, "turn 5 player 1 play | "+c.squares+" | red: "+name+
			" | blue: purple+ | deck red+")
		a, err := g.ParseAction(s, c.move)
		if err != nil || !slices.Contains(s.LegalActions(nil), a) {
			t.Fatalf("%s: %s can't be played: %v", c.squares, c.move, err)
		}
		for q := range Strategy(strategies) {
			if got := q.score(baseOf(s), a, baseOf(s).owner[0]); got != c.want[q] {
				t.Errorf("%s: %s gives %s the score %d; want %d",
					c.squares, q, c.move, got, c.want[q])
			}
		}
	}
}

// A discarded card moves nothing.
func TestScoreOfADiscard(t *testing.T) {
	g := made(t, "turtle:hand=1")
	s := at(t, g, "turn 5 player 1 play | 0:Y 3:RG 6:BP | red: yellow- | blue: purple+ | deck red+")
	for q, want := range [strategies]int{3, 3, 3, 0} {
		if got := Strategy(q).score(baseOf(s), Discard(Minus(Yellow)),
			baseOf(s).owner[0]); got != want {
			t.Errorf("%s gives a discard the score %d; want %d", Strategy(q), got, want)
		}
	}
}

// The choice of each: the own turtle two forward, an opponent back, or depending on
// the position.
func TestChoices(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	for _, c := range []struct {
		squares string
		want    [3]string
	}{
		{"2:Y 3:RG 6:BP", [3]string{"red++", "blue-", "blue-"}},
		{"2:Y 6:RG 3:BP", [3]string{"red++", "blue-", "red++"}},
	} {
		g := made(t, "turtle:hand=4")
		s := at(t, g, "turn 5 player 1 play | "+c.squares+
			" | red: red++ blue- yellow+ red- | blue: purple+*4 | deck red+")
		for q, want := range c.want {
			if got := g.ActionName(s, Strategy(q).Choose(s, rng)); got != want {
				t.Errorf("%s: %s plays %s; want %s", c.squares, Strategy(q), got, want)
			}
		}
	}
}

// Ties are broken at random: for fast, [-] of green and of blue have the same score;
// Dummy plays every legal action equally often.
func TestTiesAreDrawn(t *testing.T) {
	const draws = 4000
	rng := random.New(1, random.Test, 2)
	g := made(t, "turtle:hand=4")
	s := at(t, g, "turn 5 player 1 play | 2:Y 3:RG 6:BP | red: green- blue- yellow+ red- | blue: purple+*4 | deck red+")
	for _, c := range []struct {
		q    Strategy
		want int
	}{{Fast, 2}, {Dummy, 4}} {
		counts := map[game.Action]int{}
		for range draws {
			counts[c.q.Choose(s, rng)]++
		}
		if len(counts) != c.want {
			t.Errorf("%s plays %d actions, where %d are equal", c.q, len(counts), c.want)
		}
		for a, n := range counts {
			p := 1 / float64(c.want)
			if math.Abs(float64(n)-draws*p) > 5*math.Sqrt(draws*p*(1-p)) {
				t.Errorf("%s plays %s %d times of %d", c.q, g.ActionName(s, a), n, draws)
			}
		}
	}
}

// In random positions, the actions that a strategy plays are those with the greatest
// score.
func TestBestIsTheGreatestScore(t *testing.T) {
	g := made(t, "turtle:players=3")
	for i := range uint64(20) {
		playBoth(g, random.New(1, random.Test, 3, i), func(s game.State, n *naive) {
			if s.CurrentPlayer() < 0 {
				return
			}
			for q := range Strategy(strategies) {
				top, want := -1000, uint64(0)
				for _, a := range n.LegalActions(nil) {
					v := n.score(q.String(), naiveActions[a])
					if v > top {
						top, want = v, 0
					}
					if v == top {
						want |= 1 << a
					}
				}
				if got := q.best(baseOf(s)); got != want {
					t.Fatalf("%s: %s plays one of %b; want %b", baseOf(s).Position(), q, got, want)
				}
			}
		})
	}
}

// A rollout plays the strategy's choices except for a fraction epsilon, counted at the
// first move, where fast plays red++.
func TestRolloutIsGreedyInPart(t *testing.T) {
	const games, epsilon = 4000, 0.2
	g := made(t, "turtle:hand=2,max_turns=6")
	from := at(t, g,
		"turn 5 player 1 play | 2:Y 3:RG 6:BP | red: red++ yellow+ | blue: purple+*2 | deck red+")
	rng := random.New(1, random.Test, 4)
	forward := 0
	s := g.NewState()
	for range games {
		s.CopyFrom(from)
		Fast.Rollout(s, epsilon, rng)
		if s.CurrentPlayer() != game.Nobody {
			t.Fatal("the game should be over")
		}
		if baseOf(s).square(Red) == 5 {
			forward++
		}
	}
	p := 1 - epsilon/2
	if math.Abs(float64(forward)-games*p) > 5*math.Sqrt(games*p*(1-p)) {
		t.Errorf("red++ is played in %d of %d games; want %.0f", forward, games, games*p)
	}
	if n := testing.AllocsPerRun(100, func() {
		s.CopyFrom(from)
		Hybrid.Rollout(s, epsilon, rng)
	}); n > 0 {
		t.Errorf("a rollout allocates %v times", n)
	}
}

// Every strategy beats Dummy, over both seats.
func TestStrategiesBeatDummy(t *testing.T) {
	const games = 400
	g := made(t, "turtle")
	rng := random.New(1, random.Test, 5)
	for _, q := range []Strategy{Fast, EfficientSmart, Hybrid} {
		wins := float32(0)
		var utilities [2]float32
		for i := range games {
			s := g.NewState()
			for s.CurrentPlayer() != game.Nobody {
				switch m := s.CurrentPlayer(); {
				case m == game.Chance:
					s.Apply(baseOf(s).Sample(rng))
				case int(m) == i%2:
					s.Apply(q.Choose(s, rng))
				default:
					s.Apply(Dummy.Choose(s, rng))
				}
			}
			s.Returns(utilities[:])
			wins += utilities[i%2]
		}
		t.Logf("%s wins %.1f %% against dummy", q, 100*wins/games)
		if wins < 0.55*games {
			t.Errorf("%s wins %v of %d games against dummy", q, wins, games)
		}
	}
}

// The heuristics are the sum of own less others' scores.
func TestHeuristics(t *testing.T) {
	g := made(t, "turtle:players=3")
	s := at(t, g, "turn 12 player 2 play | 3:BRY 4:P 6:G |"+
		" green: arrow red+ blue- yellow+ purple++ | blue: purple- any+ red- green+ yellow+ | purple: red++ green- blue+ any- arrow2 |"+
		" deck red+ green+ blue+ yellow+ purple+")
	a, _ := g.ParseAction(s, "purple-")
	for _, c := range []struct {
		name string
		want float64
	}{
		{"fast", 3 + 1}, {"efficient", 3 + 10}, {"hybrid", 3 + 10}, {"dummy", 0},
		{"fast-win", 3 + 1},
	} {
		h, err := game.HeuristicOf(g, c.name)
		if err != nil {
			t.Fatal(err)
		}
		for p, sign := range []float64{-1, 1, -1} {
			if got := h.Gain(s, a, game.Player(p)); got != sign*c.want {
				t.Errorf("%s: player %d gains %v by purple-; want %v", c.name, p, got, sign*c.want)
			}
			if v := h.Value(s, game.Player(p)); v != 0 {
				t.Errorf("%s: a game in play is worth %v", c.name, v)
			}
		}
	}
	end := at(t, g, "turn 12 player 2 over | 3:BRY 9:PG |"+
		" green: arrow red+ blue- yellow+ purple++ | blue: any+ red- green+ yellow+ | purple: red++ green- blue+ any- arrow2 |"+
		" deck red+ green+ blue+ yellow+ purple+")
	for name, want := range map[string][3]float64{"fast": {}, "hybrid-win": {-1000, -1000, 1000}} {
		h, _ := game.HeuristicOf(g, name)
		for p, v := range want {
			if got := h.Value(end, game.Player(p)); got != v {
				t.Errorf("%s: the end is worth %v to %d; want %v", name, got, p, v)
			}
		}
	}
}

// Ranges worked out by hand. Player 2, of blue on square 3, plays next: of its cards
// any+ may give 10, purple- 1 and green+ -1, and blue ends between 2 and 5. Player 3,
// of purple on 4, then gets -10 by any- or 40 by arrow2, with purple between 2 and 8;
// player 1, of green on 6, -4 by purple++ or 10 by the arrow, with green between 3 and
// 9; and player 2 again, whose new card may be any, -10 to 40 and 0 to 9.
func TestRanges(t *testing.T) {
	g := made(t, "turtle:players=3")
	s := at(t, g, "turn 12 player 2 play | 3:BRY 4:P 6:G |"+
		" green: arrow red+ blue- yellow+ purple++ | blue: purple- any+ red- green+ yellow+ | purple: red++ green- blue+ any- arrow2 |"+
		" deck red+ green+ blue+ yellow+ purple+")
	for _, c := range []struct {
		name      string
		p         game.Player
		turns     int
		low, high float64
	}{
		{"fast", 1, 1, 2 - 1, 5 + 10},
		{"fast", 0, 1, -15, -1},
		{"fast", 2, 2, -15 + (2 - 10), -1 + (8 + 40)},
		{"fast", 1, 4, 1 - 48 - 19 + (0 - 10), 15 + 8 + 1 + (9 + 40)},
		{"efficient", 1, 1, 2 - 1, 5 + 10}, // 10 by purple- now
		{"hybrid", 1, 1, 2 - 1, 5 + 10},
		{"dummy", 1, 4, 0, 0},
		{"fast-win", 1, 1, 1, 15}, // green is on 6: no turtle reaches the goal in one turn
		{"fast-win", 1, 2, 1 - 48 - 1000, 15 + 8 + 1000},
	} {
		h, err := game.HeuristicOf(g, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if low, high := g.Range(h.Name)(s, c.p, c.turns); low != c.low || high != c.high {
			t.Errorf("%s: within %d turns player %d is worth %v to %v; want %v to %v",
				c.name, c.turns, c.p, low, high, c.low, c.high)
		}
	}
}

// The results of random games stay in the ranges, from every state and for every
// number of turns.
func TestRangesHold(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		heuristics := g.Heuristics()
		for i := range uint64(5) {
			var states []game.State
			worth := make([][][]float64, len(heuristics)) // [heuristic][state][player]
			playBoth(g, random.New(1, random.Test, 6, i), func(s game.State, _ *naive) {
				c := g.NewState()
				c.CopyFrom(s)
				states = append(states, c)
			})
			for k, h := range heuristics {
				worth[k] = make([][]float64, len(states))
				sums := make([]float64, g.Players())
				for j, s := range states {
					worth[k][j] = slices.Clone(sums)
					if s.CurrentPlayer() < 0 {
						continue
					}
					for _, a := range s.LegalActions(nil) {
						next := g.NewState()
						next.CopyFrom(s)
						next.Apply(a)
						if next.Hash() == states[j+1].Hash() {
							for p := range sums {
								sums[p] += h.Gain(s, a, game.Player(p))
							}
							break
						}
					}
				}
				for j, s := range states {
					for turns := 1; turns <= 6; turns++ {
						end := j
						for end < len(states)-1 &&
							baseOf(states[end]).Turn() < baseOf(s).Turn()+turns {
							end++
						}
						for p := range g.Players() {
							low, high := g.Range(h.Name)(s, game.Player(p), turns)
							got := worth[k][end][p] - worth[k][j][p] + h.Value(states[end],
								game.Player(p))
							if s.CurrentPlayer() != game.Nobody && (got < low || got > high) {
								t.Fatalf("%s: %s: %s: %d turns later it is worth %v to player %d, beyond %v and %v",
									name, h.Name, baseOf(s).Position(), turns, got, p, low, high)
							}
						}
					}
				}
			}
		}
	}
}
