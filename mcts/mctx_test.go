package mcts_test

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"tengen/game"
	"tengen/mcts"
	"tengen/search"
)

// The library mctx publishes a search tree of its full Gumbel policy over a synthetic network
// (mctx/_src/tests/test_data/gumbel_muzero_tree.json): 200 simulations over 82 actions, at most
// 16 considered, without noise, c_visit 50, c_scale 0.5, Q not rescaled, two players in turn. A
// state is a key of JAX's random numbers: an action splits it, and the evaluation is drawn from
// it. The generator is Threefry-2x32 (Salmon et al. 2011), written here from its definition and
// from the layout that JAX gives its numbers.

// threefry encrypts two words with a key.
func threefry(key, x [2]uint32) [2]uint32 {
	ks := [3]uint32{key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bda}
	rotations := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	x[0] += ks[0]
	x[1] += ks[1]
	for round := range 5 {
		for _, r := range rotations[round%2] {
			x[0] += x[1]
			x[1] = bits.RotateLeft32(x[1], r) ^ x[0]
		}
		x[0] += ks[(round+1)%3]
		x[1] += ks[(round+2)%3] + uint32(round) + 1
	}
	return x
}

// randomBits returns n words of a key. The counters 0, 1, …, filled up with a 0, are encrypted
// in pairs of one from the first half and one from the second.
func randomBits(key [2]uint32, n int) []uint32 {
	half := (n + 1) / 2
	words := make([]uint32, 2*half)
	for i := range half {
		x := [2]uint32{uint32(i), uint32(half + i)}
		if half+i >= n {
			x[1] = 0
		}
		x = threefry(key, x)
		words[i], words[half+i] = x[0], x[1]
	}
	return words[:n]
}

// split returns n keys.
func split(key [2]uint32, n int) [][2]uint32 {
	words := randomBits(key, 2*n)
	keys := make([][2]uint32, n)
	for i := range keys {
		keys[i] = [2]uint32{words[2*i], words[2*i+1]}
	}
	return keys
}

// uniform returns n numbers in [lo, 1).
func uniform(key [2]uint32, n int, lo float32) []float32 {
	numbers := make([]float32, n)
	for i, w := range randomBits(key, n) {
		u := math.Float32frombits(w>>9|0x3f800000) - 1
		numbers[i] = max(lo, u*(1-lo)+lo)
	}
	return numbers
}

// keyed is the game of keys. Utilities are those of mctx, moved from [-1, 1] to [0, 1].
type keyed struct{}

const keyedActions = 82

func (keyed) Name() string         { return "keyed" }
func (keyed) Players() int         { return 2 }
func (keyed) Actions() int         { return keyedActions }
func (keyed) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (keyed) Support() []float32   { return nil }
func (keyed) NewState() game.State { return &keyedState{} }

type keyedState struct {
	key   [2]uint32
	mover game.Player
}

func (s *keyedState) CurrentPlayer() game.Player { return s.mover }
func (s *keyedState) CopyFrom(src game.State)    { *s = *src.(*keyedState) }
func (s *keyedState) Hash() uint64               { return uint64(s.key[0])<<32 | uint64(s.key[1]) }
func (s *keyedState) Returns([]float32)          { panic("keyed: a game does not end") }
func (s *keyedState) Observation(dst []float32)  { dst[0] = 0 }

func (s *keyedState) LegalActions(dst []game.Action) []game.Action {
	for a := range keyedActions {
		dst = append(dst, game.Action(a))
	}
	return dst
}

func (s *keyedState) Apply(a game.Action) {
	s.key = split(s.key, keyedActions)[a]
	s.mover = 1 - s.mover
}

// network evaluates the states of keyed.
type network struct{ evaluations search.Evaluations }

func (n *network) Add(s game.State) {
	x := s.(*keyedState)
	keys := split(x.key, 3)
	for _, u := range uniform(keys[0], keyedActions, math.Nextafter32(-1, 0)) {
		n.evaluations.Policy = append(n.evaluations.Policy,
			float32(math.Sqrt2*math.Erfinv(float64(u))))
	}
	values := [2]float32{}
	values[x.mover] = (1 + uniform(keys[1], 1, -1)[0]) / 2
	values[1-x.mover] = 1 - values[x.mover]
	n.evaluations.Values = append(n.evaluations.Values, values[:]...)
}

func (n *network) Evaluate() (search.Evaluations, error) {
	e := n.evaluations
	e.Actions, e.Players = keyedActions, 2
	n.evaluations.Policy, n.evaluations.Values = e.Policy[:0], e.Values[:0]
	return e, nil
}

// TestTreeOfMCTX makes the search of the published tree and compares with numbers from it.
func TestTreeOfMCTX(t *testing.T) {
	near := func(what string, got float32, want, tolerance float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > tolerance {
			t.Errorf("%s is %.8f, in mctx's tree %.8f", what, got, want)
		}
	}
	o := mcts.PUCT{Simulations: 200, Gumbel: mcts.Gumbel{
		Considered: 16, VisitOffset: 50,
		ValueScale: 1, // of half the range
	}}
	tree := mcts.Unscaled(keyed{}, o, nil)
	tree.SetNoise(false)
	tree.Start(keyed{}.NewState())
	n := &network{}
	tree.Advance(n)
	root := must(n.Evaluate())
	own := float64(2*root.Values[0] - 1)
	near("the root's own value", float32(own), 0.43683624, 1e-6)
	tree.Deliver(root)
	if err := search.Run(tree, n); err != nil {
		t.Fatal(err)
	}

	children := tree.Children(nil)
	for a, want := range map[int]float64{
		0: 0.0068438658, 1: 0.010170191, 75: 0.021490132, 76: 0.0020937964, 80: 0.012641911,
		81: 0.007295128,
	} {
		near("a prior", children[a].Prior, want, 1e-7)
	}
	// 16 actions have 3 visits each, 8 then 6 each, 4 then 12 each, 2 the rest.
	numbers := map[int]int{}
	for _, c := range children {
		numbers[c.Visits]++
	}
	for visits, actions := range map[int]int{0: 66, 3: 8, 9: 4, 21: 2, 49: 2} {
		if numbers[visits] != actions {
			t.Errorf("%d actions have %d visits, not %d", numbers[visits], visits, actions)
		}
	}
	for _, want := range []struct {
		action game.Action
		visits int
		value  float64 // to the other player
	}{{14, 49, -0.0857532}, {75, 21, -0.25022996}} {
		c := children[want.action]
		if c.Visits != want.visits {
			t.Errorf("action %d has %d visits, in mctx's tree %d",
				want.action, c.Visits, want.visits)
		}
		near("the value of an action", 2*c.Value[1]-1, want.value, 1e-6)
	}
	// mctx tells the mean over all visits of the root.
	mean := own
	for _, c := range children {
		mean += float64(c.Visits) * (2*float64(c.Value[0]) - 1)
	}
	near("the root's mean value", float32(mean/201), 0.05357552, 1e-6)
	// Deeper: the value of 57 after 5 is 0.09700512, and actions 2, 30, 45, 6 lead to a node.
	if !strings.Contains(tree.Dump(5), "\n 57: 47 0.548503 ") {
		t.Error("in mctx's tree action 57 after 5 has 47 visits and the value 0.548503")
	}
	if !strings.Contains(tree.Dump(2), "\n 30: 3 ") ||
		!strings.Contains(tree.Dump(2), "\n   6: 1 ") {
		t.Error("in mctx's tree actions 2, 30, 45, 6 lead to a node")
	}
	if t.Failed() {
		t.Log(tree.Dump(game.NoAction))
	}
}
