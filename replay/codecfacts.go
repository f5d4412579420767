package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// facts returns which facts a record has.
func facts(g *Game) (facts uint64) {
	if g.Evaluations > 0 {
		facts |= hasEvaluations
	}
	if g.Prefix > 0 {
		facts |= hasPrefix
	}
	if slices.ContainsFunc(g.Seats, SeatRecord.population) {
		facts |= hasPopulation
	}
	if g.EndOrder {
		facts |= hasStream
	}
	if len(g.Refreshes) > 0 {
		facts |= hasRefreshes
	}
	if g.Resign > 0 {
		facts |= hasResign
	}
	for i := range g.Moves {
		if g.Moves[i].Surprise > 0 {
			facts |= hasSurprises
		}
		if len(g.Moves[i].Expected) > 0 {
			facts |= hasExpected
		}
	}
	return facts
}

// appendFacts appends what version 4 adds to version 3: which facts follow, and these.
func appendFacts(b []byte, g *Game) []byte {
	facts := facts(g)
	b = binary.AppendUvarint(b, facts)
	if facts&hasEvaluations != 0 {
		b = binary.AppendUvarint(b, g.Evaluations)
	}
	if g.Prefix > 0 {
		b = binary.AppendUvarint(b, uint64(g.Prefix))
	}
	for _, s := range g.Seats {
		if s.Kind == Guest {
			b = binary.AppendUvarint(b, uint64(len(s.Name)))
			b = append(b, s.Name...)
		}
	}
	if facts&hasSurprises != 0 {
		for i := range g.Moves {
			if m := &g.Moves[i]; len(m.Visits) > 0 {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(m.Surprise+0)) // -0 becomes 0
			}
		}
	}
	if facts&hasExpected != 0 {
		n := 0
		for i := range g.Moves {
			if len(g.Moves[i].Expected) > 0 {
				n++
			}
		}
		b = binary.AppendUvarint(b, uint64(n))
		next := 0
		for i := range g.Moves {
			if m := &g.Moves[i]; len(m.Expected) > 0 {
				b = binary.AppendUvarint(b, uint64(i-next))
				b = appendFloats(b, m.Expected)
				next = i + 1
			}
		}
	}
	if facts&hasStream != 0 {
		b = binary.AppendUvarint(b, g.Stream)
	}
	if facts&hasRefreshes != 0 {
		b = binary.AppendUvarint(b, uint64(len(g.Refreshes)))
		var last Refresh
		for _, r := range g.Refreshes {
			b = binary.AppendUvarint(b, uint64(r.Ply-last.Ply))
			b = binary.AppendUvarint(b, r.Step-last.Step)
			last = r
		}
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
func (d *decoder) facts(g *Game, players int) (facts uint64) {
	facts = d.uvarint("the number of the facts", allFacts)
	if facts == 0 {
		d.fail(fmt.Errorf("a record of version %d without facts", factsVersion))
	}
	if facts&hasEvaluations != 0 {
		if g.Evaluations = d.uvarint("the number of evaluations", math.MaxUint64); g.Evaluations == 0 {
			d.fail(errors.New("a number of evaluations is recorded that is 0"))
		}
	}
	if facts&hasPrefix != 0 {
		if g.Prefix = int(d.uvarint("the number of moves before the players' own", math.MaxInt32)); g.Prefix == 0 {
			d.fail(errors.New("a number of moves before the players' own is recorded that is 0"))
		}
	}
	for i := range g.Seats {
		if s := &g.Seats[i]; s.Kind == Guest && facts&hasPopulation != 0 {
			s.Name = string(d.bytes(int(d.uvarint("the length of a guest's name", maxName))))
		}
	}
	if facts&hasSurprises != 0 {
		d.surprises(g)
	}
	if facts&hasExpected != 0 {
		d.expected(g, players)
	}
	if facts&hasStream != 0 {
		g.EndOrder, g.Stream = true, d.uvarint("the number of the random streams", math.MaxUint64)
	}
	if facts&hasRefreshes != 0 {
		d.refreshes(g)
	}
	if facts&hasResign != 0 {
		d.resign(g)
	}
	return facts
}

// resign reads how players resigned. Check sees to the rest.
func (d *decoder) resign(g *Game) {
	b := d.bytes(5)
	if b == nil {
		return
	}
	if g.Resign = math.Float32frombits(binary.LittleEndian.Uint32(b)); !(g.Resign > 0) {
		d.fail(fmt.Errorf("players resign below a utility of %v; must be above 0", g.Resign))
		return
	}
	if b[4] > 1 {
		d.fail(fmt.Errorf("the flag of a resignation is %d", b[4]))
		return
	}
	g.Resigned = b[4] == 1
}

// refreshes reads the changes of the network. Check sees to their order.
func (d *decoder) refreshes(g *Game) {
	n := d.count("the number of changes of the network", 2)
	if n == 0 {
		d.fail(errors.New("changes of the network are recorded, but there are none"))
		return
	}
	if n > len(g.Moves) {
		d.fail(fmt.Errorf("%d changes of the network in %d moves", n, len(g.Moves)))
		return
	}
	g.Refreshes = make([]Refresh, n)
	var last Refresh
	for i := range g.Refreshes {
		last.Ply += int(d.uvarint("the plies between changes of the network", math.MaxInt32))
		step := d.uvarint("the steps between changes of the network", math.MaxUint64)
		if step > math.MaxUint64-last.Step {
			d.fail(errors.New("the step of a network is too great"))
		}
		last.Step += step
		g.Refreshes[i] = last
	}
}

// surprises reads the surprise of every move with visits.
func (d *decoder) surprises(g *Game) {
	some := false
	for i := range g.Moves {
		m := &g.Moves[i]
		if len(m.Visits) == 0 {
			continue
		}
		b := d.bytes(4)
		if b == nil {
			return
		}
		bits := binary.LittleEndian.Uint32(b)
		if bits == 1<<31 {
			d.fail(fmt.Errorf("ply %d: the surprise is -0", i))
			return
		}
		m.Surprise = math.Float32frombits(bits)
		some = some || bits != 0
	}
	if !some {
		d.fail(errors.New("surprises are recorded that are all 0"))
	}
}

// expected reads the moves that have expected utilities, and these.
func (d *decoder) expected(g *Game, players int) {
	n := d.count("the number of expected utilities", 1+4*players)
	if n == 0 {
		d.fail(errors.New("expected utilities are recorded, but there are none"))
		return
	}
	values := make([]float32, 0, n*players)
	next := 0
	for range n {
		ply := uint64(next) + d.uvarint("the plies between expected utilities", math.MaxUint32)
		if d.err == nil && ply >= uint64(len(g.Moves)) {
			d.fail(fmt.Errorf("expected utilities of ply %d of a game of %d", ply, len(g.Moves)))
		}
		values = d.floats(values, players)
		if d.err != nil {
			return
		}
		g.Moves[ply].Expected = values[len(values)-players : len(values) : len(values)]
		next = int(ply) + 1
	}
}
