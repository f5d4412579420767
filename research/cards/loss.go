package cards

import (
	"context"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search/minimax"
)

// DecisionLoss is what choosing by representative moves costs at one kind of
// decision, as valued by full-width search to the same depth.
type DecisionLoss struct {
	Decisions int `json:"decisions"`
	Worse     int `json:"worse"` // decisions at which another action is better
	// mean over all decisions, in points of the heuristic, each at most mostLoss
	Loss float64 `json:"loss"`
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

// losses values the decisions of expectiminimax with the given keys in games between full-width
// searches of depth 2. depth, that of the values, is at least 2. If ctx ends, it returns the losses
// of the decisions so far and the context's error.
func (e *Experiments) losses(
	ctx context.Context, keys string, depth, decisions int,
) (*Losses, error) {
	g, err := game.New(e.Game)
	if err != nil {
		return nil, err
	}
	var agents [2]player.Agent // the one that plays for both, the one whose decisions are valued
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
	next := g.NewState()
	// only every seventh position is valued, so that the decisions come from many games
	const every = 7
	met, turn := 0, -1
	x := player.NewGame(g)
	x.OnMove = func(m player.Move) {
		s := x.State()
		if m.Player < 0 {
			return
		}
		kind := &l.Further
		if now := s.(game.Turned).Turn(); now != turn {
			kind, turn = &l.First, now
		}
		if m.By != player.ByAgent {
			return
		}
		if met++; met%every != 0 {
			return
		}
		a, _ := agents[1].Think(s, nil) // it needs no evaluations
		next.CopyFrom(s)
		next.Apply(a)
		after := judges[0]
		if next.(game.Turned).Turn() > turn {
			after = judges[1]
		}
		lost := judges[0].Evaluate(s, m.Player).Value - after.Evaluate(next, m.Player).Value
		kind.Decisions++
		if lost > 0 {
			kind.Worse++
		}
		kind.Loss += min(lost, mostLoss)
		e.progress("what representative moves lose", "decisions",
			l.First.Decisions+l.Further.Decisions, decisions)
	}
	defer func() {
		for _, kind := range []*DecisionLoss{&l.First, &l.Further} {
			kind.Loss /= float64(max(1, kind.Decisions))
		}
	}()
	for number := uint64(0); l.First.Decisions+l.Further.Decisions < decisions; number++ {
		stream := func(i uint64) *rand.Rand { return random.New(e.Seed, random.Arena, number, i) }
		both := player.Seat{Agent: agents[0], Rand: stream(1)}
		x.Start(player.Setup{
			Seed: e.Seed, Purpose: random.Arena, Number: number, Seats: []player.Seat{both, both},
			Chance: stream(0),
		})
		agents[1].Begin(stream(2))
		turn = -1
		for moved := true; moved && l.First.Decisions+l.Further.Decisions < decisions; {
			if moved, err = x.Next(ctx, nil); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}
