package compare

import (
	"math"

	"tengen/internal/interval"
)

// Group is a set of runs with the same configuration but for the seed.
type Group struct {
	Runs    []string `json:"runs"` // names
	Figures []Figure `json:"figures"`
}

// Figure is a figure of the runs of a group that have it: their mean, and the half width of the
// mean's 95 % interval by Student's distribution, over runs; null for a single run, and where all
// are equal.
type Figure struct {
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
func (c *Comparison) figures(runs []int) []Figure {
	var list []Figure
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
		list = append(list, figureOf(name, values[name]))
	}
	return list
}

// figureOf returns the mean of values and its interval.
func figureOf(name string, values []float64) Figure {
	mean, squares := interval.Moments(values)
	f := Figure{Name: name, N: len(values), Mean: mean}
	if f.N > 1 {
		f.SD = interval.OrNull(math.Sqrt(squares / float64(f.N-1)))
		f.CI95 = interval.OrNull(interval.Mean(f.N, mean, squares).Half(mean))
	}
	return f
}
