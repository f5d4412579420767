// Command tengen-lab measures: it repeats the experiments of published papers, compares ways to
// train, and measures players where the truth is known. It has all commands of tengen besides, for
// the runs and workers of experiments.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"tengen/cmd"
)

// program returns tengen-lab.
func program() *cmd.Program {
	return &cmd.Program{
		Name:  "tengen-lab",
		Short: "Repeat published experiments, and measure ways to train and players",
		Long: `Tengen-lab repeats the experiments of published papers (reproduce), compares ways to train
(lab), and measures players where the truth is known (loss, belief) or against another
program (gnubg). It has all commands of tengen besides.`,
		Example: `  tengen-lab reproduce all --quick
  tengen-lab lab research/labs/example.yaml`,
		More: []func() *cobra.Command{newReproduce, newLab, newLoss, newBelief, newGnubg},
	}
}

func main() { os.Exit(program().Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
