package compare

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game"
)

// group is a set of runs with something in common.
type group struct {
	what string // that they have in common
	runs []int
}

// groups groups the runs by key, in order of appearance. Runs with the key "" are in no
// group.
func (c *Comparison) groups(key func(i int) string) []group {
	var list []group
	for i := range c.Runs {
		k := key(i)
		if k == "" {
			continue
		}
		g := slices.IndexFunc(list, func(g group) bool { return g.what == k })
		if g < 0 {
			g = len(list)
			list = append(list, group{what: k})
		}
		list[g].runs = append(list[g].runs, i)
	}
	return list
}

// game returns the game of run i for notes and titles.
func (c *Comparison) game(i int) string {
	if g := c.Runs[i].Game; g != "" {
		return g
	}
	return "a game that is not known"
}

// unit returns the word for the scores of runs of one game.
func (c *Comparison) unit(runs []int) string { return game.ScoreUnitOf(c.Runs[runs[0]].Game) }

// measured returns the game and the opponent of run i's points, "" if it has none.
func (c *Comparison) measured(i int) string {
	if s := c.Runs[i].Strength; s != nil {
		return c.game(i) + ", against " + s.Against
	}
	return ""
}

// rated returns the game and the anchor of run i's ratings, "" if it has none.
func (c *Comparison) rated(i int) string {
	if c.Runs[i].Rating == nil {
		return ""
	}
	return c.measured(i)
}

// heads returns what the losses of run i are of, "" if it has none.
func (c *Comparison) heads(i int) string {
	if c.Runs[i].Training == nil {
		return ""
	}
	what := c.game(i)
	if config := c.runs[i].Config; config != nil {
		what += ", " + string(config.Algorithm) + ", value head " + config.Network.Value
	}
	return what
}

// notes lists what is not comparable and what could not be read.
func (c *Comparison) notes() []string {
	list := []string{}
	say := func(what string, groups []group) {
		if len(groups) < 2 {
			return
		}
		var parts []string
		for _, g := range groups {
			parts = append(parts, fmt.Sprintf("%s: %s", c.names(g.runs), g.what))
		}
		list = append(list,
			fmt.Sprintf("%s are not on one scale: %s", what, strings.Join(parts, "; ")))
	}
	say("points and ratings", c.groups(c.measured))
	say("losses", c.groups(c.heads))
	for _, g := range c.groups(c.measured) {
		if games := c.evaluationGames(g.runs); len(games) > 1 {
			list = append(list,
				fmt.Sprintf("intervals differ in width too: evaluations of %s games a seat",
					strings.Join(games, " and ")))
			break
		}
	}
	for _, g := range c.groups(c.measured) {
		if n := c.simulations(g.runs); len(n) > 1 {
			list = append(list,
				fmt.Sprintf(
					"points are of players that think differently long: %s simulations a move",
					strings.Join(n, " and ")))
			break
		}
	}
	for i, r := range c.runs {
		for _, p := range r.Problems() {
			list = append(list, fmt.Sprintf("%s: %s", c.Runs[i].Name, p))
		}
		for _, d := range r.Damaged {
			list = append(list,
				fmt.Sprintf("%s: events.jsonl:%d is passed over: %s",
					c.Runs[i].Name, d.Line, d.Problem))
		}
	}
	return list
}

// evaluationGames returns the distinct numbers of games per seat in the runs' last
// evaluations.
func (c *Comparison) evaluationGames(runs []int) []string {
	var list []string
	for _, i := range runs {
		if n := fmt.Sprint(c.Runs[i].Strength.Games); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// simulations returns the distinct numbers of simulations in the runs' evaluations.
func (c *Comparison) simulations(runs []int) []string {
	var list []string
	for _, i := range runs {
		if config := c.runs[i].Config; config != nil {
			if n := fmt.Sprint(config.Evaluation.Simulations); !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list
}

func (c *Comparison) names(runs []int) string {
	var names []string
	for _, i := range runs {
		names = append(names, c.Runs[i].Name)
	}
	return strings.Join(names, ", ")
}
