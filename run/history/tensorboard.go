package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/configs"
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
func (r *Run) WriteTensorBoard(w io.Writer) error { return NewTensorBoard(r, w).Write() }

// TensorBoard writes the history of a run as an event file of TensorBoard, what is new in it each time. It is used by one
// goroutine.
type TensorBoard struct {
	run     *Run
	out     *tfevents.Writer
	begun   bool
	written map[written]bool
}

// written names a row.
type written struct {
	table     *Table
	iteration int
}

// NewTensorBoard returns a TensorBoard that writes to w.
func NewTensorBoard(r *Run, w io.Writer) *TensorBoard {
	return &TensorBoard{run: r, out: tfevents.NewWriter(w), written: map[written]bool{}}
}

// Write writes the rows that the run has and that were not written before; at first also the run's configuration, as
// hyper-parameters.
func (b *TensorBoard) Write() error {
	r := b.run
	if !b.begun {
		if err := b.out.Begin(r.first()); err != nil {
			return err
		}
		if r.Config != nil {
			if err := b.out.HParams(r.first(), r.Config.Group(), hparams(r.Config)); err != nil {
				return err
			}
		}
		b.begun = true
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
			if x := (entry{t, &t.Rows[i]}); !b.written[written{t, x.Iteration}] {
				all = append(all, x)
			}
		}
	}
	// By step, not by time: a concurrent evaluation ends late.
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Iteration, b.Iteration) })
	for _, x := range all {
		b.written[written{x.table, x.Iteration}] = true
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
		if err := b.out.Scalars(x.Time, int64(x.Iteration), scalars); err != nil {
			return err
		}
	}
	return nil
}

// hparams returns the configuration as hyper-parameters.
func hparams(c *configs.Config) []tfevents.HParam {
	var list []tfevents.HParam
	for _, key := range configs.Keys() {
		value := c.Value(key)
		switch x := value.(type) {
		case int:
			value = float64(x)
		case uint64:
			value = float64(x)
		case float64, bool:
		default:
			value = fmt.Sprint(value)
		}
		list = append(list, tfevents.HParam{Name: key, Value: value})
	}
	return list
}

// Follow writes the event file of the run in a folder to DIR/RUN until ctx ends: what is there at once, and what is
// new every interval and at last. It waits for a run that has not begun.
func Follow(ctx context.Context, folder, dir string, interval time.Duration) error {
	r := New(folder)
	var file *os.File
	var out *TensorBoard
	write := func() error {
		if !r.Folder.Exists() {
			return nil
		}
		if err := r.Refresh(); err != nil {
			return err
		}
		if r.Began.IsZero() {
			return nil
		}
		if file == nil {
			to := filepath.Join(dir, r.Folder.Name())
			if err := os.MkdirAll(to, 0o755); err != nil {
				return err
			}
			var err error
			if file, err = os.Create(filepath.Join(to, r.EventFile())); err != nil {
				return err
			}
			out = NewTensorBoard(r, file)
		}
		return out.Write()
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		err := write()
		if err == nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
			continue
		}
		if file != nil {
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			return fmt.Errorf("TensorBoard: %w", err)
		}
		return nil
	}
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
