package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"tengen/run"
)

// mostRows is the number of equal parts of the iterations of each of which the tables have a row.
type mostRows struct{ iterations, evaluations int }

// viewed is what views read: several iterations for each point that they draw, so that means of
// them are smooth.
var viewed = mostRows{8192, 1024}

// recent is the number of the last rows, which a table has too.
const recent = 8

// header is the beginning of a line of an iteration or an evaluation, as run.EventLog writes it. Of
// these a log has most; they are decoded when their figures are needed.
type header struct {
	time      []byte
	kind      run.EventKind
	iteration int32
}

// headerOf returns the header of a line; false for other lines.
func headerOf(line []byte) (h header, ok bool) {
	var rest []byte
	if h.time, rest, ok = timeOf(line); !ok || string(line[len(line)-2:]) != "}\n" {
		return h, false
	}
	for _, kind := range []run.EventKind{run.EventIteration, run.EventEvaluation} {
		const event, iteration = `,"event":"`, `","iteration":`
		n := len(event) + len(kind) + len(iteration)
		if len(rest) > n && string(rest[:len(event)]) == event &&
			string(rest[len(event):n-len(iteration)]) == string(kind) &&
			string(rest[n-len(iteration):n]) == iteration {
			h.kind = kind
			h.iteration, ok = leading(rest[n:])
			return h, ok
		}
	}
	return h, false
}

// leading returns the number, of up to nine digits, before the first comma.
func leading(text []byte) (n int32, ok bool) {
	for i, c := range text[:min(len(text), 10)] {
		switch {
		case c == ',':
			return n, i > 0
		case c < '0' || c > '9' || i == 9 || i == 1 && n == 0:
			return 0, false
		}
		n = 10*n + int32(c-'0')
	}
	return 0, false
}

// timeOf returns the time of a line that run.EventLog has written, as text, and what follows it.
func timeOf(line []byte) (text, rest []byte, ok bool) {
	const begin, most = `{"time":"`, len(time.RFC3339Nano)
	if len(line) <= len(begin)+most || string(line[:len(begin)]) != begin {
		return nil, nil, false
	}
	rest = line[len(begin):]
	end := bytes.IndexByte(rest[:most+1], '"')
	if end < 0 {
		return nil, nil, false
	}
	return rest[:end], rest[end+1:], true
}

// rowReader reads rows from an event log.
type rowReader struct {
	run   *Run
	log   io.ReaderAt
	block int    // bytes that are read at once, unless a line is longer
	text  []byte // of the log
	at    int64  // its first byte

	walk   walker
	before counters // of the iteration at this spot
	of     int64
}

func newRowReader(r *Run, log io.ReaderAt, block int) *rowReader {
	return &rowReader{run: r, log: log, block: block, of: -1}
}

// line returns the line at a spot, until the next call.
func (x *rowReader) line(at int64) ([]byte, error) {
	if from := at - x.at; from >= 0 && from < int64(len(x.text)) {
		if n := bytes.IndexByte(x.text[from:], '\n'); n >= 0 {
			return x.text[from : from+int64(n)+1], nil
		}
	}
	for n := int64(x.block); ; n *= 4 {
		n = min(n, x.run.at.bytes-at)
		x.at, x.text = at, slices.Grow(x.text[:0], int(n))[:n]
		if m, err := x.log.ReadAt(x.text, at); m < int(n) {
			x.text = nil
			if err == io.EOF {
				err = io.ErrUnexpectedEOF // it was longer
			}
			return nil, err
		}
		if end := bytes.IndexByte(x.text, '\n'); end >= 0 {
			return x.text[:end+1], nil
		}
		if at+n == x.run.at.bytes {
			return x.text, nil
		}
	}
}

// decode reads a line of a table: its row, and its figures until the next call. problem says why it
// can't be read.
func (x *rowReader) decode(t *Table, line []byte) (row Row, list []figure, problem error) {
	var e run.Event
	text, _, ok := timeOf(line)
	if iterations := t == &x.run.Iterations; iterations && ok {
		problem = e.Time.UnmarshalText(text)
	} else {
		problem = decode(line, &e)
	}
	if s := e.Strength; s != nil && len(x.run.Seats) == 0 { // the configuration can't be read
		x.run.Seats = numbered(len(s.Points))
		x.run.Iterations.Rows = nil // they named the seats otherwise
	}
	if problem == nil {
		list, problem = x.walk.figures(line, x.run.Seats)
	}
	if problem == nil && len(list) == 0 {
		problem = errors.New("no figures")
	}
	return Row{Time: e.Time, Strength: e.Strength}, list, problem
}

// row reads the row at spot i of a table, without its values, and its figures until the next call.
func (x *rowReader) row(t *Table, i int) (row Row, list []figure, problem, err error) {
	p := t.spots[i]
	iterations := t == &x.run.Iterations
	before := countersOf(nil, math.NaN())
	k := i - 1 // the spot of the iteration before
	if iterations && k >= 0 && t.spots[k].iteration == p.iteration-1 {
		if last := t.spots[k].at; last == x.of {
			before = x.before
		} else {
			line, err := x.line(last)
			if err != nil {
				return row, nil, nil, err
			}
			if _, list, problem := x.decode(t, line); problem == nil {
				before = countersOf(list, math.NaN())
			} else {
				k--
			}
		}
	}
	line, err := x.line(p.at)
	if err != nil {
		return row, nil, nil, err
	}
	row, list, problem = x.decode(t, line)
	row.Iteration, row.at = int(p.iteration), p.at
	if iterations && problem == nil {
		x.of, x.before = p.at, countersOf(list, math.NaN())
		list = x.run.rates(list, i, k, before)
		x.walk.list = list // its memory is used again
	}
	return row, list, problem, nil
}

// cursor reads all rows of a table from the event log, one after the other.
type cursor struct {
	*rowReader
	table *Table
	next  int // spot

	row     Row // without its values
	figures []figure
}

// move moves to the next row; false at the end.
func (c *cursor) move(ctx context.Context) (bool, error) {
	for ; c.next < len(c.table.spots); c.next++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		row, list, problem, err := c.rowReader.row(c.table, c.next)
		if err != nil {
			return false, err
		}
		if problem == nil {
			c.next++
			c.row, c.figures = row, list
			return true, nil
		}
	}
	return false, nil
}

// each calls visit with every iteration, from one on, that was finished or whose network was
// evaluated, in order: with the row of the iteration and that of the evaluation, nil if there is
// none, and the figures of each, the evaluation's with its rating. visit does not keep them. each
// reads the event log, and has no more than a row of each table in memory. It ends with ctx.
func (r *Run) each(
	ctx context.Context, from int, visit func(made, measured *Row, figures ...[]figure) error,
) error {
	if len(r.Iterations.spots)+len(r.Evaluations.spots) == 0 {
		return nil // there may be no log
	}
	file, err := r.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if !r.at.goesOn(file) {
		return fmt.Errorf("%s was replaced while it was read", r.Folder.Events())
	}
	a := cursor{rowReader: newRowReader(r, file, run.MaxLine), table: &r.Iterations}
	b := cursor{rowReader: newRowReader(r, file, 1<<14), table: &r.Evaluations}
	a.next, _ = r.Iterations.findSpot(int32(from))
	b.next, _ = r.Evaluations.findSpot(int32(from))
	moreA, err := a.move(ctx)
	if err != nil {
		return err
	}
	moreB, err := b.move(ctx)
	if err != nil {
		return err
	}
	ratings := r.lastRatings()
	for moreA || moreB {
		hasA := moreA && (!moreB || a.row.Iteration <= b.row.Iteration)
		hasB := moreB && (!moreA || b.row.Iteration <= a.row.Iteration)
		var made, measured *Row
		var iteration, evaluation []figure
		if hasA {
			made, iteration = &a.row, a.figures
		}
		if hasB {
			measured, evaluation = &b.row, b.figures
			if elo := ratingOf(ratings, &b.row); elo != nil {
				evaluation = append(evaluation, ratingFigures(*elo)...)
			}
		}
		if err := visit(made, measured, iteration, evaluation); err != nil {
			return err
		}
		if hasA {
			if moreA, err = a.move(ctx); err != nil {
				return err
			}
		}
		if hasB {
			if moreB, err = b.move(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// show reads the rows of a table that views read: the first one of each of up to most equal parts
// of the iterations, the last ones, and those of the iterations also. It forgets the spots of
// lines that can't be read.
func (x *rowReader) show(ctx context.Context, t *Table, most int, also []Row) error {
	var damaged []int
	load := func(i int) (row Row, list []figure, ok bool, err error) {
		p := t.spots[i]
		if k, ok := t.find(int(p.iteration)); ok && t.Rows[k].at == p.at {
			return t.Rows[k], nil, true, nil
		}
		if err := ctx.Err(); err != nil {
			return row, nil, false, err
		}
		row, list, problem, err := x.row(t, i)
		if err == nil && problem != nil {
			x.run.passOver(Damage{int(p.line), problem.Error()})
			damaged = append(damaged, i)
		}
		return row, list, problem == nil, err
	}
	type loaded struct {
		Row
		list []figure
	}
	var last []loaded
	end := len(t.spots) // of the others
	for ; end > 0 && len(last) < recent; end-- {
		row, list, ok, err := load(end - 1)
		if err != nil {
			return err
		}
		if ok {
			last = append(last, loaded{row, slices.Clone(list)})
		}
	}
	part := 1 // iterations
	for len(last) > 0 && last[0].Iteration/part >= most {
		part *= 2
	}
	rows := make([]Row, 0, min(len(t.spots), most+len(also)+recent))
	add := func(row Row, list []figure) {
		if row.values == nil {
			row.values = t.appendValues(make([]float64, 0, max(1, len(list), len(t.names))), list)
		}
		rows = append(rows, row)
	}
	for i := 0; i < end; {
		row, list, ok, err := load(i)
		if err != nil {
			return err
		}
		if i++; !ok {
			continue
		}
		add(row, list)
		next := (row.Iteration/part + 1) * part
		for len(also) > 0 && also[0].Iteration <= row.Iteration {
			also = also[1:]
		}
		if len(also) > 0 {
			next = min(next, also[0].Iteration)
		}
		i = t.from(i, end, next)
	}
	for _, x := range slices.Backward(last) {
		add(x.Row, x.list)
	}
	t.Rows = rows
	for _, i := range damaged {
		t.spots[i].at = -1
	}
	if len(damaged) > 0 {
		t.spots = slices.DeleteFunc(t.spots, func(p spot) bool { return p.at < 0 })
	}
	return nil
}

// from returns the index of the first spot, from index i to end, of an iteration or a later one.
// It is quick where that is near.
func (t *Table) from(i, end, iteration int) int {
	reaches := func(k int) bool { return k >= end || int(t.spots[k].iteration) >= iteration }
	step := 1
	for !reaches(i + step - 1) {
		i += step
		step *= 2
	}
	for step > 1 { // the spot is among step
		step /= 2
		if !reaches(i + step - 1) {
			i += step
		}
	}
	return min(i, end)
}
