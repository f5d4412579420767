package cmd

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/cmd/internal/cli"
	"tengen/player"
	"tengen/vfs"
)

// arenaFlags are the flags of arena.
type arenaFlags struct {
	matchFlags
	sprt, until, save string
	share             cli.ShareFlags
	names             []string // of the players, as player.Parse reads them
}

func newArena() *cobra.Command {
	var f arenaFlags
	c := &cobra.Command{
		Use:   "arena PLAYER PLAYER…",
		Short: "Play a match of any players in every seating, and compute ratings",
		Long: `Arena plays a match of two or more players and prints points and wins by seat with 95 %
intervals and standard deviations, ratings in Elo, and how often each player finishes
before each other. A PLAYER is written as in ` + "`tengen play`" + `, or is the path of a run or
checkpoint, as in ` + "`tengen eval`" + `. The game is that of the network, or --game.

The match is played in rounds. In each round every assignment of players to seats is
played once, in random order. If there are at least as many players as seats, no player
has two seats in a game; otherwise every player has at least one. All games of a round
start with the same opening of --opening random decisions. The default is 2, and 0 if the
game has chance or all players play at random (random, uct, az with a temperature).
--games is rounded up to whole rounds.

Intervals are computed over rounds, because the games of a round are not independent. If
neither the game nor any player is random, repeated rounds are not counted. The number of
distinct games is printed.

--until 0.3 ends the match once the mean points of every player are known within ± 0.3
(after at least ten rounds). --sprt 0,20 ends it once a sequential test (α = β = 0.05)
decides whether the first of two players is 0 or 20 Elo stronger than the second. Both
are evaluated after each round, so that the result does not depend on the number of
cores, unless a player has a time limit.

Ctrl-C ends the match early: the rounds so far are printed, with the number of games. A
second Ctrl-C ends it at once, without a result.

--save DIR keeps every finished game in DIR/match.jsonl. The same command with the same
DIR plays only the missing games, after an interruption or with a larger --games.

With --share HOST:PORT other machines play games too (tengen worker), as in
` + "`tengen train`" + `; docs/cluster.md describes it. The result is the same.
` + "`tengen play --replay DIR:17`" + ` shows game 17.`,
		Example: `  tengen arena uct uct:utility=unit random --games 600
  tengen arena az:go-5x5x3 uct --games 600 --until 0.5
  tengen arena az:runs/quick uct --games 1000 --until 0.3 --save runs/quick/arena
  tengen arena uct:simulations=100 uct:simulations=50 --game tictactoe --sprt 0,20
  tengen arena uct runs/a runs/b --opening 3 --json
  tengen arena runs/a runs/b --games 5000 --share 127.0.0.1:4222`,
		Args: cli.Arguments("PLAYER", "PLAYER", "[PLAYER…]"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.add(c, "maximum number of games",
		"random decisions at the start of each round's games (default: see above)")
	c.Flags().StringVar(&f.until, "until", "",
		"end once the points of all players are known within ± this number")
	c.Flags().StringVar(&f.sprt, "sprt", "",
		"end once a sequential test decides between two differences, ELO0,ELO1")
	c.Flags().StringVar(&f.save, "save", "",
		"folder for the games, from which the match can be resumed")
	f.share.Add(c.Flags())
	return c
}

func (f *arenaFlags) run(c *cobra.Command, args []string) error {
	t, err := f.tournament(c, args)
	if err != nil {
		return err
	}
	b, concurrent, err := f.open(c, t.Players...)
	if err != nil {
		return err
	}
	defer b.Close()
	t.GamesPerWorker = concurrent
	stderr := c.ErrOrStderr()
	kept := 0
	if f.save != "" {
		t.Store, err = arena.OpenStore(vfs.OS{}, f.save, t)
		switch {
		case errors.Is(err, arena.ErrOtherMatch):
			return cli.Usagef("--save: %w", err)
		case err != nil:
			return err
		}
		defer t.Store.Close()
		t.Store.EachDamaged(cli.WarnDamaged(c))
		if kept = t.Store.Len(); kept > 0 {
			fmt.Fprintf(stderr, "%d games are in %s already\n", kept, f.save)
		}
	}
	shared, err := f.share.Matches(c, t, f.names, b)
	if err != nil {
		return err
	}
	defer shared.Close()
	defer cli.NoticeStop(c)()
	progress := cli.NewProgress(stderr, "arena", "games")
	began, played := time.Now(), 0
	s, err := t.Play(c.Context(), func(n, all int) {
		played = n
		progress.Set(n, all)
	})
	progress.Close()
	if err == nil {
		shared.Finish(c.Context())
	}
	if s == nil {
		return cli.Advise(err)
	}
	if err := f.print(c, t, s, played, time.Since(began)); err != nil {
		return err
	}
	if err != nil && f.save != "" && c.Context().Err() != nil {
		err = cli.Stopped(
			fmt.Sprintf("stopped; %d games are in %s, and the same command plays the rest",
				kept+played, f.save), err)
	}
	return cli.Advise(err)
}

// print prints the standings after a number of games that were played now.
func (f *arenaFlags) print(
	c *cobra.Command, t *arena.Tournament, s *arena.Standings, played int, took time.Duration,
) error {
	for _, p := range t.Players {
		cli.WarnFull(c, p)
	}
	if f.json {
		return cli.WriteJSON(c.OutOrStdout(), struct {
			*arena.Standings
			Played  int     `json:"games_played_now"`
			Seconds float64 `json:"seconds"`
		}{s, played, took.Seconds()})
	}
	if s.Rounds == 0 {
		return nil // interrupted before there was anything to print
	}
	if err := s.WriteText(c.OutOrStdout()); err != nil {
		return err
	}
	beyond := ""
	if s.Stopped != "" {
		beyond = ", some of them beyond the end and not counted"
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%d games played in %v%s\n",
		played, took.Round(time.Second/10), beyond)
	return err
}

// tournament returns the match that the flags and arguments describe.
func (f *arenaFlags) tournament(c *cobra.Command, args []string) (*arena.Tournament, error) {
	if err := f.check(c); err != nil {
		return nil, err
	}
	t := &arena.Tournament{
		Games: f.games, Seed: f.seed, Opening: f.opening, Workers: cli.Cores(),
		GamesPerWorker: gamesPerWorker,
	}
	var err error
	if t.Until, err = parseWidth(f.until); err != nil {
		return nil, err
	}
	if t.SPRT, err = parseSPRT(f.sprt); err != nil {
		return nil, err
	}
	if err := f.seat(t, args); err != nil {
		return nil, err
	}
	for _, p := range t.Players {
		cli.WarnPassedOver(c, p)
	}
	if !c.Flags().Changed("opening") {
		t.Opening = arena.DefaultOpening(t.Game, t.Players)
	}
	return t, cli.Usage(t.Validate())
}

// seat parses the players and the game.
func (f *arenaFlags) seat(t *arena.Tournament, args []string) error {
	gameName := f.game
	names := make([]string, len(args))
	for i, arg := range args {
		name, itsGame, err := cli.AsPlayer(arg, f.simulations)
		if err != nil {
			return cli.Usage(err)
		}
		names[i] = name
		if gameName == "" {
			gameName = itsGame
		}
	}
	if gameName == "" {
		gameName = cli.DefaultGame
	}
	var err error
	if t.Game, err = cli.ParseGame(gameName); err != nil {
		return err
	}
	f.names = names
	for _, name := range names {
		digest, err := player.NetworkDigest(name)
		if err != nil {
			return cli.Usage(err)
		}
		p, err := player.Parse(t.Game, name)
		if err != nil {
			return cli.Usage(err)
		}
		t.Players = append(t.Players, p)
		t.Networks = append(t.Networks, digest)
	}
	return nil
}

// parseWidth parses the half-width of an interval, with or without ±; "" is 0.
func parseWidth(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	x, err := parseFloat(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "±")))
	if err != nil || x <= 0 {
		return 0, cli.Usagef("--until %s: a number of points above 0 is wanted, as in 0.3", text)
	}
	return x, nil
}

// parseSPRT parses the two hypotheses of a sequential test; "" is nil.
func parseSPRT(text string) (*rating.SPRT, error) {
	if text == "" {
		return nil, nil
	}
	a, b, _ := strings.Cut(text, ",")
	elo0, err0 := parseFloat(strings.TrimSpace(a))
	elo1, err1 := parseFloat(strings.TrimSpace(b))
	if err := errors.Join(err0, err1); err != nil || elo0 >= elo1 {
		return nil,
			cli.Usagef("--sprt %s: two ratings are wanted, the lower first, as in 0,20", text)
	}
	return &rating.SPRT{Elo0: elo0, Elo1: elo1, Alpha: 0.05, Beta: 0.05}, nil
}

// parseFloat parses a finite number.
func parseFloat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}
