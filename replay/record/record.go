package record

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// SeatKind is the kind of player that chose a seat's moves.
type SeatKind uint8

const (
	Network      SeatKind = iota + 1 // a search guided by a network
	UCT                              // a search with random playouts
	Random                           // uniformly random moves
	lastSeatKind = Random
)

// String returns the kind's name in lower case.
func (k SeatKind) String() string {
	switch k {
	case Network:
		return "network"
	case UCT:
		return "uct"
	case Random:
		return "random"
	}
	return fmt.Sprintf("seat kind %d", uint8(k))
}

// SeatRecord is the player of a seat.
type SeatRecord struct {
	Kind SeatKind
	Step uint64 // of the network that guided the search; 0 but for Network
}

// String describes the player: "network at step 7".
func (s SeatRecord) String() string {
	if s.Kind == Network {
		return fmt.Sprintf("%v at step %d", s.Kind, s.Step)
	}
	return s.Kind.String()
}

// Visit is the visit count of an action at a search's root.
type Visit struct {
	Action game.Action
	N      uint32
}

// Move is one action of a game, or one outcome of chance.
type Move struct {
	Action game.Action
	Mover  game.Player // a player, or game.Chance
	// Choice says that the mover is a player with several legal actions: see Marker.
	Choice bool
	// Visits are the policy target: the root's visit counts, in ascending order of the
	// actions; actions without visits may be omitted. If empty, the
	// move has no policy target (it was forced, by chance, or by a player whose moves
	// are not policy targets).
	Visits []Visit
	// Policy, if not empty, is the policy target instead: the weight of the action of each
	// element of Visits, proportional to its probability (the improved policy of Gumbel root
	// search). The greatest is MaxWeight. A visit count may then be 0. Encoder.Row divides the
	// weights by their sum. See AppendPolicy.
	Policy []uint16
	// Value is the utility of each player at the root after the search; empty if none
	// is recorded.
	Value []float32
}

// Game is the record of one finished game.
type Game struct {
	Number    uint64       // in its run, from 0
	Name      string       // the game's canonical name
	Seed      uint64       // of the run; the game's random streams derive from it and Number
	Iteration int          // of the run, from 0
	Seats     []SeatRecord // one a player
	Moves     []Move
	Scores    []float32 // final scores in the game's own units, one a player
	Returns   []float32 // final utilities in [0, 1], one a player
	// Outcome is the value of the final position for training, one a player, if it
	// differs from Returns (Descent's terminal evaluation); empty means Returns.
	Outcome []float32
	// Trees are the states of the game's searches, for tree learning; empty if none
	// are recorded.
	Trees []Tree
	// Evaluations is the number of positions that searches asked the network to evaluate,
	// those in the cache included; 0 if they were not counted.
	Evaluations uint64
	// Prefix is the number of moves at the beginning that no player has chosen: those of an
	// opening. They have no targets, and the positions before them are not samples.
	Prefix int
	// Stream numbers the game's random streams, if EndOrder says so; otherwise Number does.
	Stream uint64
	// EndOrder says that games are numbered in the order in which they ended, as in an asynchronous
	// cycle; otherwise in the order in which they began.
	EndOrder bool
	// Resign is the utility below which players of kind Network resign in the game, above 0 and at
	// most MaxResign; 0: they do not. See Resigning.
	Resign float32
	// Resigned says that the game ended because all players but one had resigned after the last
	// move. Its Returns are 1 for the one that was left and 0 for the others, and its Scores 0.
	Resigned bool
}

// Step returns the training step of the network that decided for the seats of kind Network, 0
// without one.
func (g *Game) Step() uint64 {
	for _, s := range g.Seats {
		if s.Kind == Network {
			return s.Step
		}
	}
	return 0
}

// Check returns an error if the record is inconsistent. It does not know the rules of
// the game: replaying the record checks the moves and the trees (Window.Add,
// Encoder.Row).
func (g *Game) Check() error {
	players := len(g.Seats)
	switch {
	case players < 1 || players > game.MaxPlayers:
		return fmt.Errorf("%d seats; must be 1 to %d", players, game.MaxPlayers)
	case g.Name == "" || len(g.Name) > MaxName:
		return fmt.Errorf("the game's name has %d bytes; must be 1 to %d", len(g.Name), MaxName)
	case g.Iteration < 0 || g.Iteration > math.MaxInt32:
		return fmt.Errorf("iteration %d; must be 0 to %d", g.Iteration, math.MaxInt32)
	case len(g.Scores) != players:
		return fmt.Errorf("%d scores for %d players", len(g.Scores), players)
	case len(g.Returns) != players:
		return fmt.Errorf("%d utilities for %d players", len(g.Returns), players)
	}
	for i, s := range g.Seats {
		if s.Kind < Network || s.Kind > lastSeatKind {
			return fmt.Errorf("seat %d: unknown kind %d", i, s.Kind)
		}
		if s.Kind != Network && s.Step != 0 {
			return fmt.Errorf("seat %d: a seat of kind %v has network step %d", i, s.Kind, s.Step)
		}
	}
	for i, x := range g.Scores {
		if !finite(x) {
			return fmt.Errorf("player %d has the score %v", i, x)
		}
	}
	for i, x := range g.Returns {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("player %d has the utility %v, outside [0, 1]", i, x)
		}
	}
	if g.Stream != 0 && !g.EndOrder {
		return fmt.Errorf(
			"the random streams have the number %d, but games are numbered as they began", g.Stream)
	}
	if len(g.Moves) > MaxMoves || len(g.Trees) > len(g.Moves) {
		return fmt.Errorf("%d moves with %d trees; the maximum is %d moves, with a tree each",
			len(g.Moves), len(g.Trees), MaxMoves)
	}
	if g.Prefix < 0 || g.Prefix > len(g.Moves) {
		return fmt.Errorf("%d moves before the players' own; the game has %d",
			g.Prefix, len(g.Moves))
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		if err := m.Check(players); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
		if i < g.Prefix && (len(m.Visits) > 0 || len(m.Value) > 0) {
			return fmt.Errorf("ply %d: a move before the players' own has visits or a value", i)
		}
	}
	if n := len(g.Outcome); n != 0 && n != players {
		return fmt.Errorf("%d values of the outcome for %d players", n, players)
	}
	for i, x := range g.Outcome {
		if !finite(x) {
			return fmt.Errorf("player %d has the outcome %v", i, x)
		}
	}
	for i := range g.Trees {
		if err := g.Trees[i].check(players, len(g.Moves)); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return g.checkResign()
}

// Check returns an error if the move is inconsistent with itself or the number of players.
func (m *Move) Check(players int) error {
	switch {
	case m.Action < 0:
		return fmt.Errorf("action %d is negative", m.Action)
	case m.Mover != game.Chance && (m.Mover < 0 || int(m.Mover) >= players):
		return fmt.Errorf("the mover is %d; must be 0 to %d, or chance (%d)",
			m.Mover, players-1, game.Chance)
	case m.Mover == game.Chance && (len(m.Visits) > 0 || len(m.Value) > 0 || m.Choice):
		return fmt.Errorf("an outcome of chance has visits, a value or a choice")
	case len(m.Value) != 0 && len(m.Value) != players:
		return fmt.Errorf("%d root values for %d players", len(m.Value), players)
	case len(m.Policy) != 0 && len(m.Policy) != len(m.Visits):
		return fmt.Errorf("%d weights for %d visited actions", len(m.Policy), len(m.Visits))
	}
	for i, x := range m.Value {
		if !finite(x) {
			return fmt.Errorf("player %d has the root value %v", i, x)
		}
	}
	var total uint64
	last := game.NoAction
	for _, v := range m.Visits {
		if v.Action <= last {
			return fmt.Errorf("the visited action %d follows action %d; actions must ascend from 0",
				v.Action, last)
		}
		last = v.Action
		total += uint64(v.N)
	}
	if len(m.Policy) > 0 {
		if most := slices.Max(m.Policy); most != MaxWeight {
			return fmt.Errorf("the greatest weight is %d; must be %d", most, MaxWeight)
		}
		return nil
	}
	if len(m.Visits) > 0 && total == 0 {
		return fmt.Errorf("all visit counts are 0")
	}
	return nil
}

// Probabilities returns the policy target's probabilities of the actions of Visits, nil without
// Policy.
func (m *Move) Probabilities() (list []float32) {
	total := 0.0
	for _, w := range m.Policy {
		total += float64(w)
	}
	for _, w := range m.Policy {
		list = append(list, float32(float64(w)/total))
	}
	return list
}

// AppendPolicy appends the weights of probabilities, one of which is above 0, to dst: their ratio
// to the greatest, rounded.
func AppendPolicy(dst []uint16, probabilities []float32) []uint16 {
	most := float64(slices.Max(probabilities))
	for _, p := range probabilities {
		dst = append(dst, uint16(math.Round(float64(p)/most*MaxWeight)))
	}
	return dst
}

func finite(x float32) bool {
	return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
}

// Result returns what the game's value targets are of: Outcome if there is one, else Returns.
func (g *Game) Result() []float32 {
	if len(g.Outcome) > 0 {
		return g.Outcome
	}
	return g.Returns
}

// Forced reports whether a move was no decision: an outcome of chance, or a move without a search's
// targets of a player that has them.
func (m *Move) Forced(rec *Game) bool {
	return m.Mover == game.Chance ||
		len(m.Value) == 0 && len(m.Visits) == 0 && rec.Seats[m.Mover].Kind != Random
}
