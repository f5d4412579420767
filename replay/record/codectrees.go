package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
)

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
