package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/interop/gtp"
	"tengen/interop/sgf"
	"tengen/player"
	"tengen/vfs"
)

// gtpGame is the default game of players without a network.
const gtpGame = "go:size=5,players=2,pass=free"

// gtpFlags are the flags of gtp.
type gtpFlags struct {
	game        string
	simulations int
	seed        uint64
	why         bool
	ponder      bool
	resign      float64
	name        string
	version     string
	against     string
	patience    time.Duration
	games       int
	opening     int
	save        string
	device      string
	json        bool
}

func newGTP() *cobra.Command {
	var f gtpFlags
	c := &cobra.Command{
		Use:   "gtp PLAYER|CHECKPOINT",
		Short: "Play two-player Go with other programs, by the Go Text Protocol",
		Long: `Gtp speaks the Go Text Protocol, version 2, on its standard input and output, so that
Go programs (GoGui, Sabaki, Lizzie) can play against PLAYER, which is written as in
` + "`tengen play`" + `, or against the network of CHECKPOINT, and show what it thinks: the
players uct and az understand kata-analyze, lz-analyze and genmove_analyze.

Games are scored by area, without dead stones, which the player takes before it passes. A
network plays on the board size that it was trained on, with any komi; other players on
any board up to 19×19.

Where the controller sets a clock (time_settings, time_left), it decides how long the
player thinks. Without one a player makes 180 simulations a move, and says so when it
begins. A number that you ask for, by simulations=N in PLAYER or by --simulations, holds
with a clock too.

With --ponder, uct and az go on searching on the opponent's time, and keep what they find
below the opponent's move. Moves then depend on time, so that games can't be repeated.
An analysis on request affects the next moves too, if the player keeps its tree, as az
does.

With --resign 0.05 a player that searches resigns once its searches have found a winrate
below 5 % at three of its decisions in a row; without it, it plays on to the end.

With --against COMMAND, such as "gnugo --mode gtp --chinese-rules --capture-all-dead",
it plays --games games against the program that COMMAND starts, with alternating colours,
and prints wins and margins by colour with 95 % intervals. --opening draws the first
stones of each pair of games at random. Ctrl-C ends the match early, and so does a program
that does not answer for --patience; what was played is printed. --save keeps the games in
a folder, as SGF too: the same command then plays those that are missing, or with more
--games further ones.

A network is evaluated on a CUDA device if this program supports CUDA and the machine has
one (--device), else on the processor. If the device is lost the processor takes over; a
match against another program ends instead.`,
		Example: `  tengen gtp uct:simulations=5000
  tengen gtp runs/go5 --why
  tengen gtp runs/go9 --resign 0.05
  tengen gtp runs/go5 --device cuda
  tengen gtp uct:time=5s,utility=unit --ponder
  tengen gtp go-5x5x2 --override-name KataGo --override-version 1.15.3
  tengen gtp az:runs/go5 --game go:size=5,players=2,komi=[0,24.5],pass=free
  tengen gtp runs/go5 --against my-engine --games 200 --opening 2 --json`,
		Args: cli.Arguments("PLAYER|CHECKPOINT"),
		RunE: func(c *cobra.Command, args []string) error {
			config, err := f.config(c, args[0])
			if err != nil {
				return err
			}
			if f.against != "" {
				for _, name := range []string{"ponder", "override-name", "override-version"} {
					if c.Flags().Changed(name) {
						return cli.Usagef("--%s is for sessions with a program that sends commands, not for --against", name)
					}
				}
				return f.match(c, config)
			}
			for _, name := range []string{"games", "opening", "patience", "save", "json"} {
				if c.Flags().Changed(name) {
					return cli.Usagef("--%s is for a match: --against COMMAND is wanted too", name)
				}
			}
			config.Name, config.Version = cmp.Or(f.name, config.Name),
				cmp.Or(f.version, config.Version)
			if config.Ponder = f.ponder; f.ponder {
				config.Player = player.Keeping(config.Player)
			}
			b, err := openFor(c, f.device, config.Player)
			if err != nil {
				return err
			}
			defer b.Close()
			if err := playOnWhileItLasts(c, b, config.Player); err != nil {
				return err
			}
			e, err := gtp.NewEngine(config)
			if err != nil {
				return cli.Usage(err)
			}
			defer e.Close()
			tellLimit(c, config)
			return e.Serve(c.Context(), c.InOrStdin(), c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&f.game, "game", gtpGame, "the game (default for a network: its own)")
	c.Flags().IntVar(&f.simulations, "simulations",
		180, "a checkpoint's simulations, or iterations of ubfm, per move")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.why, "why",
		false, "write the player's analysis of each position to the standard error")
	c.Flags().BoolVar(&f.ponder, "ponder",
		false, "search on the opponent's time too; moves then depend on time")
	c.Flags().Float64Var(&f.resign, "resign",
		0, "winrate below which the player resigns, at most 0.5; 0: it never does")
	c.Flags().StringVar(&f.name, "override-name", "",
		"the answer to name, for programs that treat names such as KataGo specially")
	c.Flags().StringVar(&f.version, "override-version", "",
		"the answer to version, for programs that compare it with another engine's")
	c.Flags().StringVar(&f.against, "against", "",
		"command of a GTP program to play a match against")
	c.Flags().IntVar(&f.games, "games", 100, "number of games of the match")
	c.Flags().IntVar(&f.opening, "opening", 0, "random stones at the start of each pair of games")
	c.Flags().DurationVar(&f.patience, "patience",
		2*time.Minute, "longest wait for an answer of the program; 0: no limit")
	c.Flags().StringVar(&f.save, "save", "",
		"folder for the games, from which the match can be resumed")
	c.Flags().BoolVar(&f.json, "json", false, "print the match's report as JSON")
	cli.AddDevice(c.Flags(), &f.device)
	return c
}

// tellLimit says on the standard error how many simulations a player makes, if it counts them:
// whoever connects a program sees nothing else of it.
func tellLimit(c *cobra.Command, config gtp.Config) {
	switch n, key := player.Limit(config.Player); {
	case n == 0:
	case config.Capped:
		cli.Warn(c, "at most %d %s a move, whatever a clock allows", n, key)
	default:
		cli.Warn(c, "%d %s a move until time settings come; %s=N sets another number, which holds with a clock too", n, key, key)
	}
}

// asked reports whether the user has given the number of simulations or iterations of a player, for
// which cli.AsPlayer has returned a name.
func (f *gtpFlags) asked(c *cobra.Command, text, name string) bool {
	if name != text { // a network alone
		return c.Flags().Changed("simulations")
	}
	s, err := notation.Parse(text)
	return err == nil && (s.Arg("simulations") != "" || s.Arg("iterations") != "")
}

// config returns the engine's configuration for the player that text names.
func (f *gtpFlags) config(c *cobra.Command, text string) (gtp.Config, error) {
	if err := cli.CheckNumber("simulations", f.simulations, 1); err != nil {
		return gtp.Config{}, err
	}
	name, itsGame, err := cli.AsPlayer(text, f.simulations)
	if err != nil {
		return gtp.Config{}, cli.Usage(err)
	}
	gameName := f.game
	if itsGame != "" && !c.Flags().Changed("game") {
		gameName = itsGame
	}
	if f.resign < 0 || f.resign > 0.5 {
		return gtp.Config{}, cli.Usagef("--resign %v: a winrate from 0 to 0.5 is wanted", f.resign)
	}
	g, err := cli.ParseGame(gameName)
	if err != nil {
		return gtp.Config{}, err
	}
	if err := gtp.CheckGame(g); err != nil {
		return gtp.Config{}, cli.Usage(err)
	}
	p, err := anyKomi(g, name, itsGame)
	if err != nil {
		return gtp.Config{}, cli.Usage(err)
	}
	cli.WarnPassedOver(c, p)
	player.Alone(p)
	v := cli.ReadVersion()
	config := gtp.Config{
		Player: p, Game: g, Fixed: itsGame != "", Capped: f.asked(c, text, name), Seed: f.seed,
		Resign: f.resign,
		Name:   "Tengen", Version: strings.TrimSpace(v.Version + " " + v.Revision),
		Warn: cli.WarnDamaged(c),
	}
	if f.why {
		config.OnMove = func(g game.Game, s game.State, v player.Analysis) {
			who := fmt.Sprintf("%s (%s)", game.SeatName(g, s.CurrentPlayer()), p.Name())
			fmt.Fprint(c.ErrOrStderr(), cli.NewAnalysis(g, s, v).Text(who, cli.DefaultMoves))
		}
	}
	return config, nil
}

// match plays a match and prints the report.
func (f *gtpFlags) match(c *cobra.Command, config gtp.Config) error {
	for _, n := range []struct {
		flag         string
		value, least int
	}{{"games", f.games, 1}, {"opening", f.opening, 0}} {
		if n.value < n.least || n.value > 1_000_000 {
			return cli.Usagef("--%s %d: a number from %d to 1000000 is wanted",
				n.flag, n.value, n.least)
		}
	}
	if f.patience < 0 {
		return cli.Usagef("--patience %v: a time of 0 or more is wanted, such as 2m", f.patience)
	}
	m := gtp.Match{
		Config: config, Command: f.against, Games: f.games, Opening: f.opening,
		Patience: f.patience,
	}
	kept, played := 0, 0
	if f.save != "" {
		network, err := player.NetworkDigest(config.Player.Name())
		if err != nil {
			return cli.Usage(err)
		}
		switch m.Store, err = gtp.OpenStore(vfs.OS{}, f.save, &m, network); {
		case errors.Is(err, gtp.ErrOtherMatch):
			return cli.Usagef("--save: %w", err)
		case err != nil:
			return fmt.Errorf("--save: %w", err)
		}
		defer m.Store.Close()
		warn := cli.WarnDamaged(c)
		for _, err := range m.Store.Damaged {
			warn(err)
		}
		if kept = m.Store.Len(f.games); kept > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "%d games are in %s already\n", kept, f.save)
		}
		m.OnGame = func(r *gtp.Result, record *sgf.Record) error {
			path := filepath.Join(f.save, fmt.Sprintf("game-%04d.sgf", r.Number+1))
			return vfs.WriteFile(vfs.OS{}, path, func(w io.Writer) error { return record.Write(w) })
		}
	}
	b, err := openFor(c, f.device, config.Player)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := playOn(b, config.Player); err != nil {
		return cli.Advise(err)
	}
	progress := cli.NewProgress(c.ErrOrStderr(), "against "+firstWord(f.against), "games")
	report, err := m.Play(c.Context(), func(n, all int) {
		played = n
		progress.Set(n, all)
	})
	progress.Close()
	if report == nil {
		return cli.Advise(err)
	}
	cli.WarnFull(c, config.Player)
	write := report.WriteText
	if f.json {
		write = func(w io.Writer) error { return cli.WriteJSON(w, report) }
	}
	if failed := write(c.OutOrStdout()); failed != nil {
		return failed
	}
	if err != nil && f.save != "" && c.Context().Err() != nil {
		err = cli.Stopped(
			fmt.Sprintf("stopped; %d games are in %s, and the same command plays the rest",
				kept+played, f.save), err)
	}
	return cli.Advise(err)
}

// firstWord returns the program's name in a command.
func firstWord(command string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return filepath.Base(name)
}
