package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tengen/cmd"
	"tengen/cmd/internal/cli"
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

// belongs returns the program whose documentation has a command: tengen where it has it.
func belongs(c *cobra.Command) string {
	for ; c.HasParent() && c.Parent().HasParent(); c = c.Parent() {
	}
	for _, own := range cmd.Root().Commands() {
		if c.Name() == own.Name() {
			return "tengen"
		}
	}
	return "tengen-lab"
}

// Every command says at length what it does, and by examples that it understands.
func TestHelp(t *testing.T) {
	visit(program().Root(), func(c *cobra.Command) {
		if c.Long == "" || c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its help is short of something: %q", c.CommandPath(), c.Short)
		}
		var out bytes.Buffer
		if program().Execute(t.Context(), append(strings.Fields(c.CommandPath())[1:], "--help"),
			nil, &out, &out) != 0 {
			t.Errorf("%s --help: %s", c.CommandPath(), out.String())
		}
		for _, line := range strings.Split(out.String(), "\n") {
			// An example is one line, to be copied; a word can't be broken.
			n := len([]rune(line))
			if n > 80 && !strings.HasPrefix(line, "  tengen") &&
				strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: a line of its help has %d columns: %s", c.CommandPath(), n, line)
			}
		}
		examples := strings.Split(c.Example, "\n")
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
			return
		}
		for _, example := range examples {
			words := strings.Fields(example)
			if len(words) < 2 || words[0] != belongs(c) {
				t.Errorf("%s: the example %q does not call %s",
					c.CommandPath(), example, belongs(c))
				continue
			}
			found, rest, err := program().Root().Find(words[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil || !strings.HasPrefix(cli.NameOf(found), cli.NameOf(c)) && c.HasParent() {
				t.Errorf("%s: the example %q calls %q: %v",
					c.CommandPath(), example, found.CommandPath(), err)
			}
		}
	})
}
