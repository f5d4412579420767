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
const Version = 5

// Facts that a record may have: bits of the number before them.
const (
	hasEvaluations = 1 << 0
	hasPrefix      = 1 << 1
	hasStream      = 1 << 2
	hasResign      = 1 << 3
	allFacts       = hasEvaluations | hasPrefix | hasStream | hasResign
)

// MaxMoves is the greatest number of moves of a game.
const MaxMoves = 1 << 16

const (
	// MaxName is the greatest length of a game's name in bytes.
	MaxName     = 1024
	chanceMover = 15   // the mover's four bits for an outcome of chance
	hasVisits   = 0x10 // flags in the mover's byte
	hasValue    = 0x20
	hasPolicy   = 0x40
)

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
	b = binary.AppendUvarint(b, uint64(len(g.Moves)))
	for i := range g.Moves {
		m := &g.Moves[i]
		head := byte(m.Mover)
		if m.Mover == game.Chance {
			head = chanceMover
		}
		if len(m.Visits) > 0 {
			head |= hasVisits
		}
		if len(m.Policy) > 0 {
			head |= hasPolicy
		}
		if len(m.Value) > 0 {
			head |= hasValue
		}
		b = append(b, head)
		b = binary.AppendUvarint(b, uint64(m.Action))
		if len(m.Visits) > 0 {
			b = binary.AppendUvarint(b, uint64(len(m.Visits)))
			for _, v := range m.Visits {
				b = binary.AppendUvarint(b, uint64(v.Action))
				b = binary.AppendUvarint(b, uint64(v.N))
			}
		}
		b = appendFloats(b, m.Policy)
		b = appendFloats(b, m.Value)
	}
	b = appendFloats(b, g.Scores)
	b = appendFloats(b, g.Returns)
	return appendFacts(appendTrees(b, g), g), nil
}

func appendFloats(b []byte, values []float32) []byte {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// errShort is the decoder's error for a truncated record.
var errShort = errors.New("the record ends too early")

// Decode decodes one record, which must fill data. It allocates at most a small
// multiple of data's length. AppendEncoded of the result gives data again, byte for
// byte.
func Decode(data []byte) (*Game, error) { return decode(data, MaxMoves) }

// decode is Decode of a game of at most so many moves.
func decode(data []byte, moves int) (*Game, error) {
	d := decoder{data: data, most: min(moves, MaxMoves)}
	g := d.game()
	if d.err == nil && len(d.data) > 0 {
		d.fail(fmt.Errorf("%d bytes follow the record's end", len(d.data)))
	}
	if d.err == nil {
		d.err = g.Check()
	}
	if d.err != nil {
		return nil, fmt.Errorf("decode game: %w", d.err)
	}
	return g, nil
}

// decoder consumes data from the front. After the first error it returns zeros.
type decoder struct {
	data []byte
	most int // moves
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

// count reads the number of the items that follow, of at least size bytes each.
func (d *decoder) count(what string, size int) int {
	n := d.uvarint(what, math.MaxUint32)
	if n > uint64(len(d.data)/size) {
		d.fail(fmt.Errorf("%s is %d, more than fit in the record", what, n))
		return 0
	}
	return int(n)
}

func (d *decoder) action() game.Action {
	return game.Action(d.uvarint("an action", math.MaxInt32))
}

func (d *decoder) floats(dst []float32, n int) []float32 {
	b := d.bytes(4 * n)
	for ; len(b) > 0; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}

func (d *decoder) game() *Game {
	if version := d.byte(); d.err == nil && version != Version {
		d.fail(fmt.Errorf("record version %d; this program reads version %d", version, Version))
	}
	g := &Game{Number: d.uvarint("the game's number", math.MaxUint64)}
	g.Name = string(d.bytes(int(d.uvarint("the length of the game's name", MaxName))))
	if b := d.bytes(8); b != nil {
		g.Seed = binary.LittleEndian.Uint64(b)
	}
	g.Iteration = int(d.uvarint("the iteration", math.MaxInt32))
	players := int(d.byte())
	if players > game.MaxPlayers {
		d.fail(fmt.Errorf("%d seats; must be 1 to %d", players, game.MaxPlayers))
		return g
	}
	for range players {
		kind := SeatKind(d.byte())
		g.Seats = append(g.Seats, SeatRecord{
			Kind: kind, Step: d.uvarint("a seat's network step", math.MaxUint64),
		})
	}
	d.moves(g, players)
	g.Scores = d.floats(nil, players)
	g.Returns = d.floats(nil, players)
	d.trees(g, players)
	d.facts(g)
	return g
}

// sizes returns the numbers of visits, probabilities and values of the n moves that follow, or less
// where they are not as they should be. It consumes nothing.
func (d *decoder) sizes(n, players int) (visits, policies, values int) {
	ahead := decoder{data: d.data}
	for range n {
		head := ahead.byte()
		ahead.action()
		k := 0
		if head&hasVisits != 0 {
			k = ahead.count("", 2)
			for range k {
				ahead.action()
				ahead.uvarint("", math.MaxUint32)
			}
		}
		p, v := 0, 0
		if head&hasPolicy != 0 {
			p = k
		}
		if head&hasValue != 0 {
			v = players
		}
		ahead.bytes(4 * (p + v))
		if ahead.err != nil {
			break
		}
		visits, policies, values = visits+k, policies+p, values+v
	}
	return visits, policies, values
}

// moves reads all moves. Their visits, policies and values share three arrays, so that a window
// of many games has few objects for the garbage collector.
func (d *decoder) moves(g *Game, players int) {
	const flags = hasVisits | hasValue | hasPolicy
	n := d.count("the number of moves", 2)
	if n > d.most {
		d.fail(fmt.Errorf("%d moves; at most %d fit in a file of this size", n, d.most))
	}
	if n == 0 || d.err != nil {
		return
	}
	g.Moves = make([]Move, n)
	nVisits, nPolicies, nValues := d.sizes(n, players)
	visits := make([]Visit, 0, nVisits)
	policies, values := make([]float32, 0, nPolicies), make([]float32, 0, nValues)
	for i := range g.Moves {
		m := &g.Moves[i]
		head := d.byte()
		switch {
		case head&^(chanceMover|flags) != 0:
			d.fail(fmt.Errorf("ply %d: unknown flags %#x", i, head))
		case head&hasPolicy != 0 && head&hasVisits == 0:
			d.fail(fmt.Errorf("ply %d: a policy without visits", i))
		}
		if m.Mover = game.Player(head & 15); m.Mover == chanceMover {
			m.Mover = game.Chance
		}
		m.Action = d.action()
		if head&hasVisits != 0 {
			k := d.count("the number of visited actions", 2)
			if k == 0 {
				d.fail(fmt.Errorf("ply %d: the flag of visits is set, but there are none", i))
			}
			start := len(visits)
			for range k {
				visits = append(visits, Visit{
					Action: d.action(), N: uint32(d.uvarint("a visit count", math.MaxUint32)),
				})
			}
			m.Visits = visits[start:]
		}
		if head&hasPolicy != 0 {
			start := len(policies)
			policies = d.floats(policies, len(m.Visits))
			m.Policy = policies[start:]
		}
		if head&hasValue != 0 {
			start := len(values)
			values = d.floats(values, players)
			m.Value = values[start:]
		}
		if d.err != nil {
			return
		}
	}
	// Let no slice reach into the next.
	v, w, x := 0, 0, 0
	for i := range g.Moves {
		m := &g.Moves[i]
		if k := len(m.Visits); k > 0 {
			m.Visits = visits[v : v+k : v+k]
			v += k
		}
		if k := len(m.Policy); k > 0 {
			m.Policy = policies[w : w+k : w+k]
			w += k
		}
		if k := len(m.Value); k > 0 {
			m.Value = values[x : x+k : x+k]
			x += k
		}
	}
}

// facts returns which facts a record has.
func facts(g *Game) (facts uint64) {
	if g.Evaluations > 0 {
		facts |= hasEvaluations
	}
	if g.Prefix > 0 {
		facts |= hasPrefix
	}
	if g.EndOrder {
		facts |= hasStream
	}
	if g.Resign > 0 {
		facts |= hasResign
	}
	return facts
}

// appendFacts appends which facts follow, and these.
func appendFacts(b []byte, g *Game) []byte {
	facts := facts(g)
	b = binary.AppendUvarint(b, facts)
	if facts&hasEvaluations != 0 {
		b = binary.AppendUvarint(b, g.Evaluations)
	}
	if g.Prefix > 0 {
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

// facts reads what appendFacts wrote.
func (d *decoder) facts(g *Game) {
	facts := d.uvarint("the number of the facts", allFacts)
	if facts&hasEvaluations != 0 {
		if g.Evaluations = d.uvarint("the number of evaluations",
			math.MaxUint64); g.Evaluations == 0 {
			d.fail(errors.New("a number of evaluations is recorded that is 0"))
		}
	}
	if facts&hasPrefix != 0 {
		if g.Prefix = int(d.uvarint("the number of moves before the players' own",
			math.MaxInt32)); g.Prefix == 0 {
			d.fail(errors.New("a number of moves before the players' own is recorded that is 0"))
		}
	}
	if facts&hasStream != 0 {
		g.EndOrder, g.Stream = true, d.uvarint("the number of the random streams", math.MaxUint64)
	}
	if facts&hasResign != 0 {
		d.resign(g)
	}
}
