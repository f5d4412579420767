package cards

import (
	"context"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search/minimax"
)

// DecisionLoss is what choosing by representative moves costs at one kind of
// decision, as valued by full-width search to the same depth.
type DecisionLoss struct {
	Decisions int     `json:"decisions"`
	Worse     int     `json:"worse"` // decisions at which another action is better
	Loss      float64 `json:"loss"`  // mean over all decisions, in points of the heuristic, each at most mostLoss
}

// mostLoss bounds the loss of one decision: missing a win costs thousands of
// points, which would outweigh everything else.
const mostLoss = 50

// Losses are the losses at the first decision of a turn (which card to place) and at
// the further ones (what the cards on the field do).
type Losses struct {
	Depth   int          `json:"depth"`
	First   DecisionLoss `json:"first"`
	Further DecisionLoss `json:"further"`
}

// losses values the choices of expectiminimax with the given keys at decisions from games
// between full-width searches of depth 2. depth, that of the values, is at least 2.
func (e *Experiments) losses(ctx context.Context, keys string, depth, decisions int) (*Losses, error) {
	g, err := game.New(e.Game)
	if err != nil {
		return nil, err
	}
	var agents [2]player.Agent
	for i, of := range []string{"depth=2", keys} {
		p, err := player.Parse(g, "expectiminimax:"+of)
		if err != nil {
			return nil, err
		}
		agents[i] = p.NewAgent(g)
	}
	// An action that ends the turn leaves one turn fewer to search.
	var judges [2]*minimax.Searcher
	for i := range judges {
		if judges[i], err = minimax.New(g, prunedOptions(depth-i)); err != nil {
			return nil, err
		}
	}
	l := &Losses{Depth: depth}
	s, next := g.NewState(), g.NewState()
	var legal []game.Action
	const every = 7 // only every seventh position is valued, so that the decisions come from many games
	met := 0
	for number := uint64(0); l.First.Decisions+l.Further.Decisions < decisions; number++ {
		s.CopyFrom(g.NewState())
		chance := stream.New(e.Seed, stream.Arena, number, 0)
		for i := range agents {
			agents[i].Begin(stream.New(e.Seed, stream.Arena, number, uint64(i)+1))
		}
		turn, first := -1, false
		for s.CurrentPlayer() != game.Nobody && l.First.Decisions+l.Further.Decisions < decisions {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(chance))
				continue
			}
			legal = s.LegalActions(legal[:0])
			first = s.(game.Turned).Turn() != turn
			turn = s.(game.Turned).Turn()
			if len(legal) == 1 {
				s.Apply(legal[0])
				continue
			}
			if met++; met%every == 0 {
				kind := &l.Further
				if first {
					kind = &l.First
				}
				a, err := player.Decide(agents[1], s, nil)
				if err != nil {
					return nil, err
				}
				next.CopyFrom(s)
				next.Apply(a)
				after := judges[0]
				if next.(game.Turned).Turn() > turn {
					after = judges[1]
				}
				lost := judges[0].Evaluate(s, s.CurrentPlayer()).Value - after.Evaluate(next, s.CurrentPlayer()).Value
				kind.Decisions++
				if lost > 0 {
					kind.Worse++
				}
				kind.Loss += min(lost, mostLoss)
				e.progress("what representative moves lose", "decisions", l.First.Decisions+l.Further.Decisions, decisions)
			}
			a, err := player.Decide(agents[0], s, nil)
			if err != nil {
				return nil, err
			}
			s.Apply(a)
		}
	}
	for _, kind := range []*DecisionLoss{&l.First, &l.Further} {
		kind.Loss /= float64(max(1, kind.Decisions))
	}
	return l, nil
}
