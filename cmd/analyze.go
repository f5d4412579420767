package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/position"
	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/interop/analysis"
	"tengen/player"
	"tengen/search"
	"tengen/vfs"
)

// analyst is the default player of analyze.
const analyst = "uct:simulations=2000"

func newAnalyze() *cobra.Command {
	source := position.Source{Default: cli.DefaultGame}
	var simulations, top int
	var seed uint64
	var svg, device string
	var asJSON, each bool
	c := &cobra.Command{
		Use:   "analyze [POSITION] [PLAYER|CHECKPOINT]",
		Short: "Print a player's analysis of a position: visits, values, the best line",
		Long: `Analyze has a player that searches look at a position. It prints what each seat can
expect, the principal variation, and the share of visits of the best moves; for Go also
the board with each point's share of visits in percent.

POSITION is a file, or - for the standard input, with
  a game in SGF        the position at the end of its main line: docs/formats/sgf.md
  a game in JSON       docs/formats/game.md; FILE:N is game N of a match's file
  a board of Go        as ` + "`tengen play`" + ` draws it: rows of . X O # @, and a line
                       "to move: Black"
  a position           of tcg or turtle, in one line: docs/formats/position.md
Alternatively, --moves gives all actions from the first position on, including those of
chance, separated by spaces, or by commas if a move has several words; --position gives a
position as text. With --game alone it is the first position.

With --each, every line of the file is a position: moves from the first position on, a
position as text, or a game in JSON or SGF; empty lines and those that begin with # are
passed over. All are of one game. With --json there is a line of JSON for each.

In a game with hidden information the player sees the position as the seat to move does:
what this seat can't see is drawn at random, so that the hands of others do not influence
the result. A player with open=true sees everything.

PLAYER is written as in ` + "`tengen play`" + ` (default ` + analyst + `). The rules
are those of --game; otherwise those of the JSON game or of the network, with the komi of
an SGF file; otherwise passes are free if two colours play.

A network is evaluated on a CUDA device if this program supports CUDA and the machine has
one (--device), else on the processor.`,
		Example: `  tengen analyze game.sgf
  tengen analyze game.sgf az:runs/go5,simulations=1000 --after 12 --svg board.svg
  tengen analyze runs/match:17 runs/quick --json
  tengen analyze --moves "c3 d3 c2" --game go:size=5,players=3
  tengen analyze solver --game connect-four
  tengen analyze --each openings.txt az:runs/go5 --game go:size=5,players=2,pass=free --json
  tengen analyze - uct:simulations=10000
  tengen analyze game.sgf az:runs/go5,time=5s --device cuda:1
  tengen analyze runs/turtles:3 uct:rollout=hybrid --after 40`,
		Args: cli.Arguments("[POSITION]", "[PLAYER|CHECKPOINT]"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cli.CheckNumber("simulations", simulations, 1); err != nil {
				return err
			}
			if top < 1 {
				return cli.Usagef("--top %d: a number from 1 is wanted", top)
			}
			if c.Flags().Changed("after") && source.After < 0 {
				return cli.Usagef("--after %d: a number from 0 is wanted", source.After)
			}
			switch flag, ok := positionFlag(c); {
			case !ok:
				return cli.Usagef("--moves and --position: one position is wanted")
			case flag == "" && source.Game != "" &&
				(len(args) == 0 || len(args) == 1 && namesPlayer(args[0])):
				// the first position
			case flag == "" && len(args) == 0:
				return cli.Usagef("a position is wanted: a file, -, --moves, --position, or --game for its first one; see `%s`", notation.Command("analyze", "--help"))
			case flag == "" && namesPlayer(args[0]):
				return cli.Usagef("%s is a player; before it a position is wanted: a file, -, --moves, --position, or --game for its first one", args[0])
			case flag == "":
				source.File, args = args[0], args[1:]
			case len(args) > 1:
				return cli.Usagef("with %s there is no file: %s is one word too many",
					flag, cli.Quoted(args))
			}
			text := analyst
			if len(args) > 0 {
				text = args[0]
			}
			if each {
				switch {
				case source.File == "":
					return cli.Usagef(
						"--each: a file of positions is wanted, or - for the standard input")
				case svg != "":
					return cli.Usagef("--each: --svg is for a single position")
				}
			}
			positions, err := positionsOf(c, &source, each)
			if err != nil {
				return err
			}
			reports, err := newPositionReports(c, positions, text, simulations)
			if err != nil {
				return err
			}
			a := reports[0]
			b, err := openFor(c, device, a.player)
			if err != nil {
				return err
			}
			defer b.Close()
			if err := playOn(b, a.player); err != nil {
				return cli.Advise(err)
			}
			if each {
				return printEach(c, reports, seed, top, asJSON)
			}
			if err := a.think(c.Context(), seed); err != nil {
				return cli.Advise(err)
			}
			if svg != "" {
				if a.diagram == nil {
					return cli.Usagef("--svg draws stones on a board, and %s has none", a.Game)
				}
				picture := a.diagram.SVG(a.text(a.Player, top))
				err := vfs.WriteFile(vfs.OS{}, svg, func(w io.Writer) error {
					_, err := io.WriteString(w, picture)
					return err
				})
				if err != nil {
					return err
				}
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), a)
			}
			_, err = io.WriteString(c.OutOrStdout(), a.report(top))
			return err
		},
	}
	c.Flags().StringVar(&source.Moves, "moves", "",
		"moves as the game names them, separated by spaces or commas")
	c.Flags().StringVar(&source.Text, "position", "",
		"a position as the game writes it: \"turn 7 …\"")
	c.Flags().StringVar(&source.Game, "game", "", "the game, if the position does not name it")
	c.Flags().IntVar(&source.After, "after",
		-1, "number of moves after which to analyze (default: all)")
	c.Flags().IntVar(&simulations, "simulations",
		180, "a checkpoint's simulations, or iterations of ubfm")
	c.Flags().IntVar(&top, "top", cli.DefaultMoves, "number of moves to list")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of the player")
	c.Flags().StringVar(&svg, "svg", "", "write a picture of the board to this file")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&each, "each", false, "every line of the file is a position")
	cli.AddDevice(c.Flags(), &device)
	return c
}

// namesPlayer reports whether an argument is a player and no file.
func namesPlayer(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	_, err := os.Stat(text)
	return err != nil &&
		slices.ContainsFunc(player.Kinds(), func(k player.Kind) bool { return k.Name == name })
}

// positionFlag returns the flag that gives the position, "" if a file does; ok is false if there
// are two flags.
func positionFlag(c *cobra.Command) (name string, ok bool) {
	moves, text := c.Flags().Changed("moves"), c.Flags().Changed("position")
	switch {
	case moves:
		name = "--moves"
	case text:
		name = "--position"
	}
	return name, !moves || !text
}

// positionReport is a position with a player's analysis of it.
type positionReport struct {
	Game   string `json:"game"`
	Player string `json:"player"`
	ToMove string `json:"to_move"`
	// whose information alone the player had; "" where nothing is hidden from it
	SeenBy   string   `json:"seen_by,omitempty"`
	Seats    []string `json:"seats"`
	Board    []string `json:"board,omitempty"` // of Go: a row a string
	Decision string   `json:"decision"`        // the move that the player would play
	*cli.Analysis

	game    game.Game
	state   game.State
	player  player.Player
	diagram *position.Diagram
}

// placed is a source of a position, and where it stands in a file of several.
type placed struct {
	*position.Source
	place string // "FILE:3"; "" for a single position
}

// wrong returns an error in the arguments, with its place.
func (p *placed) wrong(err error) error {
	if p.place != "" {
		err = fmt.Errorf("%s: %w", p.place, err)
	}
	return cli.Usage(err)
}

// positionsOf returns the sources of the positions: that of the flags, or with each those of its
// file's lines.
func positionsOf(c *cobra.Command, source *position.Source, each bool) ([]placed, error) {
	source.Stdin = c.InOrStdin()
	source.Warn = func(file string, err error) {
		cli.Warn(c, "%s: %s", file, cli.OneLine(err))
	}
	if !each {
		return []placed{{source, ""}}, nil
	}
	lines, err := source.Lines()
	if err != nil {
		return nil, cli.Usage(err)
	}
	var list []placed
	for _, l := range lines {
		list = append(list, placed{l.Source, fmt.Sprintf("%s:%d", source.File, l.Number)})
	}
	return list, nil
}

// newPositionReports reads the positions, all of one game, and the player.
func newPositionReports(
	c *cobra.Command, sources []placed, text string, simulations int,
) ([]*positionReport, error) {
	name, trained, err := cli.AsPlayer(text, simulations)
	if err != nil {
		return nil, cli.Usage(err)
	}
	var list []*positionReport
	for i := range sources {
		a := &positionReport{}
		p := &sources[i]
		p.Trained = trained
		if a.game, a.state, err = p.Read(); err != nil {
			return nil, p.wrong(err)
		}
		if i > 0 {
			if a.game.Name() != list[0].game.Name() {
				return nil,
					p.wrong(fmt.Errorf(
						"it is a position of %s, and the first of %s: all are to be of one game",
						a.game.Name(), list[0].game.Name()))
			}
			a.game, a.player = list[0].game, list[0].player
		} else if a.player, err = anyKomi(a.game, name, trained); err != nil {
			return nil, p.wrong(err)
		} else {
			cli.WarnPassedOver(c, a.player)
			player.Alone(a.player)
		}
		if err := a.check(); err != nil {
			return nil, p.wrong(err)
		}
		list = append(list, a)
	}
	return list, nil
}

// check returns an error if there is nothing to analyze, and otherwise names the game, the player
// and who is to move.
func (a *positionReport) check() error {
	agent := a.player.NewAgent(a.game)
	if _, ok := agent.(player.Analyzer); !ok {
		return fmt.Errorf("%s does not search: it has nothing to say of a position",
			a.player.Name())
	}
	switch mover := a.state.CurrentPlayer(); mover {
	case game.Nobody:
		return fmt.Errorf("nobody is to move: there is nothing to think about%s", a.result())
	case game.Chance:
		return fmt.Errorf("chance is to move: there is nothing to think about; a position in which it is a player's turn is wanted, with what chance brings")
	}
	a.Game, a.Player, a.ToMove = a.game.Name(), a.player.Name(),
		game.SeatName(a.game, a.state.CurrentPlayer())
	if _, hidden := a.state.(game.ImperfectInformation); hidden && !player.SeesAll(agent) {
		a.SeenBy = a.ToMove
	}
	a.Seats = game.SeatNames(a.game)
	return nil
}

// printEach analyzes the positions and prints each as soon as it is known.
func printEach(
	c *cobra.Command, reports []*positionReport, seed uint64, top int, asJSON bool,
) error {
	out := c.OutOrStdout()
	lines := json.NewEncoder(out)
	for i, a := range reports {
		if err := a.think(c.Context(), seed); err != nil {
			return cli.Advise(err)
		}
		var err error
		switch {
		case asJSON:
			err = lines.Encode(a)
		case i > 0:
			_, err = io.WriteString(out, "\n"+a.report(top))
		default:
			_, err = io.WriteString(out, a.report(top))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// result returns the scores of a finished game as text.
func (a *positionReport) result() string {
	scores := make([]float32, a.game.Players())
	game.Scores(a.state, scores)
	var words []string
	for p, x := range scores {
		words = append(words, fmt.Sprintf("%s %g", game.SeatName(a.game, game.Player(p)), x))
	}
	return "; the game is over: " + strings.Join(words, ", ")
}

// think has the player analyze the position.
func (a *positionReport) think(ctx context.Context, seed uint64) error {
	best := game.NoAction
	x := player.NewGame(a.game)
	x.OnMove = func(m player.Move) {
		best = m.Action
		if v, ok := m.Agent.(player.Analyzer); ok {
			a.Analysis = cli.AnalysisOf(a.game, a.state, v)
			if _, ok := goban.RulesOf(a.game); ok && a.game.Players() == 2 {
				outlook := analysis.NewForecast(a.player, a.game, seed).Of(a.state, 0, 0)
				a.AddWinRates(outlook, v.Analysis().Value)
			}
		}
	}
	seats := make([]player.Seat, a.game.Players())
	mover := a.state.CurrentPlayer()
	seats[mover] = player.Seat{
		Agent: a.player.NewAgent(a.game), Rand: random.New(seed, random.Arena, 0, uint64(mover)+1),
	}
	x.Start(player.Setup{
		Seed: seed, Purpose: random.Arena, Seats: seats, State: a.state, Whole: true,
	})
	evaluator := a.player.NewEvaluator(a.game, 1)
	defer search.Close(evaluator)
	if _, err := x.Next(ctx, []search.Evaluator{evaluator}); err != nil {
		return err
	}
	a.Decision = game.ActionName(a.game, a.state, best)
	cells := map[game.Action]position.Cell{}
	for _, m := range a.Moves {
		cell := position.Cell{Share: m.Share}
		if m.Value != nil {
			cell.Value = m.Value[mover]
		}
		cells[m.Action] = cell
	}
	if a.diagram = position.NewDiagram(a.game, a.state, cells, best); a.diagram != nil {
		a.Board = a.diagram.Rows()
	}
	return nil
}

// text returns the analysis as text.
func (a *positionReport) text(who string, top int) string {
	text := a.Analysis.Text(who, top)
	if len(a.state.LegalActions(nil)) == 1 {
		text = fmt.Sprintf("%s: %s is the only legal move\n", who, a.Decision) + text
	}
	return text
}

// report returns the text for a terminal.
func (a *positionReport) report(top int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s to move\n", a.Game, a.ToMove)
	if a.SeenBy != "" {
		fmt.Fprintf(&b, "as %s sees it: what others hold is drawn anew\n", a.SeenBy)
	}
	fmt.Fprintln(&b)
	drawn, ok := a.state.(game.Drawn)
	switch seen, partly := a.state.(game.SeatDrawn); {
	case a.diagram != nil:
		fmt.Fprintf(&b, "%s", a.diagram.Text())
		fmt.Fprintln(&b, "numbers are percents of the visits")
		fmt.Fprintln(&b)
	case a.SeenBy != "" && partly:
		fmt.Fprintf(&b, "%s\n", seen.DrawFor(a.state.CurrentPlayer(), false))
	case a.SeenBy == "" && ok:
		fmt.Fprintf(&b, "%s\n", drawn.Draw(false))
	}
	fmt.Fprintf(&b, "%splays: %s\n", a.text(a.Player, top), a.Decision)
	return b.String()
}
