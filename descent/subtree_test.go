package descent_test

import (
	"fmt"
	"slices"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// recorded is a state of a subtree, found again by replaying its actions.
type recorded struct {
	state game.State
	plies int
	value []float32
}

// replay replays the states of subtrees. It checks that each is a decision or the end of a
// game, and occurs once.
func replay(
	t *testing.T, g game.Game, start game.State, actions []game.Action, depth bool,
	list []descent.Subtree,
) map[string]*recorded {
	t.Helper()
	found := map[string]*recorded{}
	players := g.Players()
	for _, sub := range list {
		n := len(sub.Actions)
		if n == 0 || len(sub.Depths) != n || len(sub.Values) != n*players || sub.Depths[0] != 0 ||
			sub.Actions[0] != game.NoAction {
			t.Fatalf("a subtree has %d actions, %d depths, %d values",
				n, len(sub.Depths), len(sub.Values))
		}
		var way []game.State
		var plies []int
		for i, a := range sub.Actions {
			d := int(sub.Depths[i])
			var s game.State
			ply := 0
			if i == 0 {
				s = copyOf(g, start)
				for _, a := range actions[:min(sub.Ply, len(actions))] {
					s.Apply(a)
				}
				// Sole legal actions may not have been played yet.
				for range sub.Ply - len(actions) {
					s.Apply(sole(t, s))
				}
				ply = sub.Ply
			} else {
				if d < 1 || d > len(way) {
					t.Fatalf("depth %d follows %d", d, sub.Depths[i-1])
				}
				s = copyOf(g, way[d-1])
				if !slices.Contains(s.LegalActions(nil), a) {
					t.Fatalf("action %d is illegal", a)
				}
				s.Apply(a)
				ply = plies[d-1] + 1
				for s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) == 1 {
					s.Apply(sole(t, s))
					ply++
				}
			}
			if s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) < 2 ||
				i == 0 && s.CurrentPlayer() < 0 {
				t.Fatalf("state %d at ply %d is no decision", i, ply)
			}
			key := keyOf(s, ply, depth)
			if found[key] != nil {
				t.Fatalf("state %s occurs twice", key)
			}
			found[key] = &recorded{s, ply, sub.Values[i*players : (i+1)*players]}
			way, plies = append(way[:d], s), append(plies[:d], ply)
		}
	}
	return found
}

func sole(t *testing.T, s game.State) game.Action {
	t.Helper()
	legal := s.LegalActions(nil)
	if len(legal) != 1 {
		t.Fatalf("%d actions are legal where one is wanted", len(legal))
	}
	return legal[0]
}

func keyOf(s game.State, plies int, depth bool) string {
	if depth {
		return fmt.Sprint(s.Hash(), " ", plies)
	}
	return fmt.Sprint(s.Hash())
}

// judged is the value that follows from a state's children.
type judged struct {
	resolved bool
	results  [][]float32 // that a resolved state may have
}

// judge compares the values of states with those of their children: the best by completion and
// value, or one of the children that resolve a state.
func judge(t *testing.T, g game.Game, o descent.Options, e *hashed, found map[string]*recorded) {
	t.Helper()
	known := map[string]*judged{}
	r := &slow{g: g, o: o, evaluate: e.of, states: map[string]*slowState{}}
	var visit func(key string, f *recorded) *judged
	visit = func(key string, f *recorded) *judged {
		if j := known[key]; j != nil {
			return j
		}
		j := &judged{}
		known[key] = j
		if f.state.CurrentPlayer() < 0 {
			want := make([]float32, g.Players())
			o.Terminal.Evaluate(g, f.state, f.plies, want)
			if !slices.Equal(f.value, want) {
				t.Fatalf("a finished game has the value %v, not %v", f.value, want)
			}
			f.state.Returns(want)
			j.resolved, j.results = true, [][]float32{want}
			return j
		}
		m := f.state.CurrentPlayer()
		type option struct {
			value   []float32
			results [][]float32
			// the completion may be any of these
			least, most int
		}
		var options []option
		all, won := true, false
		for _, a := range f.state.LegalActions(nil) {
			next := copyOf(g, f.state)
			next.Apply(a)
			n := r.reach(next, f.plies+1)
			key := keyOf(n.state, n.plies, o.Terminal.Depth)
			c := found[key]
			if c == nil {
				if n.state.CurrentPlayer() < 0 {
					t.Fatalf("a finished game is missing")
				}
				r.appraise(n)
				all = false
				options = append(options, option{value: n.value})
				continue
			}
			k := visit(key, c)
			all = all && k.resolved
			x := option{value: c.value, results: k.results, least: 1, most: -1}
			for _, result := range k.results {
				completion := 0
				switch result[m] {
				case 1:
					completion = 1
				case 0:
					completion = -1
				}
				x.least, x.most = min(x.least, completion), max(x.most, completion)
			}
			if !k.resolved {
				x.least, x.most = 0, 0
			}
			won = won || x.least == 1
			options = append(options, x)
		}
		j.resolved = all || won
		fits := false
		for _, x := range options {
			better := slices.ContainsFunc(options, func(y option) bool {
				return y.least > x.most ||
					y.least == x.most && y.least == y.most && y.value[m] > x.value[m]
			})
			// Of several wins, the one found first determines the value.
			if slices.Equal(x.value, f.value) && (!better || won && x.most == 1) {
				fits = true
				j.results = append(j.results, x.results...)
			}
		}
		if !fits {
			t.Fatalf("a state has the value %v, resolved %v; its children %v",
				f.value, j.resolved, options)
		}
		return j
	}
	for key, f := range found {
		visit(key, f)
	}
}

// TestSubtrees plays games in which not every position is searched, replays all searched
// states, and compares their values with those of the children.
func TestSubtrees(t *testing.T) {
	type setting struct {
		g game.Game
		o descent.Options
	}
	var settings []setting
	for i, name := range []string{
		"go:size=3,players=3,pass=free", "mnk:rows=4,columns=4,in_row=3", "tictactoe",
		"tictactoe:players=3", "mnk:rows=3,columns=5,in_row=3,players=3",
		"go:rows=1,columns=5,players=3",
		"go:size=3,players=2", "go:size=3,players=3,reward=win",
	} {
		for _, bestFirst := range []bool{false, true} {
			o := descent.Options{BestFirst: bestFirst, Iterations: 10 + 5*i}
			settings = append(settings, setting{game.Must(game.New(name)), o})
			o.Terminal.Depth = true
			settings = append(settings, setting{game.Must(game.New(name)), o})
		}
	}
	for i, g := range mazes(64) {
		settings = append(settings,
			setting{
				g, descent.Options{
					BestFirst: i/4%2 == 1, Iterations: 5,
					Terminal: descent.Terminal{Result: true, Depth: i/8%2 == 1},
				},
			})
	}
	states, several := 0, 0
	for i, s := range settings {
		rng := newRand(uint64(i))
		tree := descent.New(s.g, s.o, rng)
		tree.OnForget(func([]descent.Subtree) { t.Fatal("states are forgotten") })
		e := newHashed(s.g, uint64(i), 0)
		position := s.g.NewState()
		start := copyOf(s.g, position)
		var actions []game.Action
		tree.Start(position)
		if list := tree.Subtrees(); len(list) != 0 {
			t.Fatalf("%d subtrees without a search", len(list))
		}
		for position.CurrentPlayer() >= 0 {
			if rng.IntN(5) < 2 {
				search.Run(tree, e)
			}
			legal := position.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			if b := tree.Best(); b != game.NoAction && rng.IntN(4) == 0 {
				a = b
			}
			actions = append(actions, a)
			position.Apply(a)
			tree.Play(a)
		}
		list := tree.Subtrees()
		found := replay(t, s.g, start, actions, s.o.Terminal.Depth, list)
		judge(t, s.g, s.o, e, found)
		expanded, finished := tree.Held()
		if position.CurrentPlayer() < 0 && tree.Resolved() {
			// The end of the game may be a subtree of the root only.
			if found[keyOf(position, len(actions), s.o.Terminal.Depth)] == nil {
				finished--
			}
		}
		if len(found) != expanded+finished {
			t.Errorf("%s: %d states of %d expanded and %d finished",
				s.g.Name(), len(found), expanded, finished)
		}
		again := tree.Subtrees()
		if fmt.Sprint(again) != fmt.Sprint(list) {
			t.Errorf("%s: a second call gives other subtrees", s.g.Name())
		}
		if len(again) > 0 {
			again[0].Values[0] = 99
			if tree.Subtrees()[0].Values[0] == 99 {
				t.Errorf("%s: subtrees share their slices", s.g.Name())
			}
		}
		states += len(found)
		if len(list) > 1 {
			several++
		}
	}
	t.Logf("%d states; %d games of %d have several roots", states, several, len(settings))
	if several < 10 {
		t.Errorf("only %d games have several roots", several)
	}
}

// TestSubtreesUpdate: results of later searches reach the states above.
func TestSubtreesUpdate(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	// X takes the corner, O the side beside it: X wins by the centre.
	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 1}, newRand(1))
	e := search.NewConstant(g, 0.5)
	s := g.NewState()
	tree.Start(s)
	for _, a := range []game.Action{0, 1, 4} {
		search.Run(tree, e)
		tree.Play(a)
	}
	tree.SetIterations(100_000)
	search.Run(tree, e)
	if !tree.Resolved() {
		t.Fatal("the position is not resolved")
	}
	list := tree.Subtrees()
	if len(list) != 1 || list[0].Depths[1] != 1 {
		t.Fatalf("%d subtrees", len(list))
	}
	for i, d := range list[0].Depths {
		// Only O's reply of action 1 has been expanded, and all its children
		// but the centre, and what is below that, are only evaluated.
		switch v := list[0].Values[2*i : 2*i+2]; {
		case d == 2 && !slices.Equal(v, []float32{1, 0}):
			t.Errorf("the lost reply has the value %v", v)
		case d < 2 && !slices.Equal(v, []float32{0.5, 0.5}):
			t.Errorf("state %d at depth %d has the value %v", i, d, v)
		}
	}
}
