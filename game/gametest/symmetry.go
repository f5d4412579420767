package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// checkSymmetries plays each game along with its image under each symmetry.
func checkSymmetries(c *checker) error {
	x, ok := c.g.(game.Symmetric)
	if !ok {
		return nil
	}
	symmetries := x.Symmetries()
	if len(symmetries) == 0 {
		return fmt.Errorf("there is none; want the identity at least")
	}
	shape := c.g.Planes()
	for i := range symmetries {
		t := &symmetries[i]
		for _, err := range []error{
			permutation("cells", t.Cells, shape.H*shape.W, i == 0),
			permutation("planes", t.Planes, shape.C, i == 0),
			permutation("actions", t.Actions, c.g.Actions(), i == 0),
			permutation("players", t.Players, c.g.Players(), i == 0),
		} {
			if err != nil {
				return fmt.Errorf("symmetry %d: %w", i, err)
			}
		}
	}
	// Every game is played once per symmetry, so fewer games are used.
	number := 0
	return c.cut(func(_, all []game.Action, _ *rand.Rand) error {
		i := number % len(symmetries)
		number++
		if err := c.commutes(&symmetries[i], all); err != nil {
			return fmt.Errorf("symmetry %d: %w", i, err)
		}
		return nil
	})
}

// permutation returns an error if m is not a permutation of 0 to n-1, or not the
// identity where identity is set.
func permutation[T ~int | ~int8 | ~int32](what string, m []T, n int, identity bool) error {
	if len(m) != n {
		return fmt.Errorf("%d %s are mapped; there are %d", len(m), what, n)
	}
	hit := make([]bool, n)
	for i, j := range m {
		if int(j) < 0 || int(j) >= n || hit[j] {
			return fmt.Errorf("the map of %s is no permutation: %v", what, m)
		}
		hit[j] = true
		if identity && int(j) != i {
			return fmt.Errorf("the map of %s is not the identity, which comes first: %v", what, m)
		}
	}
	return nil
}

// commutes plays the actions on one state and their images on another.
func (c *checker) commutes(t *game.Symmetry, actions []game.Action) error {
	player := func(p game.Player) game.Player {
		if p < 0 {
			return p
		}
		return t.Players[p]
	}
	image := func(a game.Action) game.Action {
		if int(a) >= len(t.Actions) {
			return a
		}
		return t.Actions[a]
	}
	s, u := c.g.NewState(), c.g.NewState()
	for _, a := range actions { // if chance begins: the first player to move
		if s.CurrentPlayer() != game.Chance {
			break
		}
		s.Apply(a)
	}
	if s.CurrentPlayer() != player(s.CurrentPlayer()) {
		return nil
	}
	s.CopyFrom(u)
	for n := 0; ; n++ {
		v, w := c.look(s), c.look(u)
		if err := c.isImage(t, v, w, player, image); err != nil {
			return afterActions(actions[:n], err)
		}
		if n == len(actions) {
			return nil
		}
		s.Apply(actions[n])
		u.Apply(image(actions[n]))
	}
}

// isImage returns an error if w is not the image of v.
func (c *checker) isImage(
	t *game.Symmetry, v, w *snapshot, player func(game.Player) game.Player,
	image func(game.Action) game.Action,
) error {
	if player(v.mover) != w.mover {
		return fmt.Errorf("the current player %d becomes %d, but in the image it is %d",
			v.mover, player(v.mover), w.mover)
	}
	legal := make([]game.Action, len(v.legal))
	for i, a := range v.legal {
		legal[i] = image(a)
	}
	slices.Sort(legal)
	if !slices.Equal(legal, w.legal) {
		return fmt.Errorf("the legal actions %v become %v, but in the image they are %v",
			v.legal, legal, w.legal)
	}
	p := map[game.Action]float64{}
	for _, o := range w.outcomes {
		p[o.Action] = o.Probability
	}
	for _, o := range v.outcomes {
		if math.Abs(p[image(o.Action)]-o.Probability) > 1e-9 {
			return fmt.Errorf("the outcome %d has probability %v, its image %v",
				o.Action, o.Probability, p[image(o.Action)])
		}
	}
	for i, values := range [][2][]float32{{v.returns, w.returns}, {v.scores, w.scores}} {
		for q, u := range values[0] {
			if math.Abs(float64(u-values[1][t.Players[q]])) > 1e-6 {
				return fmt.Errorf("the %s %v become %v",
					[2]string{"utilities", "scores"}[i], values[0], values[1])
			}
		}
	}
	if v.observation != nil {
		moved := make([]float32, len(v.observation))
		t.Transform(moved, v.observation)
		if i := unequal(moved, w.observation); i >= 0 {
			return fmt.Errorf(
				"element %d of the transformed observation is %v, but in the image it is %v",
				i, moved[i], w.observation[i])
		}
	}
	return nil
}
