package gametest

import (
	"fmt"
	"slices"

	"tengen/game"
)

// checkAuxiliaryTargets checks the targets of every game's end: that all are written and in range,
// depend on the final state alone, and commute with symmetries.
func checkAuxiliaryTargets(c *checker) error {
	x, ok := c.g.(game.HasAuxiliaryTargets)
	if !ok {
		return nil
	}
	if _, ok := c.g.NewState().(game.AuxiliaryTargetState); !ok {
		return fmt.Errorf("the game has targets, but its states have no method AuxiliaryTargets")
	}
	l := &auxiliaryChecker{checker: c, cells: x.CellTargets(), seats: x.SeatTargets()}
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
				fmt.Errorf("a copy has other targets: %v %v and %v %v",
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

type auxiliaryChecker struct {
	*checker
	cells []game.CellTarget
	seats []string
}

// declared checks the lists of targets.
func (l *auxiliaryChecker) declared() error {
	names := []string{}
	for _, k := range l.cells {
		names = append(names, k.Name)
		least := 2
		if k.Seats {
			least = max(least, l.g.Players())
		}
		if k.Classes < least || k.Classes > game.MaxClasses {
			return fmt.Errorf("the target %q has %d classes; must be %d to %d",
				k.Name, k.Classes, least, game.MaxClasses)
		}
	}
	for _, list := range [][]string{names, l.seats} {
		for i, name := range list {
			if name == "" || slices.Contains(list[:i], name) {
				return fmt.Errorf("the names of the targets %q must be different and not empty",
					list)
			}
		}
	}
	if len(l.cells)+len(l.seats) == 0 {
		return fmt.Errorf("the game has no target")
	}
	return nil
}

// symmetry checks the permutation of the targets of cells.
func (l *auxiliaryChecker) symmetry(t *game.Symmetry, identity bool) error {
	if t.CellTargets == nil {
		return nil
	}
	if err := permutation("targets", t.CellTargets, len(l.cells), identity); err != nil {
		return err
	}
	for i, j := range t.CellTargets {
		if a, b := l.cells[i], l.cells[j]; a.Classes != b.Classes || a.Seats != b.Seats {
			return fmt.Errorf("the target %q becomes %q, whose classes are others", a.Name, b.Name)
		}
	}
	return nil
}

// of returns the targets of a final state.
func (l *auxiliaryChecker) of(s game.State) (cells []int8, seats []float32, err error) {
	const marker = -128
	size, players := l.g.Planes().H*l.g.Planes().W, l.g.Players()
	cells = slices.Repeat([]int8{marker}, len(l.cells)*size+1)
	seats = poisoned(players * len(l.seats))
	s.(game.AuxiliaryTargetState).AuxiliaryTargets(cells, seats)
	for i, class := range cells[:len(l.cells)*size] {
		if k := l.cells[i/size]; class < game.NoClass || int(class) >= k.Classes {
			return nil, nil,
				fmt.Errorf("cell %d has class %d of the target %q; must be %d to %d",
					i%size, class, k.Name, game.NoClass, k.Classes-1)
		}
	}
	if cells[len(l.cells)*size] != marker {
		return nil, nil, fmt.Errorf("more targets of cells are written than there are")
	}
	if err := written(seats, players*len(l.seats)); err != nil {
		return nil, nil, fmt.Errorf("targets of seats: %w", err)
	}
	seats = seats[:players*len(l.seats)]
	for i, v := range seats {
		if !(v >= 0 && v <= 1) {
			return nil, nil,
				fmt.Errorf("seat %d has %v of the target %q; must be in [0, 1]",
					i/len(l.seats), v, l.seats[i%len(l.seats)])
		}
	}
	return cells[:len(l.cells)*size], seats, nil
}

// commutes plays the images of a game's actions and compares the targets.
func (l *auxiliaryChecker) commutes(
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

// exchanged compares the targets where another seat would have to begin, which no game shows: only
// that the transformation is a permutation of the targets that keeps their classes.
func (l *auxiliaryChecker) exchanged(t *game.Symmetry, cells []int8, seats []float32) error {
	moved, numbers := make([]int8, len(cells)), make([]float32, len(seats))
	t.TransformCellTargets(l.cells, moved, cells)
	t.TransformSeatTargets(len(l.seats), numbers, seats)
	inverse := inverted(t)
	back, again := make([]int8, len(cells)), make([]float32, len(seats))
	inverse.TransformCellTargets(l.cells, back, moved)
	inverse.TransformSeatTargets(len(l.seats), again, numbers)
	if !slices.Equal(back, cells) || !same(again, seats) {
		return fmt.Errorf("the targets %v %v become %v %v, and not themselves when transformed back",
			cells, seats, moved, numbers)
	}
	return nil
}

// inverted returns the inverse of a symmetry's effect on targets.
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
	if t.CellTargets != nil {
		u.CellTargets = make([]int, len(t.CellTargets))
		for i, j := range t.CellTargets {
			u.CellTargets[j] = i
		}
	}
	return u
}

// image returns an error unless the targets of u are the image of the given ones.
func (l *auxiliaryChecker) image(
	t *game.Symmetry, u game.State, cells []int8, seats []float32,
) error {
	if u.CurrentPlayer() != game.Nobody {
		return fmt.Errorf("the image of a finished game is not finished")
	}
	gotCells, gotSeats, err := l.of(u)
	if err != nil {
		return err
	}
	moved, numbers := make([]int8, len(cells)), make([]float32, len(seats))
	t.TransformCellTargets(l.cells, moved, cells)
	t.TransformSeatTargets(len(l.seats), numbers, seats)
	if !slices.Equal(moved, gotCells) || !same(numbers, gotSeats) {
		return fmt.Errorf("the targets %v %v become %v %v, but in the image they are %v %v",
			cells, seats, moved, numbers, gotCells, gotSeats)
	}
	return nil
}
