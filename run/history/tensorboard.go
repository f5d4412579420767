package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"tengen/configs"
)

// EventFile returns the name of the file with the whole history: see eventFile.
func (r *Run) EventFile() string { return r.eventFile(r.Start.Unix()) }

// OtherEventFiles returns the names of the event files of TensorBoard in a folder, without one. A
// folder that does not exist has none.
func OtherEventFiles(dir, without string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if isEventFile(e.Name()) && e.Name() != without {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// isEventFile reports whether TensorBoard takes a file of this name for one of events.
func isEventFile(name string) bool { return strings.Contains(name, "tfevents") }

// eventFile returns the name of an event file of the run. TensorBoard looks for "tfevents" in names
// and reads files in the order of the number after it.
func (r *Run) eventFile(seconds int64) string {
	return fmt.Sprintf("events.out.tfevents.%010d%s", seconds, r.eventSuffix())
}

// eventSuffix returns the end of the names of the run's event files, and of no other run's.
func (r *Run) eventSuffix() string { return ".tengen-" + r.ID.String() }

// first returns the time of the first event that counts.
func (r *Run) first() time.Time {
	first := r.Start
	for _, t := range r.tables() {
		for i := range t.Rows {
			if t.Rows[i].Time.Before(first) {
				first = t.Rows[i].Time
			}
		}
	}
	return first
}

// WriteTensorBoard writes the whole history as an event file of TensorBoard. A tag is a name,
// prefixed with "run/" if it has one element; the step is the iteration.
func (r *Run) WriteTensorBoard(w io.Writer) error { return NewTensorBoard(r, w).Write() }

// TensorBoard writes the history of a run as event files of TensorBoard, what is new in it each
// time. It is used by one goroutine.
type TensorBoard struct {
	run     *Run
	out     *eventWriter
	begun   bool // the writer's file has its first event
	session bool // the file goes on with earlier ones, and does not say so yet
	hparams bool // the configuration is written
	written map[record]bool
}

// record names what is written of a row.
type record struct {
	step int64
	time float64 // as wallTime
	tag  string  // the first
}

// NewTensorBoard returns a TensorBoard that writes to w.
func NewTensorBoard(r *Run, w io.Writer) *TensorBoard {
	return &TensorBoard{run: r, out: newEventWriter(w), written: map[record]bool{}}
}

// resumeTensorBoard returns a TensorBoard that goes on with files of earlier processes: it writes
// to w what they lack. Their contents are given in the order of their names.
func resumeTensorBoard(r *Run, w io.Writer, earlier ...io.Reader) (*TensorBoard, error) {
	b := NewTensorBoard(r, w)
	for _, file := range earlier {
		b.session = true
		err := readEvents(file, func(e fileEvent) {
			switch {
			case e.Restart:
				b.forget(e.Step)
			case e.Tag == hparamsTag:
				b.hparams = true
			case e.Tag != "":
				b.written[record{e.Step, e.WallTime, e.Tag}] = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// forget drops what is written of a step and of later ones.
func (b *TensorBoard) forget(step int64) {
	maps.DeleteFunc(b.written, func(x record, _ bool) bool { return x.step >= step })
	b.hparams = b.hparams && step > 0
}

// entry is a row of a table.
type entry struct {
	*Row
	record
	table *Table
}

// entries returns the rows that have figures with the given names, in order of their steps, not of
// time: a concurrent evaluation ends late.
func (b *TensorBoard) entries(names map[string]bool) []entry {
	var all []entry
	for _, t := range b.run.tables() {
		for i := range t.Rows {
			row := &t.Rows[i]
			for c, x := range row.values {
				if !math.IsNaN(x) && names[t.names[c]] {
					all = append(all,
						entry{
							row, record{
								int64(row.Iteration), wallTime(row.Time), tag(t.names[c]),
							}, t,
						})
					break
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.step, b.step) })
	return all
}

// scalars returns the figures of an entry that have the given names.
func (b *TensorBoard) scalars(x *entry, names map[string]bool) (list []eventScalar) {
	figures := x.table.figures(x.Row)
	if x.Strength != nil {
		if elo := b.run.RatingOf(x.Iteration); elo != nil {
			figures = append(figures, ratingFigures(*elo)...)
		}
	}
	for _, f := range figures {
		if names[f.name] {
			list = append(list, eventScalar{Tag: tag(f.name), Value: f.x})
		}
	}
	return list
}

// Write writes the rows that the run has and that were not written before, at first also the run's
// configuration, as hyper-parameters. Rows that the run no longer has, since it was resumed before
// them, it revokes.
func (b *TensorBoard) Write() error {
	r := b.run
	names := map[string]bool{}
	for _, name := range r.Names() {
		names[name] = true
	}
	all := b.entries(names)
	from, revoked := b.holdsUpTo(all)
	news := slices.DeleteFunc(all, func(x entry) bool {
		return x.step < from && b.written[x.record]
	})
	configured := r.Config == nil || b.hparams && from > 0
	if len(news) == 0 && configured && !revoked && (b.begun || b.session) {
		return nil
	}
	if !b.begun {
		if err := b.out.Begin(r.first()); err != nil {
			return err
		}
		b.begun = true
	}
	if revoked || b.session {
		if err := b.out.Restart(r.Began, from); err != nil {
			return err
		}
		b.forget(from)
		b.session = false
	}
	if !configured {
		if err := b.out.HParams(r.first(), r.Config.Group(), hparams(r.Config)); err != nil {
			return err
		}
		b.hparams = true
	}
	for _, x := range news {
		if err := b.out.Scalars(x.Time, x.step, b.scalars(&x, names)); err != nil {
			return err
		}
		b.written[x.record] = true
	}
	return nil
}

// holdsUpTo returns the first step of which, and of all later ones, nothing that is written holds;
// revoked says that there is such a thing, since the run was resumed before it.
func (b *TensorBoard) holdsUpTo(all []entry) (from int64, revoked bool) {
	now := make(map[record]bool, len(all))
	for _, x := range all {
		now[x.record] = true
	}
	from = 1 // that the configuration, which is of step 0, goes on holding
	for x := range b.written {
		if now[x] {
			if !revoked {
				from = max(from, x.step+1)
			}
		} else if !revoked || x.step < from {
			from, revoked = x.step, true
		}
	}
	return from, revoked
}

// hparams returns the configuration as hyper-parameters.
func hparams(c *configs.Config) []hparam {
	var list []hparam
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
		list = append(list, hparam{Name: key, Value: value})
	}
	return list
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
