package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
)

// Version is the version of an encoded game, with which it begins. Each record has exactly one
// encoding.
const Version = 6

// Facts that a record may have: bits of the number before them.
const (
	hasEvaluations = 1 << iota
	hasPrefix
	hasStream
	hasResign
	hasOutcome
	hasTargets
	hasTrees
	allFacts = 1<<iota - 1
)

// MaxMoves is the greatest number of moves of a game.
const MaxMoves = 1 << 16

// MaxName is the greatest length of a game's name in bytes.
const MaxName = 1024

// AppendEncoded appends the encoded record to dst. It returns the error of Check.
func AppendEncoded(dst []byte, g *Game) ([]byte, error) {
	if err := g.Check(); err != nil {
		return dst, fmt.Errorf("encode game %d: %w", g.Number, err)
	}
	b := append(dst, Version)
	b = binary.AppendUvarint(b, g.Number)
	b = binary.AppendUvarint(b, uint64(len(g.Name)))
	b = append(b, g.Name...)
	b = binary.LittleEndian.AppendUint64(b, g.Seed)
	b = binary.AppendUvarint(b, uint64(g.Iteration))
	b = append(b, byte(len(g.Seats)))
	for _, s := range g.Seats {
		b = append(b, byte(s.Kind))
		b = binary.AppendUvarint(b, s.Step)
	}
	c := columnsOf(g)
	b = appendFacts(b, g, c)
	for _, floats := range [][]float32{g.Scores, g.Returns, g.Outcome} {
		for _, x := range floats {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(g.Moves)))
	b = append(b, byte(c.wAction))
	if c.limit > 0 {
		b = binary.AppendUvarint(b, uint64(c.limit))
		b = append(b, byte(c.wLength))
		b = binary.AppendUvarint(b, uint64(c.targetBits))
	}
	if len(g.Trees) > 0 {
		var forest []byte
		treeBits := 0
		for k := range g.Trees {
			t := c.branch(&g.Trees[k], len(g.Seats))
			for _, n := range []int{t.ply, t.states, t.listed, t.levels} {
				forest = binary.AppendUvarint(forest, uint64(n))
			}
			treeBits += t.bits(len(g.Seats), c.wState)
		}
		b = binary.AppendUvarint(b, uint64(len(g.Trees)))
		b = append(b, byte(c.wState))
		b = binary.AppendUvarint(b, uint64(treeBits))
		b = binary.AppendUvarint(b, uint64(len(forest)))
		b = append(b, forest...)
	}
	w := bitWriter{b: b}
	c.append(&w, g)
	return w.end(), nil
}

// columns describes the columns of a game.
type columns struct {
	wAction, wLength, wState int
	limit                    uint32
	targetBits               int
	lengths                  []int // of the targets, in bits
}

func columnsOf(g *Game) *columns {
	c := &columns{}
	action, state, longest := game.Action(0), game.Action(0), 0
	for i := range g.Moves {
		m := &g.Moves[i]
		action = max(action, m.Action)
		if n := len(m.Visits); n > 0 {
			c.limit = max(c.limit, uint32(m.Visits[n-1].Action)+1)
		}
	}
	for i := range g.Moves {
		if m := &g.Moves[i]; len(m.Visits) > 0 {
			n := targetBits(m, c.limit)
			c.lengths = append(c.lengths, n)
			c.targetBits += n
			longest = max(longest, n)
		}
	}
	for k := range g.Trees {
		for _, a := range g.Trees[k].Actions[1:] {
			state = max(state, a)
		}
	}
	c.wAction, c.wState, c.wLength = width(uint32(action)), width(uint32(state)),
		width(uint32(longest))
	return c
}

// branch returns a tree's entry in the table.
func (c *columns) branch(t *Tree, players int) branch {
	b := branch{ply: t.Ply, states: len(t.Depths), listed: 1}
	for i := 1; i < b.states; i++ {
		b.levels += golombBits(uint32(t.Depths[i-1]+1-t.Depths[i]), 0)
		if t.fresh(i, players) {
			b.listed++
		}
	}
	return b
}

// fresh reports whether the values of a state other than the root are not those of the state before
// it, to the bit.
func (t *Tree) fresh(i, players int) bool {
	for p := range players {
		if math.Float32bits(t.Values[i*players+p]) != math.Float32bits(t.Values[(i-1)*players+p]) {
			return true
		}
	}
	return false
}

func (c *columns) append(w *bitWriter, g *Game) {
	players := len(g.Seats)
	for i := range g.Moves {
		w.flag(g.Moves[i].Choice)
	}
	for i := range g.Moves {
		w.flag(len(g.Moves[i].Visits) > 0)
	}
	for i := range g.Moves {
		w.flag(len(g.Moves[i].Policy) > 0)
	}
	for i := range g.Moves {
		w.flag(len(g.Moves[i].Value) > 0)
	}
	for i := range g.Moves {
		m := g.Moves[i].Mover
		if m == game.Chance {
			m = game.Player(players)
		}
		w.put(uint64(m), width(uint32(players)))
	}
	for i := range g.Moves {
		w.put(uint64(g.Moves[i].Action), c.wAction)
	}
	for _, n := range c.lengths {
		w.put(uint64(n), c.wLength)
	}
	for i := range g.Moves {
		w.floats(g.Moves[i].Value)
	}
	for i := range g.Moves {
		if m := &g.Moves[i]; len(m.Visits) > 0 {
			w.target(m, c.limit)
		}
	}
	for k := range g.Trees {
		t := &g.Trees[k]
		n := len(t.Depths)
		for _, forced := range t.Forced[1:] {
			w.flag(forced)
		}
		for i := 1; i < n; i++ {
			w.flag(t.fresh(i, players))
		}
		for _, a := range t.Actions[1:] {
			w.put(uint64(a), c.wState)
		}
		for i := 1; i < n; i++ {
			w.golomb(uint32(t.Depths[i-1]+1-t.Depths[i]), 0)
		}
		for i := range n {
			if i == 0 || t.fresh(i, players) {
				w.floats(t.Values[i*players:][:players])
			}
		}
	}
}

func (w *bitWriter) floats(values []float32) {
	for _, x := range values {
		w.put(uint64(math.Float32bits(x)), 32)
	}
}

// errShort is the decoder's error for a truncated record.
var errShort = errors.New("the record ends too early")

// Decode decodes one record, which must fill data. It allocates at most a small
// multiple of data's length. AppendEncoded of the result gives data again, byte for
// byte.
func Decode(data []byte) (*Game, error) {
	var t Target
	p, err := Open(data, &t)
	if err != nil {
		return nil, err
	}
	g := p.game(&t)
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("decode game: %w", err)
	}
	return g, nil
}

// Game decodes the game.
func (p *Packed) Game() *Game { return p.game(&Target{}) }

func (p *Packed) game(t *Target) *Game {
	g := &Game{
		Number: p.Number, Name: string(p.name), Seed: p.Seed, Iteration: p.Iteration,
		Seats: append([]SeatRecord(nil), p.seats[:p.players]...), Evaluations: p.evaluations,
		Prefix: p.Prefix, Stream: p.stream, EndOrder: p.facts&hasStream != 0, Resign: p.Resign,
		Resigned: p.Resigned,
	}
	results := make([]float32, len(p.results)/4)
	for i := range results {
		results[i] = p.result(i)
	}
	n := p.players
	g.Scores, g.Returns = results[:n:n], results[n:2*n:2*n]
	if len(results) > 2*n {
		g.Outcome = results[2*n:]
	}
	if p.plies > 0 {
		g.Moves = make([]Move, p.plies)
	}
	values := make([]float32, n*p.nFound)
	for i := range g.Moves {
		m := &g.Moves[i]
		m.Mover, m.Action, m.Choice = p.Mover(i), p.Action(i), p.Choice(i)
		if p.HasValue(i) {
			m.Value, values = values[:n:n], values[n:]
			p.Values(i, m.Value)
		}
		if p.HasTarget(i) {
			if err := p.Target(i, t); err != nil {
				panic(err) // Open has read it
			}
			m.Visits = append([]Visit(nil), t.Visits...)
			m.Policy = append([]uint16(nil), t.Policy...)
		}
	}
	for k := range p.nTrees {
		g.Trees = append(g.Trees, p.decodeTree(k))
	}
	return g
}

func (p *Packed) decodeTree(k int) Tree {
	b := p.tree(k)
	t := Tree{
		Ply: b.ply, Depths: make([]int32, b.n), Actions: make([]game.Action, b.n),
		Forced: make([]bool, b.n), Values: make([]float32, 0, b.n*p.players),
	}
	t.Actions[0] = game.NoAction
	r := bitReader{b: p.body, at: b.levels, end: b.values}
	at := b.values
	for i := range b.n {
		if i > 0 {
			t.Depths[i] = t.Depths[i-1] + 1 - int32(r.golomb(0))
			t.Actions[i], t.Forced[i] = b.action(p, i), p.flag(b.forced, i-1)
			if p.flag(b.listed, i-1) {
				at += 32 * p.players
			}
		}
		for j := range p.players {
			t.Values = append(t.Values, p.float(at+32*j))
		}
	}
	return t
}

// decoder consumes data from the front. After the first error it returns zeros.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.data = nil
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		d.fail(errShort)
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) byte() byte {
	b := d.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// uvarint reads a number up to limit, in its shortest form.
func (d *decoder) uvarint(what string, limit uint64) uint64 {
	v, n := binary.Uvarint(d.data)
	switch {
	case n == 0:
		d.fail(errShort)
	case n < 0 || v > limit:
		d.fail(fmt.Errorf("%s is greater than %d", what, limit))
	case n > 1 && d.data[n-1] == 0:
		d.fail(fmt.Errorf("%s is not in its shortest form", what))
	}
	if d.err != nil {
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) uint64() uint64 {
	b := d.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// width reads the number of bits of the numbers of a column.
func (d *decoder) width(what string) int {
	n := d.byte()
	if n > 31 {
		d.fail(fmt.Errorf("%s has %d bits; the maximum is 31", what, n))
		return 0
	}
	return int(n)
}

// facts returns which facts a record has.
func facts(g *Game, c *columns) (facts uint64) {
	for _, x := range []struct {
		has  uint64
		fact bool
	}{
		{hasEvaluations, g.Evaluations > 0}, {hasPrefix, g.Prefix > 0}, {hasStream, g.EndOrder},
		{hasResign, g.Resign > 0}, {hasOutcome, len(g.Outcome) > 0}, {hasTargets, c.limit > 0},
		{hasTrees, len(g.Trees) > 0},
	} {
		if x.fact {
			facts |= x.has
		}
	}
	return facts
}

// appendFacts appends which facts there are, and the first of these.
func appendFacts(b []byte, g *Game, c *columns) []byte {
	facts := facts(g, c)
	b = binary.AppendUvarint(b, facts)
	if facts&hasEvaluations != 0 {
		b = binary.AppendUvarint(b, g.Evaluations)
	}
	if facts&hasPrefix != 0 {
		b = binary.AppendUvarint(b, uint64(g.Prefix))
	}
	if facts&hasStream != 0 {
		b = binary.AppendUvarint(b, g.Stream)
	}
	if facts&hasResign != 0 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(g.Resign))
		ended := byte(0)
		if g.Resigned {
			ended = 1
		}
		b = append(b, ended)
	}
	return b
}

// readFacts reads what appendFacts wrote.
func (p *Packed) readFacts(d *decoder) {
	p.evaluations, p.Prefix, p.stream, p.Resign, p.Resigned = 0, 0, 0, 0, false
	p.facts = d.uvarint("the number of the facts", allFacts)
	if p.facts&hasEvaluations != 0 {
		if p.evaluations = d.uvarint("the number of evaluations",
			math.MaxUint64); p.evaluations == 0 {
			d.fail(errors.New("a number of evaluations is recorded that is 0"))
		}
	}
	if p.facts&hasPrefix != 0 {
		if p.Prefix = int(d.uvarint("the number of moves before the players' own",
			math.MaxInt32)); p.Prefix == 0 {
			d.fail(errors.New("a number of moves before the players' own is recorded that is 0"))
		}
	}
	if p.facts&hasStream != 0 {
		p.stream = d.uvarint("the number of the random streams", math.MaxUint64)
	}
	if p.facts&hasResign != 0 {
		p.readResign(d)
	}
}
