package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/game"
	"tengen/internal/interval"
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
		if more := r.Skipped - len(r.Damaged); more > 0 {
			list = append(list,
				fmt.Sprintf("%s: %d lines of events.jsonl are passed over before these",
					c.Runs[i].Name, more))
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

// Group is a set of runs with the same configuration but for the seed.
type Group struct {
	Runs    []string  `json:"runs"` // names
	Figures []Summary `json:"figures"`
}

// Summary is a figure of the runs of a group that have it: their mean, and the half width of the
// mean's 95 % interval by Student's distribution, over runs; null for a single run, and where all
// are equal.
type Summary struct {
	Name string   `json:"name"`
	N    int      `json:"n"`
	Mean float64  `json:"mean"`
	CI95 *float64 `json:"ci95"`
	SD   *float64 `json:"sd"` // of a run
}

// Groups returns the groups of the runs, in the order of their first runs. A run whose
// configuration can't be read is a group of its own.
func (c *Comparison) Groups() []Group {
	var list []Group
	var members [][]int
	at := map[string]int{}
	for i, r := range c.runs {
		k := len(list)
		if r.Config != nil {
			key := r.Config.Group()
			if known, ok := at[key]; ok {
				k = known
			} else {
				at[key] = k
			}
		}
		if k == len(list) {
			list, members = append(list, Group{}), append(members, nil)
		}
		list[k].Runs = append(list[k].Runs, c.Runs[i].Name)
		members[k] = append(members[k], i)
	}
	for k := range list {
		list[k].Figures = c.figures(members[k])
	}
	return list
}

// figures returns the figures of some of the runs.
func (c *Comparison) figures(runs []int) []Summary {
	var list []Summary
	values := map[string][]float64{}
	var names []string
	add := func(name string, x float64) {
		if _, ok := values[name]; !ok {
			names = append(names, name)
		}
		values[name] = append(values[name], x)
	}
	for _, i := range runs {
		r := &c.Runs[i]
		add("iterations", float64(r.Iterations))
		add("games", float64(r.Games))
		add("hours", r.Seconds/3600)
		if l := r.HeldOut; l != nil {
			if l.Policy != nil {
				add("held-out policy loss", *l.Policy)
			}
			add("held-out value loss", l.Value)
		}
		if s := r.Strength; s != nil {
			unit := c.unit([]int{i})
			for _, seat := range s.Seats {
				add(unit+", "+seat.Seat, seat.Points)
			}
			add(unit+", sum", s.Sum)
		}
		if r.Rating != nil {
			add("rating", r.Rating.Rating)
		}
	}
	for _, name := range names {
		list = append(list, summarize(name, values[name]))
	}
	return list
}

// summarize returns the mean of values and its interval.
func summarize(name string, values []float64) Summary {
	mean, squares := interval.Moments(values)
	f := Summary{Name: name, N: len(values), Mean: mean}
	if f.N > 1 {
		f.SD = interval.OrNull(math.Sqrt(squares / float64(f.N-1)))
		f.CI95 = interval.OrNull(interval.Mean(f.N, mean, squares).Half(mean))
	}
	return f
}
