package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// visit calls f for every command of ours.
func visit(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			visit(sub, f)
		}
	}
}

// Every command says at length what it does, and by examples that it understands.
func TestHelp(t *testing.T) {
	visit(newRoot(), func(c *cobra.Command) {
		if c.Long == "" || c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its help is short of something: %q", c.CommandPath(), c.Short)
		}
		for _, line := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if n := len([]rune(line)); n > 90 {
				t.Errorf("%s: a line of its help has %d letters: %s", c.CommandPath(), n, line)
			}
		}
		examples := strings.Split(c.Example, "\n")
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
			return
		}
		for _, example := range examples {
			words := strings.Fields(example)
			if len(words) < 2 || words[0] != "tengen" {
				t.Errorf("%s: the example %q does not call tengen", c.CommandPath(), example)
				continue
			}
			found, rest, err := newRoot().Find(words[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil || !strings.HasPrefix(found.CommandPath(), c.CommandPath()) {
				t.Errorf("%s: the example %q calls %q: %v", c.CommandPath(), example, found.CommandPath(), err)
			}
		}
	})
}
