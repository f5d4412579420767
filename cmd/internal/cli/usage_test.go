package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandLine: what a page of results says can be run again.
func TestCommandLine(t *testing.T) {
	c := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
	c.Flags().Bool("paper", false, "")
	c.Flags().Bool("safe", true, "")
	c.Flags().Int("games", 500, "")
	c.Flags().StringArray("set", nil, "")
	c.Flags().String("out", "", "")
	c.SetArgs([]string{
		"run", "--paper", "--safe=false", "--games", "20", "--set", "a=1", "--set", "b=$2 x",
		"--out", "p.md",
	})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	if got, want := CommandLine(c),
		"x run --games 20 --paper --safe=false --set a=1 --set 'b=$2 x'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
