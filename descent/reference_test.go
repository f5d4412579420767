package descent_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/descent"
	"tengen/game"
	_ "tengen/game/goban"
	_ "tengen/game/mnk"
	"tengen/search"
)

// slow is Descent and UBFM with pointers, maps and recursion, as in the papers, as a reference
// for the fast tree. It keeps a state for every node and evaluates immediately.
type slow struct {
	g        game.Game
	o        descent.Options
	rng      *rand.Rand
	evaluate func(game.State) []float32

	states map[string]*slowState
	s      game.State
	plies  int
	root   *slowState
	depth  int // of the deepest state met since the last move
}

type slowState struct {
	state    game.State
	plies    int
	actions  []game.Action // once expanded
	children map[game.Action]*slowState
	visits   map[game.Action]int
	value    []float32
	resolved bool
	result   []float32 // of a resolved state: the utilities that resolved it
}

func (r *slow) start(s game.State) {
	r.states = map[string]*slowState{}
	r.s, r.plies = copyOf(r.g, s), 0
	r.setRoot()
}

func (r *slow) setRoot() {
	r.root = r.reach(r.s, r.plies)
	r.depth = 0
	if r.root.state.CurrentPlayer() < 0 {
		r.appraise(r.root)
	}
}

func (r *slow) play(a game.Action) {
	r.s.Apply(a)
	r.plies++
	r.setRoot()
	if r.root.actions != nil {
		r.update(r.root)
	}
}

// reach returns the node of s after its sole legal actions have been played.
func (r *slow) reach(s game.State, plies int) *slowState {
	s = copyOf(r.g, s)
	for s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) == 1 {
		s.Apply(s.LegalActions(nil)[0])
		plies++
	}
	key := fmt.Sprint(s.Hash())
	if r.o.Terminal.Depth {
		key += fmt.Sprint(" after ", plies)
	}
	n := r.states[key]
	if n == nil {
		n = &slowState{state: s, plies: plies}
		r.states[key] = n
	}
	return n
}

// appraise sets the value of a new node.
func (r *slow) appraise(n *slowState) {
	if n.value != nil {
		return
	}
	players := r.g.Players()
	n.value = make([]float32, players)
	if n.state.CurrentPlayer() < 0 {
		n.result = make([]float32, players)
		n.state.Returns(n.result)
		n.resolved = true
		r.o.Terminal.Evaluate(r.g, n.state, n.plies, n.value)
		return
	}
	row := r.evaluate(n.state)
	copy(n.value, row)
	constant, ok := r.g.(game.ConstantSum)
	if !ok || r.o.Terminal.Score {
		return
	}
	excess := -constant.UtilitySum()
	for _, v := range row {
		excess += float64(v)
	}
	for p, v := range row {
		n.value[p] = float32(float64(v) - excess/float64(players))
	}
	if players == 2 {
		// Rounded, so that the two differ from their mean by the same.
		x := float32(math.RoundToEven((float64(row[0])-excess/2)*(1<<22)) / (1 << 22))
		n.value[0], n.value[1] = x, float32(constant.UtilitySum()-float64(x))
	}
}

// completion of a node for a player.
func (n *slowState) completion(p game.Player) int {
	switch {
	case n.resolved && n.result[p] == 1:
		return 1
	case n.resolved && n.result[p] == 0:
		return -1
	}
	return 0
}

// iteration makes one iteration from n, as in the papers.
func (r *slow) iteration(n *slowState, depth int) {
	r.depth = max(r.depth, depth)
	if n.resolved {
		return
	}
	if n.actions == nil {
		n.actions = n.state.LegalActions(nil)
		n.children, n.visits = map[game.Action]*slowState{}, map[game.Action]int{}
		for _, a := range n.actions {
			next := copyOf(r.g, n.state)
			next.Apply(a)
			n.children[a] = r.reach(next, n.plies+1)
			r.appraise(n.children[a])
		}
		r.depth = max(r.depth, depth+1)
		r.update(n)
		if r.o.BestFirst {
			return
		}
	}
	r.update(n)
	if n.resolved {
		return
	}
	a := r.explore(n)
	n.visits[a]++
	r.iteration(n.children[a], depth+1)
	r.update(n)
}

// best returns the best action by completion, value and visits, the first among equals.
func (n *slowState) best() game.Action {
	m := n.state.CurrentPlayer()
	better := func(a, b game.Action) bool {
		x, y := n.children[a], n.children[b]
		if c, d := x.completion(m), y.completion(m); c != d {
			return c > d
		}
		if x.value[m] != y.value[m] {
			return x.value[m] > y.value[m]
		}
		return n.visits[a] > n.visits[b]
	}
	best := n.actions[0]
	for _, a := range n.actions {
		if better(a, best) {
			best = a
		}
	}
	return best
}

func (r *slow) update(n *slowState) {
	if n.resolved {
		return
	}
	child := n.children[n.best()]
	n.value = append([]float32(nil), child.value...)
	n.resolved = child.completion(n.state.CurrentPlayer()) == 1
	all := true
	for _, c := range n.children {
		all = all && c.resolved
	}
	n.resolved = n.resolved || all
	if n.resolved {
		n.result = child.result
	}
}

// explore returns the action to follow: the greatest value among unresolved ones, then the
// fewest visits, then at random.
func (r *slow) explore(n *slowState) game.Action {
	m := n.state.CurrentPlayer()
	var equal []game.Action
	for _, a := range n.actions {
		if n.children[a].resolved {
			continue
		}
		if len(equal) > 0 {
			b := equal[0]
			v, w := n.children[a].value[m], n.children[b].value[m]
			if v < w || v == w && n.visits[a] > n.visits[b] {
				continue
			}
			if v > w || n.visits[a] < n.visits[b] {
				equal = equal[:0]
			}
		}
		equal = append(equal, a)
	}
	if len(equal) == 1 {
		return equal[0]
	}
	return equal[r.rng.IntN(len(equal))]
}

// dump returns the same text as Dump of the fast tree.
func (r *slow) dump() string {
	var b strings.Builder
	seen := map[*slowState]bool{}
	var walk func(n *slowState, a game.Action, visits, depth int)
	walk = func(n *slowState, a game.Action, visits, depth int) {
		fmt.Fprintf(&b, "%s%d: %d", strings.Repeat(" ", depth), a, visits)
		if seen[n] {
			b.WriteString(" again\n")
			return
		}
		seen[n] = true
		completion := make([]int, r.g.Players())
		for p := range completion {
			completion[p] = n.completion(game.Player(p))
		}
		fmt.Fprintln(&b, n.actions != nil, n.resolved, completion, n.value)
		for _, a := range n.actions {
			walk(n.children[a], a, n.visits[a], depth+1)
		}
	}
	walk(r.root, game.NoAction, 0, 0)
	return b.String()
}

// TestAgainstReference plays games with the fast and the slow search, and compares their whole
// trees after each iteration.
func TestAgainstReference(t *testing.T) {
	type setting struct {
		g     game.Game
		moves int
	}
	var settings []setting
	for _, name := range []string{
		"tictactoe", "tictactoe:players=3", "mnk:rows=2,columns=4,in_row=3,players=3",
		"mnk:rows=3,columns=6,in_row=3",
		"go:rows=1,columns=5,players=2", "go:rows=1,columns=4,players=3",
		"go:rows=2,columns=2,players=2,pass=free,max_plies=9",
		"go:size=3,players=3", "go:size=3,players=2,reward=win",
	} {
		settings = append(settings, setting{game.Must(game.New(name)), 4})
	}
	for _, g := range mazes(96) {
		settings = append(settings, setting{g, 3})
	}
	terminals := []descent.Terminal{
		{}, {Score: true}, {Depth: true}, {Result: true, Score: true, Depth: true},
	}
	states, resolved := 0, 0
	for i, s := range settings {
		for variant := range 8 {
			o := descent.Options{
				BestFirst: variant&1 == 1, Iterations: 1, Terminal: terminals[variant/2],
			}
			if descent.Check(s.g, o) != nil {
				continue // a score of mnk
			}
			seed := uint64(100*i + variant)
			e := newHashed(s.g, seed, []int{0, 2, 5}[(i+variant)%3])
			r := &slow{g: s.g, o: o, rng: newRand(seed), evaluate: e.of}
			tree := descent.New(s.g, o, newRand(seed))
			position, _ := randomState(s.g, i%3, newRand(seed, 1))
			r.start(position)
			tree.Start(position)
			moves := newRand(seed, 2)
			for move := range s.moves {
				if position.CurrentPlayer() < 0 {
					break
				}
				for k := 1; k <= 12; k++ {
					tree.SetIterations(k)
					search.Run(tree, e)
					if r.root.resolved {
						break
					}
					r.iteration(r.root, 0)
					if got, want := tree.Dump(), r.dump(); got != want {
						t.Fatalf("%s %+v, move %d, iteration %d:\n%s\nthe reference has\n%s",
							s.g.Name(), o, move, k, got, want)
					}
					if stats := tree.Stats(); stats.Simulations != k || stats.MaxDepth != r.depth {
						t.Fatalf("%s %+v: %+v after %d iterations of depth %d",
							s.g.Name(), o, stats, k, r.depth)
					}
				}
				if tree.Resolved() != r.root.resolved {
					t.Fatalf("%s %+v: the tree is resolved: %v", s.g.Name(), o, tree.Resolved())
				}
				if r.root.resolved {
					resolved++
				}
				if r.root.actions != nil && len(position.LegalActions(nil)) > 1 {
					if got, want := tree.Best(), r.root.best(); got != want {
						t.Fatalf("%s %+v: the best action is %d, not %d", s.g.Name(), o, got, want)
					}
				}
				states += tree.Stats().Nodes
				if err := tree.Invariant(); err != nil {
					t.Fatalf("%s %+v: %v", s.g.Name(), o, err)
				}
				legal := position.LegalActions(nil)
				a := legal[moves.IntN(len(legal))]
				position.Apply(a)
				tree.Play(a)
				r.play(a)
				if got, want := tree.Dump(), r.dump(); r.root.actions != nil && got != want {
					t.Fatalf("%s %+v, after move %d:\n%s\nthe reference has\n%s",
						s.g.Name(), o, move, got, want)
				}
			}
		}
	}
	t.Logf("%d states, %d of the searches resolved", states, resolved)
	if resolved < 100 {
		t.Errorf("only %d searches were resolved", resolved)
	}
}
