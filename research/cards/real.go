package cards

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/research"
	"tengen/search/minimax"
)

// Real is Table 4 or 5 with the real hand at the root.
type Real struct {
	research.Made `json:"made"`
	Game          string `json:"game"`
	Depth         int    `json:"depth"` // of representative moves: 3 or 5
	// Matches are those against all cards and against a player that samples one draw, both to depth
	// 3.
	Matches []*Match `json:"matches"`
	// Ties is the first of them with other preferences among equal actions, at depth 3.
	Ties []*Match `json:"ties,omitempty"`
	// Losses are as in Table4, with the real hand at the root.
	Losses *Losses `json:"losses,omitempty"`
}

// preferredTies are the preferences of both players among equal actions.
const preferredTies = "attack"

// tiesGames bounds the games of the matches of Ties: healing first makes games ten times as long.
const tiesGames = 8

// realRootPlayer searches representative moves with the real hand at the root.
func realRootPlayer(depth int, ties string) string {
	return fmt.Sprintf("expectiminimax:depth=%d,ties=%s,rm=true,root=real", depth, ties)
}

// fullPlayer searches all cards to depth 3.
func fullPlayer(ties string) string { return "expectiminimax:depth=3,ties=" + ties }

// Real plays e.RealGames games of each match, and to depth 3 those of Ties and the decisions. If it
// is interrupted, it returns what it has found and an error.
func (e *Experiments) Real(ctx context.Context, depth int, made research.Made) (*Real, error) {
	t := &Real{Made: made, Game: e.Game, Depth: depth}
	play := func(list *[]*Match, first, second string, games int) error {
		m, err := e.chunked(ctx, first, second, games, &t.Made)
		if m != nil {
			*list = append(*list, m)
		}
		return err
	}
	for _, other := range []string{"", ",samples=1,determinizations=0"} {
		if err := play(&t.Matches, realRootPlayer(depth, preferredTies),
			fullPlayer(preferredTies)+other, e.RealGames); err != nil {
			return t, err
		}
	}
	if depth > 3 {
		return t, nil
	}
	for _, ties := range []string{"random", "heal"} {
		if err := play(&t.Ties, realRootPlayer(depth, ties), fullPlayer(ties),
			min(e.RealGames, tiesGames)); err != nil {
			return t, err
		}
	}
	if e.Decisions > 0 {
		var err error
		if t.Losses, err = e.losses(ctx, "depth=3,rm=true,root=real", 3, e.Decisions); err != nil {
			return t, t.Interrupt("the decisions with the real hand at the root", err)
		}
	}
	return t, nil
}

// Complete implements research.Part.
func (t *Real) Complete(string) error {
	if len(t.Matches) == 0 {
		return lacks("matches")
	}
	for _, m := range append(t.Matches, t.Ties...) {
		if m == nil {
			return lacks("a match")
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Real) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
### With the real hand at the root, to depth %d

The reading that gives the counts of Table 2 (`+"`root=real`"+`): nothing has to be mapped. Among equal actions both players prefer
attacks. Against all cards, and against a player that samples one draw at each chance node (`+"`samples=1`"+`), both to depth 3, on
`+"`%s`"+`:

%s`, t.Depth, t.Game, matchHead)
	for _, m := range t.Matches {
		b.WriteString(m.row())
	}
	if l := t.Losses; l != nil {
		fmt.Fprintf(b, `
Valued as above, another card is better in %.0f %% of %d placements (mean loss %.2f), another action on the field in %.0f %% of %d (%.2f).
`, l.First.worse(), l.First.Decisions, l.First.Loss, l.Further.worse(), l.Further.Decisions, l.Further.Loss)
	}
	if len(t.Ties) > 0 {
		b.WriteString(`
Ties decide how long games are. The first match with other preferences of both players:

` + matchHead)
		for _, m := range t.Ties {
			b.WriteString(m.row())
		}
	}
	return b.String()
}

// worse returns the share of decisions at which another action is better, in %.
func (l *DecisionLoss) worse() float64 {
	return 100 * float64(l.Worse) / float64(max(1, l.Decisions))
}

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
