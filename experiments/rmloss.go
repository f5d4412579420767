package experiments

import (
	"context"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search/minimax"
)

// RMLoss is what choosing by representative moves costs at some kind of
// decision, as full-width search to the same depth sees it.
type RMLoss struct {
	Decisions int     `json:"decisions"`
	Worse     int     `json:"worse"` // those at which another action is better
	Loss      float64 `json:"loss"`  // mean over all decisions, in points of the heuristic, each at most mostLoss
}

// mostLoss bounds the loss of one decision: to miss a win costs thousands of
// points, which would outweigh everything else.
const mostLoss = 50

// RMLosses are those of the first decision of a turn, which card to place, and
// of those that follow, what the cards on the field do.
type RMLosses struct {
	Depth   int    `json:"depth"`
	First   RMLoss `json:"first"`
	Further RMLoss `json:"further"`
}

// losses compares the choices of expectiminimax with the keys at so many
// decisions, met in games between full-width searches of a lesser depth. depth
// is at least 2.
func (m *RMGames) losses(ctx context.Context, keys string, depth, decisions int) (*RMLosses, error) {
	g, err := game.New(m.Game)
	if err != nil {
		return nil, err
	}
	var seats [2]player.Agent
	for i, of := range []string{"depth=2", keys} {
		p, err := player.Parse(g, "expectiminimax:"+of)
		if err != nil {
			return nil, err
		}
		seats[i] = p.NewAgent(g)
	}
	// An action that ends the turn leaves one turn fewer to search.
	var judges [2]*minimax.Searcher
	for i := range judges {
		if judges[i], err = minimax.New(g, rmPruned(depth-i)); err != nil {
			return nil, err
		}
	}
	l := &RMLosses{Depth: depth}
	s, next := g.NewState(), g.NewState()
	var legal []game.Action
	const every = 7 // decisions of one position in so many, so that many games are seen
	met := 0
	for number := uint64(0); l.First.Decisions+l.Further.Decisions < decisions; number++ {
		s.CopyFrom(g.NewState())
		chance := stream.New(m.Seed, stream.Arena, number, 0)
		for i := range seats {
			seats[i].Begin(stream.New(m.Seed, stream.Arena, number, uint64(i)+1))
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
				a, err := player.Decide(seats[1], s, nil)
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
				m.progress("what representative moves lose", "decisions", l.First.Decisions+l.Further.Decisions, decisions)
			}
			a, err := player.Decide(seats[0], s, nil)
			if err != nil {
				return nil, err
			}
			s.Apply(a)
		}
	}
	for _, kind := range []*RMLoss{&l.First, &l.Further} {
		kind.Loss /= float64(max(1, kind.Decisions))
	}
	return l, nil
}
