package history

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tengen/internal/tfevents"
)

// EventFile returns the name of the run's event file. TensorBoard looks for "tfevents" in
// names and orders files by the number after it. The name stays the same while the run is
// in progress.
func (r *Run) EventFile() string {
	return fmt.Sprintf("events.out.tfevents.%010d.tengen", r.first().Unix())
}

// first returns the time of the first event that counts.
func (r *Run) first() time.Time {
	first := r.Began
	for _, t := range r.tables() {
		for i := range t.Rows {
			if t.Rows[i].Time.Before(first) {
				first = t.Rows[i].Time
			}
		}
	}
	return first
}

// WriteTensorBoard writes the history as an event file of TensorBoard. A tag is a name,
// prefixed with "run/" if it has one element; the step is the iteration.
func (r *Run) WriteTensorBoard(w io.Writer) error {
	out := tfevents.NewWriter(w)
	if err := out.Begin(r.first()); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, name := range r.Names() {
		names[name] = true
	}
	type entry struct {
		table *Table
		*Row
	}
	var all []entry
	for _, t := range r.tables() {
		for i := range t.Rows {
			all = append(all, entry{t, &t.Rows[i]})
		}
	}
	// By step, not by time: a concurrent evaluation ends late.
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Iteration, b.Iteration) })
	for _, x := range all {
		figures := x.table.figures(x.Row)
		if x.Strength != nil {
			if elo := r.RatingOf(x.Iteration); elo != nil {
				figures = append(figures, ratingFigures(*elo)...)
			}
		}
		var scalars []tfevents.Scalar
		for _, f := range figures {
			if names[f.name] {
				scalars = append(scalars, tfevents.Scalar{Tag: tag(f.name), Value: f.x})
			}
		}
		if err := out.Scalars(x.Time, int64(x.Iteration), scalars); err != nil {
			return err
		}
	}
	return nil
}

// Tags returns the tags of the event file.
func (r *Run) Tags() []string {
	tags := r.Names()
	for i, name := range tags {
		tags[i] = tag(name)
	}
	return tags
}

func tag(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "run/" + name
}
