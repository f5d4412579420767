package gametest

import (
	"fmt"
	"slices"

	"tengen/game"
)

// checkLabels checks the labels of every game's end: that all are written and in range, depend on
// the final state alone, and commute with symmetries.
func checkLabels(c *checker) error {
	x, ok := c.g.(game.Labeled)
	if !ok {
		return nil
	}
	if _, ok := c.g.NewState().(game.LabeledState); !ok {
		return fmt.Errorf("the game has labels, but its states have no method Labels")
	}
	l := &labelChecker{checker: c, cells: x.CellLabels(), seats: x.SeatLabels()}
	if err := l.declared(); err != nil {
		return err
	}
	symmetries := []game.Symmetry{}
	if s, ok := c.g.(game.Symmetric); ok {
		symmetries = s.Symmetries()
	}
	for i := range symmetries {
		if err := l.symmetry(&symmetries[i], i == 0); err != nil {
			return fmt.Errorf("symmetry %d: %w", i, err)
		}
	}
	copied := c.g.NewState()
	for n, actions := range c.played {
		s := c.at(actions)
		cells, seats, err := l.of(s)
		if err != nil {
			return afterActions(actions, err)
		}
		copied.CopyFrom(s)
		if cells2, seats2, err := l.of(copied); err != nil || !slices.Equal(cells, cells2) ||
			!same(seats, seats2) {
			return afterActions(actions,
				fmt.Errorf("a copy has other labels: %v %v and %v %v",
					cells, seats, cells2, seats2))
		}
		if len(symmetries) > 0 {
			i := n % len(symmetries)
			if err := l.commutes(&symmetries[i], actions, cells, seats); err != nil {
				return afterActions(actions, fmt.Errorf("symmetry %d: %w", i, err))
			}
		}
	}
	return nil
}

type labelChecker struct {
	*checker
	cells []game.CellLabel
	seats []string
}

// declared checks the lists of labels.
func (l *labelChecker) declared() error {
	names := []string{}
	for _, k := range l.cells {
		names = append(names, k.Name)
		least := 2
		if k.Seats {
			least = max(least, l.g.Players())
		}
		if k.Classes < least || k.Classes > game.MaxClasses {
			return fmt.Errorf("the label %q has %d classes; must be %d to %d",
				k.Name, k.Classes, least, game.MaxClasses)
		}
	}
	for _, list := range [][]string{names, l.seats} {
		for i, name := range list {
			if name == "" || slices.Contains(list[:i], name) {
				return fmt.Errorf("the names of the labels %q must be different and not empty",
					list)
			}
		}
	}
	if len(l.cells)+len(l.seats) == 0 {
		return fmt.Errorf("the game has no label")
	}
	return nil
}

// symmetry checks the permutation of the labels of cells.
func (l *labelChecker) symmetry(t *game.Symmetry, identity bool) error {
	if t.Labels == nil {
		return nil
	}
	if err := permutation("labels", t.Labels, len(l.cells), identity); err != nil {
		return err
	}
	for i, j := range t.Labels {
		if a, b := l.cells[i], l.cells[j]; a.Classes != b.Classes || a.Seats != b.Seats {
			return fmt.Errorf("the label %q becomes %q, whose classes are others", a.Name, b.Name)
		}
	}
	return nil
}

// of returns the labels of a final state.
func (l *labelChecker) of(s game.State) (cells []int8, seats []float32, err error) {
	const marker = -128
	size, players := l.g.Planes().H*l.g.Planes().W, l.g.Players()
	cells = slices.Repeat([]int8{marker}, len(l.cells)*size+1)
	seats = poisoned(players * len(l.seats))
	s.(game.LabeledState).Labels(cells, seats)
	for i, class := range cells[:len(l.cells)*size] {
		if k := l.cells[i/size]; class < game.NoLabel || int(class) >= k.Classes {
			return nil, nil,
				fmt.Errorf("cell %d has class %d of the label %q; must be %d to %d",
					i%size, class, k.Name, game.NoLabel, k.Classes-1)
		}
	}
	if cells[len(l.cells)*size] != marker {
		return nil, nil, fmt.Errorf("more labels of cells are written than there are")
	}
	if err := written(seats, players*len(l.seats)); err != nil {
		return nil, nil, fmt.Errorf("labels of seats: %w", err)
	}
	seats = seats[:players*len(l.seats)]
	for i, v := range seats {
		if !(v >= 0 && v <= 1) {
			return nil, nil,
				fmt.Errorf("seat %d has %v of the label %q; must be in [0, 1]",
					i/len(l.seats), v, l.seats[i%len(l.seats)])
		}
	}
	return cells[:len(l.cells)*size], seats, nil
}

// commutes plays the images of a game's actions and compares the labels.
func (l *labelChecker) commutes(
	t *game.Symmetry, actions []game.Action, cells []int8, seats []float32,
) error {
	u := l.g.NewState()
	first, began := 0, l.g.NewState()
	for ; first < len(actions) && began.CurrentPlayer() == game.Chance; first++ {
		began.Apply(actions[first])
	}
	if p := began.CurrentPlayer(); p >= 0 && t.Players[p] != p {
		return l.exchanged(t, cells, seats)
	}
	for _, a := range actions {
		if int(a) < len(t.Actions) {
			a = t.Actions[a]
		}
		u.Apply(a)
	}
	return l.image(t, u, cells, seats)
}

// exchanged compares the labels where another seat would have to begin, which no game shows: only
// that the transformation is a permutation of the labels that keeps their classes.
func (l *labelChecker) exchanged(t *game.Symmetry, cells []int8, seats []float32) error {
	moved, numbers := make([]int8, len(cells)), make([]float32, len(seats))
	t.TransformCellLabels(l.cells, moved, cells)
	t.TransformSeatLabels(len(l.seats), numbers, seats)
	inverse := inverted(t)
	back, again := make([]int8, len(cells)), make([]float32, len(seats))
	inverse.TransformCellLabels(l.cells, back, moved)
	inverse.TransformSeatLabels(len(l.seats), again, numbers)
	if !slices.Equal(back, cells) || !same(again, seats) {
		return fmt.Errorf("the labels %v %v become %v %v, and not themselves when transformed back",
			cells, seats, moved, numbers)
	}
	return nil
}

// inverted returns the inverse of a symmetry's effect on labels.
func inverted(t *game.Symmetry) *game.Symmetry {
	u := &game.Symmetry{
		Cells: make([]int, len(t.Cells)), Players: make([]game.Player, len(t.Players)),
	}
	for i, j := range t.Cells {
		u.Cells[j] = i
	}
	for p, q := range t.Players {
		u.Players[q] = game.Player(p)
	}
	if t.Labels != nil {
		u.Labels = make([]int, len(t.Labels))
		for i, j := range t.Labels {
			u.Labels[j] = i
		}
	}
	return u
}

// image returns an error unless the labels of u are the image of the given ones.
func (l *labelChecker) image(t *game.Symmetry, u game.State, cells []int8, seats []float32) error {
	if u.CurrentPlayer() != game.Nobody {
		return fmt.Errorf("the image of a finished game is not finished")
	}
	gotCells, gotSeats, err := l.of(u)
	if err != nil {
		return err
	}
	moved, numbers := make([]int8, len(cells)), make([]float32, len(seats))
	t.TransformCellLabels(l.cells, moved, cells)
	t.TransformSeatLabels(len(l.seats), numbers, seats)
	if !slices.Equal(moved, gotCells) || !same(numbers, gotSeats) {
		return fmt.Errorf("the labels %v %v become %v %v, but in the image they are %v %v",
			cells, seats, moved, numbers, gotCells, gotSeats)
	}
	return nil
}
