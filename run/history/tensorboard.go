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

// EventFile is the name of the run's event file: TensorBoard takes files by
// "tfevents" in their names, in the order of the number after it. It stays the
// same while the run goes on.
func (r *Run) EventFile() string {
	return fmt.Sprintf("events.out.tfevents.%010d.tengen", r.first().Unix())
}

// first is when the first thing that counts was told.
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

// WriteTensorBoard writes the history as an event file of TensorBoard: each name
// is a tag, the iteration its step. Names of one word come under "run/".
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
	// By step, whatever was told when: an evaluation beside the run comes late.
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

// Tags lists the tags of the event file.
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
