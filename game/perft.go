package game

import "context"

// Perft counts the sequences of actions from s by length: element d of the result is
// the number of sequences of d actions. Sequences that end the game earlier are not
// counted. Outcomes of chance count as actions. When ctx ends, Perft returns the
// counts so far and the context's error.
func Perft(ctx context.Context, g Game, s State, depth int) ([]uint64, error) {
	counts := []uint64{1}
	for d := 1; d <= depth; d++ {
		p := perft{ctx: ctx, states: make([]State, d), actions: make([][]Action, d)}
		for i := range p.states {
			p.states[i] = g.NewState()
		}
		n := p.count(s, d)
		if ctx.Err() != nil {
			return counts, ctx.Err()
		}
		counts = append(counts, n)
	}
	return counts, nil
}

type perft struct {
	ctx      context.Context
	states   []State
	actions  [][]Action
	outcomes []Outcome
}

func (p *perft) count(s State, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	actions := p.actions[depth-1][:0]
	switch s.CurrentPlayer() {
	case Nobody:
		return 0
	case Chance:
		p.outcomes = s.(Chancer).Outcomes(p.outcomes[:0])
		for _, o := range p.outcomes {
			actions = append(actions, o.Action)
		}
	default:
		actions = s.LegalActions(actions)
	}
	p.actions[depth-1] = actions
	if depth == 1 {
		return uint64(len(actions))
	}
	if depth > 2 && p.ctx.Err() != nil {
		return 0
	}
	var n uint64
	next := p.states[depth-1]
	for _, a := range actions {
		next.CopyFrom(s)
		next.Apply(a)
		n += p.count(next, depth-1)
	}
	return n
}
