package abstraction

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/mnk"
	_ "tengen/game/tcg"
	"tengen/internal/random"
)

// Learn finds the three kinds of actions, whatever the size of their effect. A
// constant feature has no influence.
func TestKindsAreFound(t *testing.T) {
	g := market{turned: true}
	for seed := range uint64(5) {
		c, err := Learn(g, Learning{Games: 20}, testRNG(seed))
		if err != nil {
			t.Fatal(err)
		}
		if c.K != 3 || c.Scale[3] != 0 || c.Tried != 2 || len(c.Silhouettes) < 2 {
			t.Errorf("%d classes, scale %v, silhouettes %v from %d on",
				c.K, c.Scale, c.Silhouettes, c.Tried)
		}
		kinds := map[int]int{}
		sum := 0.0
		for good := range 3 {
			for size := range 5 {
				v := []float32{0, 0, 0, 7}
				v[good] = float32(1 + size)
				k := c.Of(v)
				if was, ok := kinds[good]; ok && was != k {
					t.Errorf("%v is of class %d, others of its kind of %d", v, k, was)
				}
				kinds[good] = k
			}
			sum += c.Shares[kinds[good]]
			if mean := c.Means[kinds[good]]; mean[good] < 1 || mean[(good+1)%3] != 0 ||
				mean[3] != 7 {
				t.Errorf("the mean of good %d is %v", good, mean)
			}
		}
		if len(kinds) != 3 || kinds[0] == kinds[1] || kinds[1] == kinds[2] ||
			kinds[0] == kinds[2] || sum < 0.999 || sum > 1.001 {
			t.Errorf("the kinds are of classes %v, with shares %v", kinds, c.Shares)
		}
	}
}

// The classes for a number of classes are the same whether it was chosen or given.
func TestNumberOfClasses(t *testing.T) {
	g := game.Must(game.New("tcg"))
	learn := func(l Learning) *Classes {
		c, err := Learn(g, l, random.New(1, random.Classes))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	chosen := learn(Learning{Actions: 300, Restarts: 3})
	asked := learn(Learning{Actions: 300, Restarts: 3, Classes: chosen.K})
	if !reflect.DeepEqual(chosen.Centroids, asked.Centroids) ||
		!reflect.DeepEqual(chosen.Shares, asked.Shares) {
		t.Errorf("%d classes: %v, asked for: %v", chosen.K, chosen.Centroids, asked.Centroids)
	}
	if !reflect.DeepEqual(chosen, learn(Learning{Actions: 300, Restarts: 3})) {
		t.Error("the same seed gives other classes")
	}
	if chosen.K < 4 || chosen.K > 12 || len(chosen.Silhouettes) != 11 {
		t.Errorf("%d classes, silhouettes %v", chosen.K, chosen.Silhouettes)
	}
	most := chosen.Silhouettes[0]
	for _, w := range chosen.Silhouettes {
		most = max(most, w)
	}
	for i, w := range chosen.Silhouettes {
		if k := chosen.Tried + i; (k < chosen.K) != (w < enough*most) && k <= chosen.K {
			t.Errorf("%d classes were chosen of silhouettes %v", chosen.K, chosen.Silhouettes)
		}
	}
	for _, k := range []int{1, 2, 20} {
		if c := learn(Learning{Actions: 300, Restarts: 1, Classes: k}); c.K != k ||
			len(c.Silhouettes) != 1 {
			t.Errorf("%d classes where %d are asked for", c.K, k)
		}
	}
}

func TestRandomClasses(t *testing.T) {
	c, err := Learn(market{}, Learning{Games: 5}, testRNG(0))
	if err != nil {
		t.Fatal(err)
	}
	r, same, other := c.Random(1), c.Random(1), c.Random(2)
	counts := make([]int, r.K)
	differ := 0
	for i := range 900 {
		v := []float32{float32(i), 0, float32(i % 7), 7}
		k := r.Of(v)
		counts[k]++
		if k != same.Of(v) {
			t.Fatalf("%v is of class %d and of %d", v, k, same.Of(v))
		}
		if k != other.Of(v) {
			differ++
		}
	}
	for _, n := range counts {
		if n < 200 || n > 400 {
			t.Errorf("the classes have %v of 900 vectors", counts)
		}
	}
	if differ < 450 {
		t.Errorf("of another seed only %d of 900 differ", differ)
	}
}

// flat is a market whose actions all have the same features.
type flat struct{ market }

func (flat) Describe(dst []float32, _ game.State, _ game.Action) {
	copy(dst, []float32{1, 2, 3, 4})
}

func TestLearnRefuses(t *testing.T) {
	plain := game.Must(game.New("tictactoe"))
	for _, c := range []struct {
		g    game.Game
		l    Learning
		says string
	}{
		{plain, Learning{}, "does not describe actions by features"},
		{flat{}, Learning{}, "all actions have the same features"},
		{market{}, Learning{Classes: -1}, "classes is -1; a number from 1 to 64"},
		{market{}, Learning{Classes: 65}, "classes is 65"},
		{market{}, Learning{Most: 65}, "most classes is 65"},
		{market{}, Learning{Games: -1}, "games is -1"},
		{market{}, Learning{Actions: -1}, "actions is -1"},
		{market{}, Learning{Restarts: -1}, "restarts is -1"},
	} {
		if _, err := Learn(c.g, c.l, testRNG(0)); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v; it should say %q", c.l, err, c.says)
		}
	}
	classes, err := Learn(market{}, Learning{Games: 2}, testRNG(0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(plain, classes, Options{}); err == nil ||
		!strings.Contains(err.Error(), "features") {
		t.Errorf("a game without features: %v", err)
	}
	if _, err := New(game.Must(game.New("tcg")), classes, Options{}); err == nil ||
		!strings.Contains(err.Error(), "4 features") {
		t.Errorf("classes of another game: %v", err)
	}
	if _, err := New(market{}, classes, Options{Full: -1}); err == nil ||
		!strings.Contains(err.Error(), "full is -1") {
		t.Errorf("full turns below 0: %v", err)
	}
}

// Of returns the class, 0 to K-1, of an action with the features v in the game's own
// units. It allocates.
func (c *Classes) Of(v []float32) int {
	scaled := slices.Clone(v)
	c.scale(scaled)
	return c.of(scaled, make([]float32, len(v)))
}
