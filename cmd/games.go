package cmd

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
)

func newGames() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "games [GAME]",
		Short: "List the games, or describe one",
		Long: `Games lists the games with their parameters.

With GAME, as in go or go:size=9,players=2, it prints the canonical name, the players, the
actions and the observation of this game, how its moves are written, how it is drawn, and
its parameters.

Decks of tcg may be files (docs/formats/deck.md), as in tcg:deck=mine.yaml:
  cards: [4/1/1, 6/0/0, 0/4/4, 2/2/2, removal]   # Fight/Heal/Attack, or removal
  hand: 3                                        # cards dealt (5)
  hp: 20                                         # health points (50)
  opening: [6/0/0, removal]                      # the first hand (dealt)
Decks of turtle may be files too; kinds that are left out are not in the deck:
  {double_plus: 1, plus: 5, minus: 2, any_plus: 5, any_minus: 2, arrow: 3, arrow2: 2}`,
		Example: `  tengen games
  tengen games turtle
  tengen games turtle:players=4,unowned=none,deck=[1,5,2,5,2,3,2]
  tengen games tcg:deck=[4/1/1,6/0/0,0/4/4,2/2/2,removal],hand=3,hp=20
  tengen games go:size=9,players=2,pass=free
  tengen games perft go:size=3,players=3 --depth 4
  tengen games positions go:rows=2,columns=3,players=3`,
		Args: cli.Arguments("[GAME]"),
		RunE: func(c *cobra.Command, args []string) error {
			w := c.OutOrStdout()
			if len(args) == 1 {
				g, err := cli.ParseGame(args[0])
				if err != nil {
					return err
				}
				f := describe(g)
				f.family = familyOf(args[0])
				if asJSON {
					return cli.WriteJSON(w, f)
				}
				return writeGame(w, f)
			}
			if asJSON {
				return cli.WriteJSON(w, families())
			}
			return writeFamilies(w, families())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(newPerft(), newPositions(), newSolve())
	return c
}

// family is a game with its parameters.
type family struct {
	Name    string  `json:"name"`
	Summary string  `json:"summary"`
	Params  []param `json:"parameters"`
}

// familyOf returns the family of the game that text names.
func familyOf(text string) *family {
	name, _, _ := strings.Cut(text, ":")
	for _, f := range families() {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// example returns the game's name with its first two default parameters.
func (f *family) example() string {
	var words []string
	for _, p := range f.Params {
		if p.Default != "" && len(words) < 2 {
			words = append(words, p.Key+"="+p.Default)
		}
	}
	return f.Name + ":" + strings.Join(words, ",")
}

type param struct {
	Key     string `json:"key"`
	Default string `json:"default,omitempty"`
	Help    string `json:"help"`
}

func families() []family {
	list := []family{}
	for _, f := range game.Families() {
		x := family{Name: f.Name, Summary: f.Summary, Params: []param{}}
		for _, p := range f.Params {
			x.Params = append(x.Params, param{p.Key, p.Default, p.Help})
		}
		list = append(list, x)
	}
	return list
}

func writeFamilies(w io.Writer, list []family) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, f := range list {
		if i > 0 {
			fmt.Fprintln(t)
		}
		fmt.Fprintf(t, "%s: %s\n", f.Name, f.Summary)
		f.params(t)
	}
	return t.Flush()
}

// params writes the parameters, one per line, with tabs between columns.
func (f *family) params(w io.Writer) {
	for _, p := range f.Params {
		key := p.Key
		if p.Default != "" {
			key += "=" + p.Default
		}
		fmt.Fprintf(w, "  %s\t%s\n", key, p.Help)
	}
}

// facts describe a game.
type facts struct {
	Name       string   `json:"name"`
	Seats      []string `json:"seats"`
	Actions    int      `json:"actions"`
	Planes     [3]int   `json:"planes"` // [C, H, W]
	Utilities  int      `json:"utilities,omitempty"`
	Points     float64  `json:"points_per_utility"`
	Symmetries int      `json:"symmetries"`
	Chance     bool     `json:"chance"`
	Hidden     bool     `json:"hidden_information"`
	// legal at the start; 0 where chance or nobody moves first
	FirstActions int    `json:"first_actions"`
	Guide        string `json:"guide,omitempty"`

	family *family // none where it is not known
}

func describe(g game.Game) facts {
	planes := g.Planes()
	f := facts{
		Name: g.Name(), Actions: g.Actions(), Planes: [3]int{planes.C, planes.H, planes.W},
		Utilities: len(g.Support()), Points: game.PointsPerUtility(g), Symmetries: 1,
		Seats: game.SeatNames(g),
	}
	if s, ok := g.(game.Symmetric); ok {
		f.Symmetries = len(s.Symmetries())
	}
	f.Chance = game.HasChance(g)
	state := g.NewState()
	_, f.Hidden = state.(game.ImperfectInformation)
	if state.CurrentPlayer() >= 0 {
		f.FirstActions = len(state.LegalActions(nil))
	}
	if guide, ok := g.(game.Guided); ok {
		f.Guide = guide.Guide()
	}
	return f
}

func writeGame(w io.Writer, f facts) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "game\t%s\n", f.Name)
	fmt.Fprintf(t, "seats\t%s\n", strings.Join(f.Seats, ", "))
	if f.FirstActions > 0 {
		fmt.Fprintf(t, "actions\t%d, of which %d legal at the start\n", f.Actions, f.FirstActions)
	} else {
		fmt.Fprintf(t, "actions\t%d\n", f.Actions)
	}
	fmt.Fprintf(t, "observation\t%d planes of %d×%d\n", f.Planes[0], f.Planes[1], f.Planes[2])
	utilities := "any in [0, 1]"
	if f.Utilities > 0 {
		utilities = fmt.Sprintf("%d different ones in [0, 1]", f.Utilities)
	}
	if f.Points != 1 {
		utilities += fmt.Sprintf("; 1 is %g points", f.Points)
	}
	fmt.Fprintf(t, "utilities\t%s\n", utilities)
	fmt.Fprintf(t, "symmetries\t%d\n", f.Symmetries)
	fmt.Fprintf(t, "chance\t%s\n", yesNo(f.Chance))
	fmt.Fprintf(t, "hidden information\t%s\n", yesNo(f.Hidden))
	if err := t.Flush(); err != nil {
		return err
	}
	if f.Guide != "" {
		fmt.Fprintf(w, "\nMoves and drawings:\n%s", f.Guide)
	}
	if f.family == nil || len(f.family.Params) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nParameters, as in %s:\n", f.family.example())
	f.family.params(t)
	return t.Flush()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func newPositions() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "positions GAME",
		Short: "Count the positions of a small game",
		Long: `Positions counts the positions of a game by enumeration: for Go, the arrangements of
stones in which every group has a liberty; for the turtle race, the squares and stacks of
the turtles, and the result of the paper's formula. It refuses games that can't count
their positions, and boards that are too large. Ctrl-C stops it.`,
		Example: `  tengen games positions go:rows=2,columns=3,players=3
  tengen games positions go:size=3,players=2 --json
  tengen games positions turtle`,
		Args: cli.Arguments("GAME"),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := cli.ParseGame(args[0])
			if err != nil {
				return err
			}
			countable, ok := g.(game.Countable)
			if !ok {
				return cli.Usagef("%s does not count its positions", g.Name())
			}
			counts, err := countable.CountPositions(c.Context())
			if err != nil {
				return fmt.Errorf("count the positions of %s: %w", g.Name(), err)
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), positionsJSON(g, counts))
			}
			fmt.Fprintln(c.OutOrStdout(), g.Name())
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, n := range counts {
				fmt.Fprintf(t, "%s\t%d\n", n.Name, n.N)
			}
			return t.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func positionsJSON(g game.Game, counts []game.Count) any {
	type count struct {
		Name string `json:"name"`
		N    uint64 `json:"n"`
	}
	list := make([]count, len(counts))
	for i, c := range counts {
		list[i] = count(c)
	}
	return struct {
		Game      string  `json:"game"`
		Positions []count `json:"positions"`
	}{g.Name(), list}
}

func newPerft() *cobra.Command {
	var depth int
	var asJSON bool
	c := &cobra.Command{
		Use:   "perft GAME",
		Short: "Count sequences of actions by length",
		Long: `Perft counts the sequences of 1, 2, … actions from the first position. Sequences that end
the game earlier are not counted. Compare the counts with those of another implementation
of the rules.

Ctrl-C prints the lengths counted so far.`,
		Example: `  tengen games perft go:size=3,players=3 --depth 4
  tengen games perft tictactoe --depth 9 --json`,
		Args: cli.Arguments("GAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if depth < 0 {
				return cli.Usagef("--depth %d: a number from 0 is wanted", depth)
			}
			g, err := cli.ParseGame(args[0])
			if err != nil {
				return err
			}
			counts, err := game.Perft(c.Context(), g, g.NewState(), depth)
			if asJSON {
				if e := cli.WriteJSON(c.OutOrStdout(), struct {
					Game      string   `json:"game"`
					Sequences []uint64 `json:"sequences"` // by length, from 0
				}{g.Name(), counts}); e != nil {
					return e
				}
			} else {
				fmt.Fprintln(c.OutOrStdout(), g.Name())
				for d, n := range counts {
					fmt.Fprintf(c.OutOrStdout(), "%3d  %d\n", d, n)
				}
			}
			if err != nil {
				return fmt.Errorf("stopped while counting length %d: %w", len(counts), err)
			}
			return nil
		},
	}
	c.Flags().IntVar(&depth, "depth", 4, "maximum length to count")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
