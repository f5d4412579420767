package cmd

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game/goban"
	"tengen/interop/analysis"
	"tengen/player"
)

// analysisFlags are the flags of analysis.
type analysisFlags struct {
	simulations int
	parallel    int
	perspective string
	seed        uint64
	atOnce      bool
	version     string
	device      string
}

func newAnalysis() *cobra.Command {
	var f analysisFlags
	c := &cobra.Command{
		Use:   "analysis PLAYER|CHECKPOINT",
		Short: "Answer another program's queries about positions of Go, as JSON",
		Long: `Analysis speaks the protocol of KataGo's analysis engine on its standard input and
output, one line of JSON for each query and each answer, so that programs such as KaTrain
can show what PLAYER thinks, which is written as in ` + "`tengen play`" + `, or the network of
CHECKPOINT. PLAYER is az or uct; others can't search for as long as they are asked to.

A query names the board, the rules and komi. A network knows the board that it was
trained on; other players any from 2×2 to 19×19. Rules count area, without suicide:
chinese, chinese-ogs, aga, or an object of rules. Others are refused. Values are those of
kata-analyze in ` + "`tengen gtp`" + `. There is no ownership.

--parallel positions are searched at a time, those of the highest priority first. When
the input ends, what was asked for is finished, unless --quit-without-waiting is set.

A network is evaluated on a CUDA device if this program supports CUDA and the machine has
one (--device), else on the processor. If the device is lost the processor takes over.`,
		Example: `  tengen analysis go-5x5x2
  tengen analysis runs/go5 --parallel 2 --quit-without-waiting
  tengen analysis az:runs/go5,c=0.6 --winrates-as black
  tengen analysis uct:simulations=5000,utility=unit`,
		Args: cli.Arguments("PLAYER|CHECKPOINT"),
		RunE: func(c *cobra.Command, args []string) error {
			config, err := f.config(c, args[0])
			if err != nil {
				return err
			}
			b, err := openFor(c, f.device, config.Player)
			if err != nil {
				return err
			}
			defer b.Close()
			if err := playOnWhileItLasts(c, b, config.Player); err != nil {
				return err
			}
			s, err := analysis.NewServer(config)
			if err != nil {
				return cli.Usage(err)
			}
			// Programs wait for this line of KataGo's.
			fmt.Fprintln(c.ErrOrStderr(), "Started, ready to begin handling requests")
			return s.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout())
		},
	}
	c.Flags().IntVar(&f.simulations, "simulations",
		180, "a checkpoint's simulations for queries without maxVisits")
	c.Flags().IntVar(&f.parallel, "parallel",
		0, "positions searched at a time; 0: as many as there are cores, and at least 2")
	c.Flags().StringVar(&f.perspective, "winrates-as", "sidetomove",
		"for whom values are told unless a query says so: black, white, sidetomove")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.atOnce, "quit-without-waiting",
		false, "end with the input, without the answers that are missing")
	c.Flags().StringVar(&f.version, "override-version", "",
		"the version in the answer to query_version, for programs that compare it with KataGo's")
	cli.AddDevice(c.Flags(), &f.device)
	return c
}

// config returns the server's configuration for the player that text names.
func (f *analysisFlags) config(c *cobra.Command, text string) (analysis.Config, error) {
	if err := cmp.Or(cli.CheckNumber("simulations", f.simulations, 1),
		cli.CheckNumber("parallel", f.parallel, 0)); err != nil {
		return analysis.Config{}, err
	}
	if f.parallel > 1024 {
		return analysis.Config{},
			cli.Usagef("--parallel %d: a number up to 1024 is wanted", f.parallel)
	}
	perspective, ok := analysis.ParsePerspective(f.perspective)
	if !ok {
		return analysis.Config{},
			cli.Usagef("--winrates-as %s: black, white or sidetomove is wanted", f.perspective)
	}
	name, itsGame, err := cli.AsPlayer(text, f.simulations)
	if err != nil {
		return analysis.Config{}, cli.Usage(err)
	}
	g, err := cli.ParseGame(cmp.Or(itsGame, gtpGame))
	if err != nil {
		return analysis.Config{}, err
	}
	if err := analysis.CheckGame(g); err != nil {
		return analysis.Config{}, cli.Usage(err)
	}
	p, err := player.Parse(g, name)
	if err != nil {
		return analysis.Config{}, cli.Usage(err)
	}
	cli.WarnPassedOver(c, p)
	if rules, _ := goban.RulesOf(g); itsGame != "" && rules.Reward == goban.Win {
		cli.Warn(c, "%s was trained on wins and knows no leads: KaTrain can't show its analysis",
			p.Name())
	}
	v := cli.ReadVersion()
	config := analysis.Config{
		Player: p, Game: g, Fixed: itsGame != "", Seed: f.seed, Visits: player.Simulations(p),
		Perspective: perspective,
		Parallel:    cmp.Or(f.parallel, max(2, runtime.GOMAXPROCS(0))), AtOnce: f.atOnce,
		Version: cmp.Or(f.version, v.Version), Revision: v.Revision,
	}
	if player.HasNetwork(p) {
		config.Models = []string{p.Name()}
	}
	return config, nil
}
