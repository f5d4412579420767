package gametest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tengen/game"
)

// checkName makes the game again from its name.
func checkName(c *checker) error {
	h, err := game.New(c.g.Name())
	if err != nil {
		return fmt.Errorf("the game's own name is refused: %w", err)
	}
	g := c.g
	switch {
	case h.Name() != g.Name():
		return fmt.Errorf("%q is made again as %q", g.Name(), h.Name())
	case h.Players() != g.Players() || h.Actions() != g.Actions() || h.Planes() != g.Planes() ||
		!slices.Equal(h.Support(), g.Support()):
		return fmt.Errorf("%q is made again with other players, actions, planes or support",
			g.Name())
	}
	return nil
}

// garbage lists texts that name no action in any game.
var garbage = []string{"", " ", "?!", "no such action", "-1", "99999999999999999999999", "\x00"}

// checkActionNames parses the names of legal actions.
func checkActionNames(c *checker) error {
	n, ok := c.g.(game.Notated)
	if !ok {
		return nil
	}
	return c.each(func(s game.State, _ *rand.Rand) error {
		if s.CurrentPlayer() < 0 {
			return nil
		}
		for _, a := range s.LegalActions(nil) {
			name := n.ActionName(s, a)
			if name == "" || strings.TrimSpace(name) != name {
				return fmt.Errorf("the action %d has the name %q", a, name)
			}
			if b, err := n.ParseAction(s, name); err != nil || b != a {
				return fmt.Errorf("the action %d has the name %q, which is read as %d, %v",
					a, name, b, err)
			}
		}
		for _, text := range garbage {
			if a, err := n.ParseAction(s, text); err == nil {
				return fmt.Errorf("%q is read as the action %d; want an error", text, a)
			}
		}
		return nil
	})
}

// checkPresentation checks seat names and drawings.
func checkPresentation(c *checker) error {
	names := map[string]bool{}
	for p := range c.g.Players() {
		name := game.SeatName(c.g, game.Player(p))
		if name == "" || names[name] {
			return fmt.Errorf("seat %d has the name %q, which is empty or another's", p, name)
		}
		names[name] = true
	}
	if g, ok := c.g.(game.Guided); ok && !strings.HasSuffix(g.Guide(), "\n") {
		return fmt.Errorf("the guide %q does not end with a newline", g.Guide())
	}
	if _, ok := c.g.NewState().(game.Drawn); !ok {
		return nil
	}
	return c.cut(func(prefix, _ []game.Action, _ *rand.Rand) error {
		d := c.at(prefix).(game.Drawn)
		for _, color := range []bool{false, true} {
			text := d.Draw(color)
			if !strings.HasSuffix(text, "\n") {
				return fmt.Errorf("the drawing %q does not end with a newline", text)
			}
			if !color && strings.Contains(text, "\x1b") {
				return fmt.Errorf("the drawing %q has ANSI escapes without color", text)
			}
		}
		return nil
	})
}

// checkPositions parses the positions of states, and lays states open.
func checkPositions(c *checker) error {
	g, ok := c.g.(game.Positioned)
	if !ok {
		return nil
	}
	open, opened := c.g.(game.Openable)
	var laid game.State
	if opened {
		if o := open.Opened(); o == nil {
			opened = false
		} else if laid = o.NewState(); isHidden(laid) || !isHidden(c.g.NewState()) {
			return fmt.Errorf("%s is opened as %s", c.g.Name(), o.Name())
		}
	}
	return c.cut(func(prefix, _ []game.Action, _ *rand.Rand) error {
		s := c.at(prefix)
		text := s.(game.Written).Position()
		again, err := g.ParsePosition(text)
		if err != nil {
			return fmt.Errorf("the position %q is refused: %w", text, err)
		}
		if err := c.look(s).differs(c.look(again)); err != nil {
			return fmt.Errorf("the position %q is another state: %w", text, err)
		}
		if opened {
			open.LayOpen(laid, s)
			if got := laid.(game.Written).Position(); got != text {
				return fmt.Errorf("the position %q is laid open as %q", text, got)
			}
		}
		return nil
	})
}

func isHidden(s game.State) bool {
	_, ok := s.(game.ImperfectInformation)
	return ok
}
