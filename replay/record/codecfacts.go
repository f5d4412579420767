package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

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
