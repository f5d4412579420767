package sgf

import (
	"fmt"
	"slices"

	"tengen/internal/notation"
)

// Error is an error at a place in a file, or a warning about one.
type Error struct {
	Offset  int // bytes from the beginning
	Problem string
}

func (e *Error) Error() string {
	return fmt.Sprintf("SGF, byte %d: %s", e.Offset, notation.Plain(e.Problem))
}

func fail(offset int, form string, args ...any) error {
	return &Error{offset, fmt.Sprintf(form, args...)}
}

// notes are the warnings of a file, one for each form, so that their number does not grow with the
// file.
type notes struct {
	list []*Error
	more []int // by warning: how many of its form came after it
	of   map[string]int
}

// add adds a warning. Without notes it does nothing.
func (n *notes) add(offset int, form string, args ...any) {
	if n == nil {
		return
	}
	if i, known := n.of[form]; known {
		n.more[i]++
		return
	}
	if n.of == nil {
		n.of = map[string]int{}
	}
	n.of[form] = len(n.list)
	n.list, n.more = append(n.list, &Error{offset, fmt.Sprintf(form, args...)}), append(n.more, 0)
}

// all returns the warnings in the order of their places, with how often each recurs.
func (n *notes) all() []*Error {
	for i, e := range n.list {
		switch more := n.more[i]; more {
		case 0:
		case 1:
			e.Problem += " (and once more)"
		default:
			e.Problem += fmt.Sprintf(" (and %d times more)", more)
		}
	}
	slices.SortStableFunc(n.list, func(a, b *Error) int { return a.Offset - b.Offset })
	return n.list
}
