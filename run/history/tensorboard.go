package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
// prefixed with "run/" if it has one element; the step is the iteration. It reads the event log
// again, and keeps no more than a row in memory. It ends with ctx.
func (r *Run) WriteTensorBoard(ctx context.Context, w io.Writer) error {
	return NewTensorBoard(r, w).Write(ctx)
}

// TensorBoard writes the history of a run as event files of TensorBoard, what is new in it each
// time. It is used by one goroutine.
type TensorBoard struct {
	run     *Run
	out     *eventWriter
	begun   bool // the writer's file has its first event
	session bool // the file goes on with earlier ones, and does not say so yet
	hparams bool // the configuration is written

	// What is written, of what the run has: all iterations up to one, and evaluations, whose lines
	// begin at these places of the event log. Those of the iterations begin at seen or before.
	last        int
	seen        int64
	evaluations map[int]int64
	// the first step of which something is written that the run does not have; -1: none
	lost int

	tables [2]Table // of the figures that were written
	names  [2]naming
}

// NewTensorBoard returns a TensorBoard that writes to w.
func NewTensorBoard(r *Run, w io.Writer) *TensorBoard {
	b := &TensorBoard{
		run: r, out: newEventWriter(w), seen: -1, evaluations: map[int]int64{}, lost: -1,
	}
	for i := range b.names {
		b.names[i].of = &b.tables[i]
	}
	return b
}

// written is a step in an event file.
type written struct {
	step int
	time float64 // as wallTime
}

// resumeTensorBoard returns a TensorBoard that goes on with files of earlier processes: it writes
// to w what they lack. Their contents are given in the order of their names.
func resumeTensorBoard(r *Run, w io.Writer, earlier ...io.Reader) (*TensorBoard, error) {
	b := NewTensorBoard(r, w)
	var iterations []written
	evaluations := map[int]float64{}
	for _, file := range earlier {
		b.session = true
		err := readEvents(file, func(e fileEvent) {
			step := int(e.Step)
			switch {
			case e.Restart:
				i, _ := slices.BinarySearchFunc(iterations, step, func(x written, n int) int {
					return cmp.Compare(x.step, n)
				})
				iterations = iterations[:i]
				maps.DeleteFunc(evaluations, func(n int, _ float64) bool { return n >= step })
				b.hparams = b.hparams && step > 0
			case e.Tag == hparamsTag:
				b.hparams = true
			case strings.HasPrefix(e.Tag, "strength/"):
				evaluations[step] = e.WallTime
			case e.Tag != "":
				iterations = append(iterations, written{step, e.WallTime})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(iterations)+len(evaluations) == 0 {
		return b, nil
	}
	file, err := r.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	log := newRowReader(r, file, 1<<12)
	// place returns where the line of a step is in the log.
	place := func(t *Table, x written) (at int64, ok bool, err error) {
		i, ok := t.findSpot(int32(x.step))
		if !ok {
			return 0, false, nil
		}
		line, err := log.line(t.spots[i].at)
		if err != nil {
			return 0, false, err
		}
		row, _, problem := log.decode(t, line)
		return t.spots[i].at, problem == nil && wallTime(row.Time) == x.time, nil
	}
	// An iteration that the run still has was made after those before it.
	for _, x := range slices.Backward(iterations) {
		at, ok, err := place(&r.Iterations, x)
		if err != nil {
			return nil, err
		}
		if ok {
			b.last, b.seen = x.step, at
			break
		}
		b.lose(x.step)
	}
	for step, at := range evaluations {
		at, ok, err := place(&r.Evaluations, written{step, at})
		if err != nil {
			return nil, err
		}
		if ok {
			b.evaluations[step] = at
		} else {
			b.lose(step)
		}
	}
	return b, nil
}

// lose notes that the run does not have what is written of a step.
func (b *TensorBoard) lose(step int) {
	if b.lost < 0 || step < b.lost {
		b.lost = step
	}
}

// Write writes the rows that the run has and that were not written before, at first also the run's
// configuration, as hyper-parameters. Rows that the run no longer has, since it was resumed before
// them, it revokes. It reads no more of the event log than from the first of these rows on. It ends
// with ctx.
func (b *TensorBoard) Write(ctx context.Context) error {
	r := b.run
	from, start := b.holdsUpTo()
	revoked := b.lost >= 0
	configured := r.Config == nil || b.hparams && from > 0
	if start < 0 && configured && !revoked && (b.begun || b.session) {
		return nil
	}
	if !b.begun {
		if err := b.out.Begin(r.first()); err != nil {
			return err
		}
		b.begun = true
	}
	if revoked || b.session {
		if err := b.out.Restart(r.Began, int64(from)); err != nil {
			return err
		}
		b.last = min(b.last, from-1)
		maps.DeleteFunc(b.evaluations, func(step int, _ int64) bool { return step >= from })
		b.hparams = b.hparams && from > 0
		b.session, b.lost = false, -1
	}
	if !configured {
		if err := b.out.HParams(r.first(), r.Config.Group(), hparams(r.Config)); err != nil {
			return err
		}
		b.hparams = true
	}
	if start < 0 {
		return nil
	}
	return b.rows(ctx, start)
}

// holdsUpTo returns the first step of which, and of all later ones, nothing that is written holds,
// and the first step that is to be written, -1 if there is none.
func (b *TensorBoard) holdsUpTo() (from, start int) {
	r := b.run
	present := make(map[int]bool, len(r.Evaluations.spots))
	for _, p := range r.Evaluations.spots {
		step := int(p.iteration)
		present[step] = true
		if at, ok := b.evaluations[step]; ok && at != p.at {
			b.lose(step)
		}
	}
	for step := range b.evaluations {
		if !present[step] {
			b.lose(step)
		}
	}
	spots := r.Iterations.spots
	if n := len(spots); n == 0 && b.last > 0 {
		b.lose(1)
	} else if n > 0 && int(spots[n-1].iteration) < b.last {
		b.lose(int(spots[n-1].iteration) + 1)
	}
	start = -1
	begin := func(step int) {
		if start < 0 || step < start {
			start = step
		}
	}
	for _, p := range spots {
		if p.at > b.seen {
			if int(p.iteration) <= b.last {
				b.lose(int(p.iteration))
			}
			begin(int(p.iteration))
		}
	}
	from = 1 // that the configuration, which is of step 0, goes on holding
	for step := range b.evaluations {
		from = max(from, step+1)
	}
	if from = max(from, b.last+1); b.lost >= 0 {
		from = b.lost
		for _, t := range r.tables() {
			if i, _ := t.findSpot(int32(from)); i < len(t.spots) {
				begin(int(t.spots[i].iteration))
			}
		}
	}
	for _, p := range r.Evaluations.spots {
		if _, ok := b.evaluations[int(p.iteration)]; !ok {
			begin(int(p.iteration))
			break
		}
	}
	return from, start
}

// rows writes the rows, from a step on, that are not written.
func (b *TensorBoard) rows(ctx context.Context, start int) error {
	known := map[string]bool{}
	for _, name := range b.run.Names() {
		known[name] = true
	}
	var values []float64
	if err := b.run.each(ctx, start, func(_, _ *Row, lists ...[]figure) error {
		for i, list := range lists {
			values = b.tables[i].appendValues(values[:0], list)
			b.names[i].row(values)
		}
		return nil
	}); err != nil {
		return err
	}
	for i := range b.names {
		for _, name := range b.names[i].names() {
			known[name] = true
		}
	}
	var scalars []eventScalar
	write := func(row *Row, list []figure) error {
		scalars = scalars[:0]
		for _, f := range list {
			if known[f.name] {
				scalars = append(scalars, eventScalar{Tag: tag(f.name), Value: f.x})
			}
		}
		if len(scalars) == 0 {
			return nil
		}
		return b.out.Scalars(row.Time, int64(row.Iteration), scalars)
	}
	if err := b.run.each(ctx, start, func(made, measured *Row, lists ...[]figure) error {
		if made != nil && (made.Iteration > b.last || made.at > b.seen) {
			if err := write(made, lists[0]); err != nil {
				return err
			}
			b.last, b.seen = max(b.last, made.Iteration), max(b.seen, made.at)
		}
		if measured == nil {
			return nil
		}
		if _, ok := b.evaluations[measured.Iteration]; ok {
			return nil
		}
		b.evaluations[measured.Iteration] = measured.at
		return write(measured, lists[1])
	}); err != nil {
		return err
	}
	// Lines that can't be read are passed over once.
	for _, p := range b.run.Iterations.spots {
		b.last, b.seen = max(b.last, int(p.iteration)), max(b.seen, p.at)
	}
	for _, p := range b.run.Evaluations.spots {
		b.evaluations[int(p.iteration)] = p.at
	}
	return nil
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

// Tags returns the tags of the event file. It reads the event log again, and ends with ctx.
func (r *Run) Tags(ctx context.Context) ([]string, error) {
	tags, err := r.allNames(ctx)
	for i, name := range tags {
		tags[i] = tag(name)
	}
	return tags, err
}

func tag(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "run/" + name
}
