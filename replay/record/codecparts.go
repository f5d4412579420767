package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
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

// appendTrees appends the outcome and the trees. The depths of
// all trees come first, then the actions, then the values: similar data compresses
// better, and a decoder needs only three arrays for all trees of a game.
func appendTrees(b []byte, g *Game) []byte {
	if len(g.Outcome) > 0 {
		b = appendFloats(append(b, 1), g.Outcome)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(g.Trees)))
	for k := range g.Trees {
		b = binary.AppendUvarint(b, uint64(g.Trees[k].Ply))
		b = binary.AppendUvarint(b, uint64(len(g.Trees[k].Depths)))
	}
	for k := range g.Trees {
		depths := g.Trees[k].Depths
		for i := 1; i < len(depths); i++ {
			// levels above a child of the state before
			b = binary.AppendUvarint(b, uint64(depths[i-1]+1-depths[i]))
		}
	}
	for k := range g.Trees {
		for _, a := range g.Trees[k].Actions[1:] {
			b = binary.AppendUvarint(b, uint64(a))
		}
	}
	for k := range g.Trees {
		b = appendFloats(b, g.Trees[k].Values)
	}
	return b
}

// trees reads what appendTrees wrote.
func (d *decoder) trees(g *Game, players int) {
	switch flag := d.byte(); {
	case flag == 1:
		g.Outcome = d.floats(nil, players)
	case flag != 0:
		d.fail(fmt.Errorf("the flag of an outcome is %d; must be 0 or 1", flag))
	}
	if players < 1 {
		d.fail(errors.New("trees of a game without seats"))
	}
	if d.err != nil {
		return
	}
	room := 4 * players // bytes of a state's values
	n := d.count("the number of trees", 2+room)
	if n > len(g.Moves) {
		d.fail(fmt.Errorf("%d trees of %d moves", n, len(g.Moves)))
	}
	if n == 0 || d.err != nil {
		return
	}
	g.Trees = make([]Tree, n)
	sizes := make([]int, n)
	states := 0
	for k := range g.Trees {
		g.Trees[k].Ply = int(d.uvarint("the ply of a tree", math.MaxInt32))
		sizes[k] = d.count("the number of a tree's states", room)
		if states += sizes[k]; sizes[k] == 0 || states > len(d.data)/room {
			d.fail(fmt.Errorf("tree %d has %d states; must be at least 1 and fit in the record",
				k, sizes[k]))
			return
		}
	}
	depths, actions := make([]int32, 0, states), make([]game.Action, 0, states)
	for _, n := range sizes {
		depths = append(depths, 0)
		for range n - 1 {
			last := depths[len(depths)-1]
			depths = append(depths,
				last+1-int32(d.uvarint("a state's levels above a child", uint64(last))))
		}
	}
	for _, n := range sizes {
		actions = append(actions, game.NoAction)
		for range n - 1 {
			actions = append(actions, d.action())
		}
	}
	values := d.floats(make([]float32, 0, states*players), states*players)
	if d.err != nil {
		return
	}
	for k, n := range sizes {
		t := &g.Trees[k]
		t.Depths, depths = depths[:n:n], depths[n:]
		t.Actions, actions = actions[:n:n], actions[n:]
		t.Values, values = values[:n*players:n*players], values[n*players:]
	}
}
