package main

import (
	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
)

func newReproduce() *cobra.Command {
	c := cli.Group(&cobra.Command{
		Use:   "reproduce",
		Short: "Repeat a published experiment and compare the results",
		Long: `Reproduce repeats a published experiment and prints the published figures beside its
own. The go-… experiments are those of Driss, Arjonilla, Wang, Saffidine and Cazenave,
"Deep Reinforcement Learning for 5×5 Multiplayer Go"; the rm-… experiments those of
Taucer, Polk and Oommen, "On Addressing the Challenges of Complex Stochastic Games Using
'Representative' Moves"; the turtle-… experiments those of Przybylski and Król,
"Mastering Strategies in a Board Game of Imperfect Information for Different Search
Techniques". Search-sweep measures options of our search, ruler the players that
strengths are measured against, and connect-four how often moves are perfect.

Each keeps its results in a folder next to a page, and writes the page from all results
in that folder. The page names the machine, and the commit of the program if go build
made it in a clone; go run keeps no commit.

All makes every table, one after the other.

Ctrl-C ends an experiment early: what it has found is printed, with the number of games,
and not written. A second Ctrl-C ends it at once.

Where networks play or are trained, they are on a CUDA device if this program supports
CUDA and the machine has one (--device), else on the processor.`,
		Example: "  tengen-lab reproduce all --quick\n  tengen-lab reproduce go-table3\n  tengen-lab reproduce descent-ablation",
	})
	c.AddCommand(newReproduceAll())
	c.AddCommand(newGoTable3(), newGoTable4(), newGoFigure3(), newGoReward(), newDescentAblation())
	c.AddCommand(newRMTable2(), newRMTable3(), newRMTable4(), newRMTable5(), newRMBeyond())
	c.AddCommand(newTurtleTables(), newTurtleBeyond(), newSearchSweep(), newRuler(),
		newConnectFour())
	return c
}
