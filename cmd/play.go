package cmd

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/checkpoints/pretrained"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/position"
	"tengen/game"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/replay/record"
	"tengen/run"
	"tengen/search"
)

// human is the name of a person among the players.
const human = "human"

// pathSimulations is the number of simulations of a player that is named by the path of its network
// alone.
const pathSimulations = 180

func newPlay() *cobra.Command {
	var gameName, replayed, continued, believer, hints, device string
	var seed uint64
	var ponder bool
	var resign float64
	c := &cobra.Command{
		Use:   "play [GAME] [PLAYER…]",
		Short: "Play a game in the terminal",
		Long: `Play plays GAME in the terminal. ` + "`tengen games`" + ` lists the games. There is one PLAYER for
each seat, in the order of play: human, the path of a run or checkpoint, or one of
` + playerKinds() + `
` + "`tengen players`" + ` lists all their keys.

By default you have the first seat, and the network that comes with the program for this
game, or else UCT, has the others. Such networks are named in place of a PATH:
` + shipped() + `

On your turn, type a move as the game writes it (c3), or one of:
  moves  list your legal moves              undo  take your last move back
  board  draw the board again               why   print the last analysis of a player
  hint   ask a player for advice            save FILE  write the game to a file
  resign give the game up                   quit  leave the game
  help   this list, the rules, and how moves are written
On a terminal the arrow keys edit the line and bring back those typed before. The last
move stands in brackets where a board is drawn with points for its empty cells.
A game with hidden information is for one person, who sees what the seat sees.

--continue goes on with a game that was saved, with the PLAYERs given or those of the
file; --hints names the player whom hint asks (default: the network that comes with the
program for this game, or else uct:simulations=1000).

With --ponder, az and uct also search while you think, and keep what they find below your
move; in games without hidden information.

With --resign 0.05 a player that searches resigns once its searches have found an expected
result below 0.05 for it at three of its decisions in a row (a win is 1). It is for games of
two players that are won, drawn or lost.

--replay shows a recorded game action by action: game N of a match that
` + "`tengen arena --save`" + ` has kept (FILE may be its folder), or a game in JSON, such as
{"game": "tictactoe", "actions": [4, 0]}; without N, the first game. Before each move of a
player with belief=NETWORK it tells what the player believed of what it could not see,
with the share that counting gives in brackets, and what is true; --belief shows what
another network would have believed.

Networks are evaluated on a CUDA device if this program supports CUDA and the machine
has one (--device), else on the processor, which also takes over if the device is lost.`,
		Example: `  tengen play
  tengen play human uct:simulations=1000 random
  tengen play tictactoe uct human
  tengen play turtle:players=3 human alphabeta:strategy=hybrid uct:rollout=hybrid
  tengen play tcg human expectiminimax:time=1s
  tengen play runs/quick human runs/quick
  tengen play go:size=5,players=2,pass=free --ponder human az:go-5x5x2,clock=5m
  tengen play human ubfm:runs/descent,time=1s descent:runs/descent
  tengen play human az:runs/quick,time=1s az:runs/quick,time=1s --device cuda
  tengen play connect-four human runs/connect-four --resign 0.05
  tengen play --continue game.json --hints az:go-5x5x3
  tengen play --replay runs/quick/arena:17
  tengen play --replay match:3 --belief runs/turtle`,
		Args: cli.Arguments("[GAME]", "[PLAYER…]"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("replay") {
				if len(args) > 0 || c.Flags().Changed("game") || c.Flags().Changed("seed") ||
					c.Flags().Changed("device") {
					return cli.Usagef("--replay %s: the game, its players and its actions are those of the file; none can be named", replayed)
				}
				return replayGame(c, replayed, believer)
			}
			var record *arena.Record
			if c.Flags().Changed("continue") {
				var err error
				if record, err = recordToContinue(c, continued); err != nil {
					return err
				}
				if c.Flags().Changed("game") || len(args) > 0 && isGame(args[0]) {
					return cli.Usagef(
						"--continue %s: the game is that of the file; none can be named", continued)
				}
				if args = append([]string{record.Game}, args...); len(args) == 1 {
					args = append(args, record.Players...)
				}
			}
			if c.Flags().Changed("belief") {
				return cli.Usagef("--belief %s: it is for --replay; players have the key belief",
					believer)
			}
			if len(args) > 0 && isGame(args[0]) {
				if c.Flags().Changed("game") {
					return cli.Usagef("two games are named, %s and --game %s: one is wanted",
						args[0], gameName)
				}
				gameName, args = args[0], args[1:]
			} else if !c.Flags().Changed("game") {
				gameName = ""
			}
			g, players, err := playersOf(gameName, args)
			if err != nil {
				return err
			}
			if ponder {
				for i, n := range players {
					if n.player != nil {
						players[i].player = player.Keeping(n.player)
					}
				}
			}
			viewer, err := onlyViewer(g, players)
			if err != nil {
				return err
			}
			b, seats, err := seatsOf(c, device, g, players)
			if err != nil {
				return err
			}
			defer b.Close()
			defer func() {
				for _, s := range seats {
					search.Close(s.Evaluator)
				}
			}()
			if !c.Flags().Changed("seed") {
				seed = uint64(time.Now().UnixNano())
			}
			t := position.NewGame(g, seats, seed, c.OutOrStdout(),
				cli.Colorful(c.OutOrStdout(), os.Getenv))
			if ponder && !t.CanPonder() {
				return cli.Usagef("--ponder: none of the players can search while you think; az or uct is wanted, in a game without hidden information")
			}
			if err := checkResign(g, resign); err != nil {
				return cli.Usage(err)
			}
			t.Viewer, t.Ponder, t.Resign, t.Save = viewer, ponder, resign, saver(g, players)
			if t.Hints, err = adviser(g, hints); err != nil {
				return err
			}
			if record != nil {
				if err := t.Continue(record.Actions); err != nil {
					return fmt.Errorf("%s: %w", continued, err)
				}
			}
			if t.Editor = cli.NewEditor(c.InOrStdin(), c.OutOrStdout()); t.Editor != nil {
				return t.Run(c.Context(), nil)
			}
			return t.Run(c.Context(), cli.ReadLines(c.InOrStdin()))
		},
	}
	c.Flags().StringVar(&gameName, "game",
		cli.DefaultGame, "the game, if GAME is omitted and no network determines it")
	c.Flags().StringVar(&replayed, "replay", "", "show game N of FILE[:N]")
	c.Flags().StringVar(&continued, "continue", "",
		"go on with the game in FILE[:N], as save has written it")
	c.Flags().StringVar(&hints, "hints", "", "the player whom hint asks")
	c.Flags().StringVar(&believer, "belief", "",
		"with --replay: the network whose belief is shown, for all seats")
	c.Flags().BoolVar(&ponder, "ponder", false, "let players search while you think")
	c.Flags().Float64Var(&resign, "resign",
		0, "expected result below which a player resigns, at most 0.5; 0: none does")
	c.Flags().Uint64Var(&seed, "seed",
		0, "random seed of players and chance (default: from the clock)")
	cli.AddDevice(c.Flags(), &device)
	return c
}

// checkResign returns an error if players can't resign below a utility in a game.
func checkResign(g game.Game, below float64) error {
	switch {
	case below == 0:
		return nil
	case !(below > 0 && below <= record.MaxResign):
		return fmt.Errorf("--resign %v: a number from 0 to %v is wanted", below, record.MaxResign)
	case g.Players() != 2:
		return fmt.Errorf("--resign: %s has %d players; it is for games of two",
			g.Name(), g.Players())
	}
	if err := record.CheckResignable(g); err != nil {
		return fmt.Errorf("--resign: %w", err)
	}
	return nil
}

// playerKinds lists the kinds of players, one per line.
func playerKinds() string {
	var b strings.Builder
	for _, k := range player.Kinds() {
		name := k.Name
		separator := ":"
		if k.Path {
			name += ":PATH"
			separator = ","
		}
		for _, p := range k.Params {
			if p.Default == "" {
				continue
			}
			name += separator + p.Key + "=" + p.Default
			separator = ","
		}
		fmt.Fprintf(&b, "  %s\n      %s\n",
			strings.Join(wrap(name, ",", lineWidth-4), "\n    "), k.Summary)
	}
	return b.String()
}

// shipped lists the networks that come with the program, one per line.
func shipped() string {
	var b strings.Builder
	for _, n := range pretrained.Networks {
		fmt.Fprintf(&b, "  %s\n      %s\n", n.Name, n.Summary)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isGame reports whether text names a game, with valid parameters or not.
func isGame(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	return slices.ContainsFunc(game.Families(), func(f game.Family) bool { return f.Name == name })
}

// named is a player with the name that the user gave it. Player is nil for a person.
type named struct {
	name   string
	player player.Player
}

// playersOf returns the game and the players of the seats that names gives. gameName is "" if none
// was given: then it is that of the first network, or else the default.
func playersOf(gameName string, names []string) (game.Game, []named, error) {
	texts := make([]string, len(names)) // as player.Parse takes them
	for i, name := range names {
		if name == human {
			continue
		}
		text, itsGame, err := cli.AsPlayer(name, pathSimulations)
		if _, missing := os.Stat(name); err != nil && missing != nil &&
			!cli.IsPlayer(cli.KindOf(name)) {
			what := "player"
			known := []string{human}
			for _, n := range pretrained.Networks {
				known = append(known, n.Name)
			}
			for _, k := range player.Kinds() {
				known = append(known, k.Name)
			}
			if i == 0 && gameName == "" {
				what = "game or player"
				for _, f := range game.Families() {
					known = append(known, f.Name)
				}
			}
			return nil, nil, cli.Usagef("no %s is called %q%s, and there is no checkpoint of this name; a person is written %s", what, name, run.DidYouMean(name, known...), human)
		} else if err != nil {
			return nil, nil, cli.Usage(err)
		}
		texts[i] = text
		gameName = cmp.Or(gameName, itsGame)
	}
	g, err := cli.ParseGame(cmp.Or(gameName, cli.DefaultGame))
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		opponent := "uct"
		if n, ok := pretrained.For(g.Name()); ok {
			opponent = "az:" + n.Name
		}
		names, texts = []string{human}, []string{""}
		for len(names) < g.Players() {
			names, texts = append(names, opponent), append(texts, opponent)
		}
	}
	if len(names) != g.Players() {
		return nil, nil,
			cli.Usagef("%s has %d seats (%s); as many players are wanted, not %d: %s", g.Name(),
				g.Players(), strings.Join(game.SeatNames(g), ", "), len(names), cli.Quoted(names))
	}
	list := make([]named, len(names))
	for i, name := range names {
		list[i].name = name
		if name == human {
			continue
		}
		if list[i].player, err = player.Parse(g, texts[i]); err != nil {
			return nil, nil, cli.Usage(err)
		}
	}
	return g, list, nil
}

// seatsOf opens the device and returns the seats of the players, whose networks are evaluated on
// it.
func seatsOf(
	c *cobra.Command, device string, g game.Game, list []named,
) (backend.Backend, []position.Seat, error) {
	var players []player.Player
	for _, n := range list {
		if n.player != nil {
			cli.WarnPassedOver(c, n.player)
			player.Alone(n.player)
			players = append(players, n.player)
		}
	}
	b, err := openFor(c, device, players...)
	if err != nil {
		return nil, nil, err
	}
	if err := playOnWhileItLasts(c, b, players...); err != nil {
		_ = b.Close() // the first error is the one to return
		return nil, nil, err
	}
	seats := make([]position.Seat, len(list))
	for i, n := range list {
		seats[i].Name = n.name
		if n.player != nil {
			seats[i].Agent, seats[i].Evaluator = n.player.NewAgent(g), n.player.NewEvaluator(g, 1)
		}
	}
	return b, seats, nil
}

// onlyViewer returns the seat of the only person in a game with hidden information, game.Nobody if
// nothing has to be hidden.
func onlyViewer(g game.Game, players []named) (game.Player, error) {
	state := g.NewState()
	if _, hidden := state.(game.ImperfectInformation); !hidden {
		return game.Nobody, nil
	}
	viewer, people := game.Nobody, 0
	for i, n := range players {
		if n.player == nil {
			viewer = game.Player(i)
			people++
		}
	}
	if people > 1 {
		return game.Nobody, cli.Usagef("%s has hidden information, which one terminal can't keep from several persons: one %s at most is wanted", g.Name(), human)
	}
	if _, ok := state.(game.SeatDrawn); people == 1 && !ok {
		return game.Nobody, cli.Usagef("%s has hidden information, and does not draw what one seat sees of it: a person can't play it here", g.Name())
	}
	return viewer, nil
}
