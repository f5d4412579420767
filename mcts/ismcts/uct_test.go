package ismcts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/turtle"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// hashValues evaluates a state by its hash.
type hashValues struct {
	players     int
	evaluations search.Evaluations
}

func utilityOf(s game.State, p int) float32 {
	return float32(s.Hash()>>(8*p)&0xff) / 255
}

func (h *hashValues) Add(s game.State) {
	h.evaluations.Values, h.evaluations.Players = h.evaluations.Values[:0], h.players
	for p := range h.players {
		h.evaluations.Values = append(h.evaluations.Values, utilityOf(s, p))
	}
}

func (h *hashValues) Evaluate() (search.Evaluations, error) { return h.evaluations, nil }

// counts are the reference's statistics of one action at one information set.
type counts struct {
	visits, available int
	unseen            int // simulations under way
	sums              []float64
	seen              [][]float64 // the utilities of each visit
}

// bestByBound returns the legal action that mcts.LowerBound(z, fraction) chooses at the root,
// computed from the utilities of all visits, and false if another is about as good.
func bestByBound(
	s game.State, at func(game.Action) *counts, z, fraction float64,
) (best game.Action, clear bool) {
	me, most := s.CurrentPlayer(), 0
	for _, a := range s.LegalActions(nil) {
		if k := at(a); k != nil {
			most = max(most, k.visits)
		}
	}
	best, greatest := game.NoAction, math.Inf(-1)
	for _, a := range s.LegalActions(nil) {
		k := at(a)
		if k == nil || k.visits == 0 || float64(k.visits) < fraction*float64(most) {
			continue
		}
		n, mean, variance := float64(k.visits), k.sums[me]/float64(k.visits), 0.0
		for _, values := range k.seen {
			variance += (values[me] - mean) * (values[me] - mean) / n
		}
		w := 1 / (n * n)
		variance = max(variance, 2.5e-9) + 0.25*w/(n+w)
		bound := mean - z*math.Sqrt(variance*(n+w*w)/((n+w)*(n+w)))
		clear = clear && math.Abs(bound-greatest) > 1e-9 || best == game.NoAction
		if bound > greatest {
			best, greatest = a, bound
		}
	}
	return best, clear
}

// reference is ISMCTS as its authors describe it, with a map from an observer's information, as
// text, to statistics.
type reference struct {
	naming
	g        game.Game
	c        float64
	rng      *rand.Rand
	known    map[string]*counts // by information set and action
	met      map[string]bool    // information sets
	maxDepth int
}

func (r *reference) simulate(root game.State) {
	s := r.g.NewState()
	s.CopyFrom(root)
	me := root.CurrentPlayer()
	s.(game.ImperfectInformation).Determinize(r.rng, me)
	at := r.begin(s, r.g.Players())
	var path, siblings []*counts
	values := make([]float64, r.g.Players())
	for depth := 1; ; depth++ {
		var untried, tried []game.Action
		for _, a := range s.LegalActions(nil) {
			if r.known[fmt.Sprint(at, " ", a)] == nil {
				untried = append(untried, a)
			} else {
				tried = append(tried, a)
			}
		}
		best := game.NoAction
		if len(untried) > 0 {
			best = untried[r.rng.IntN(len(untried))]
			r.known[fmt.Sprint(at, " ", best)] = &counts{sums: make([]float64, r.g.Players())}
			siblings = append(siblings, r.known[fmt.Sprint(at, " ", best)])
		}
		score := math.Inf(-1)
		for _, a := range tried {
			k := r.known[fmt.Sprint(at, " ", a)]
			siblings = append(siblings, k)
			n := float64(k.visits)
			x := k.sums[s.CurrentPlayer()]/n +
				float64(r.c*math.Sqrt(math.Log(float64(k.available))/n))
			if len(untried) == 0 && x > score {
				best, score = a, x
			}
		}
		edge := fmt.Sprint(at, " ", best)
		path = append(path, r.known[edge])
		r.maxDepth = max(r.maxDepth, depth)
		r.acted(s.CurrentPlayer(), best)
		s.Apply(best)
		for s.CurrentPlayer() == game.Chance {
			s.Apply(s.(game.Chancer).Sample(r.rng))
		}
		if s.CurrentPlayer() == game.Nobody {
			u := make([]float32, len(values))
			s.Returns(u)
			for p := range u {
				values[p] = float64(u[p])
			}
			break
		}
		at = r.at(s, edge)
		if !r.met[at] {
			r.met[at] = true
			for p := range values {
				values[p] = float64(utilityOf(s, p))
			}
			break
		}
	}
	for _, k := range siblings {
		k.available++
	}
	for _, k := range path {
		k.visits++
		k.seen = append(k.seen, values)
		for p, v := range values {
			k.sums[p] += v
		}
	}
}

// afterDeal returns a position in which a player has a choice, after at least plies
// actions.
func afterDeal(g game.Game, rng *rand.Rand, plies int) game.State {
	for {
		s := g.NewState()
		for i := 0; s.CurrentPlayer() != game.Nobody; i++ {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			legal := s.LegalActions(nil)
			if i >= plies && len(legal) > 1 {
				return s
			}
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

func TestUCTAgreesWithReference(t *testing.T) {
	deep, bounded := [2]int{}, 0
	for i := range uint64(60) {
		observers := bothObservers[i%2]
		rng := random.New(1, random.Test, 40, i)
		name := []string{
			"turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20",
			"turtle:squares=5,hand=3,players=3", "turtle",
		}[i/2%3]
		g := game.Must(game.New(name))
		s := afterDeal(g, rng, rng.IntN(40))
		n, c := 1+rng.IntN(400), []float64{0, 0.1, 0.8}[rng.IntN(3)]
		if i/2%3 == 0 {
			n *= 10 // the small game is searched deeper
		}
		r := &reference{
			naming: naming{observers: observers}, g: g, c: c, rng: random.New(2, random.Test, i),
			known: map[string]*counts{}, met: map[string]bool{},
		}
		for range n {
			r.simulate(s)
		}
		o := mcts.UCT{Simulations: n, C: c}
		z, fraction := []float64{0, 1, 5}[rng.IntN(3)], []float64{0, 0.15, 1}[rng.IntN(3)]
		lower := rng.IntN(2) == 0
		if lower {
			o.FinalSelection = mcts.LowerBound(z, fraction)
		}
		tree := ismcts.NewUCT(g, o, observers, random.New(2, random.Test, i))
		tree.Start(s)
		search.Run(tree, &hashValues{players: g.Players()})
		children := tree.Children(nil)
		if legal := s.LegalActions(nil); len(children) != len(legal) {
			t.Fatalf("%d children of %d legal actions", len(children), len(legal))
		}
		most := 0
		for _, child := range children {
			k := r.known[fmt.Sprint("root ", child.Action)]
			if k == nil {
				k = &counts{sums: make([]float64, g.Players())}
			}
			if k.visits != child.Visits {
				t.Fatalf("%s, %v, %d simulations: action %d has %d visits, in the reference %d",
					name, observers, n, child.Action, child.Visits, k.visits)
			}
			most = max(most, k.visits)
			for p := range g.Players() {
				if k.visits > 0 && child.Value[p] != float32(k.sums[p]/float64(k.visits)) {
					t.Fatalf("%s: action %d is worth %v, in the reference %v of %d",
						name, child.Action, child.Value, k.sums, k.visits)
				}
			}
		}
		at := func(a game.Action) *counts { return r.known[fmt.Sprint("root ", a)] }
		best := at(tree.Best())
		if want, clear := bestByBound(s, at, z, fraction); lower && clear {
			bounded++
			if tree.Best() != want ||
				!slices.Equal(tree.PrincipalVariation(nil), []game.Action{want}) {
				t.Fatalf("%s, %v, z %g, fraction %g: the best is %d, in the reference %d",
					name, observers, z, fraction, tree.Best(), want)
			}
		}
		stats := tree.Stats()
		if best == nil || !lower && best.visits != most || stats.Simulations != n ||
			stats.MaxDepth != r.maxDepth || stats.Nodes != len(r.met)+1 || stats.Full {
			t.Fatalf("%s: %+v, best %d; the reference has depth %d and %d nodes",
				name, stats, tree.Best(), r.maxDepth, len(r.met)+1)
		}
		deep[observers] += stats.MaxDepth
	}
	if deep[0] < 80 || deep[1] < 70 || bounded < 20 {
		t.Errorf("the depths sum to %v: hardly anything is tested", deep)
	}
}

// The search does not depend on what the observer can't see in the root.
func TestSearchesDependOnWhatIsSeen(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	for i := range uint64(10) {
		rng := random.New(1, random.Test, 41, i)
		a, b := afterDeal(g, rng, rng.IntN(40)), g.NewState()
		b.CopyFrom(a)
		b.(game.ImperfectInformation).Determinize(rng, a.CurrentPlayer())
		var found [2][]search.Child
		for k, s := range []game.State{a, b} {
			draws := random.New(3, random.Test, i)
			tree := ismcts.NewUCT(g, mcts.UCT{Simulations: 100, C: 0.8}, bothObservers[i%2], draws)
			tree.Start(s)
			search.Run(tree, search.NewPlayouts(g, draws))
			found[k] = tree.Children(nil)
		}
		if !slices.Equal(found[0], found[1]) {
			t.Fatalf("of two states that look alike the search finds\n%v\n%v", found[0], found[1])
		}
	}
}

// TestSearchesDoNotFuse: guessing a hidden coin wins half of the time, less than declining. A
// search of one determinization would know the coin (strategy fusion).
func TestSearchesDoNotFuse(t *testing.T) {
	g := guess{}
	for side := range uint8(2) {
		s := &guessState{dealt: true, side: side}
		rng := random.New(1, random.Test, 42, uint64(side))
		tree := ismcts.NewUCT(g, mcts.UCT{Simulations: 2000, C: 0.5}, ismcts.SingleObserver, rng)
		tree.Start(s)
		search.Run(tree, search.NewPlayouts(g, rng))
		if tree.Best() != decline {
			t.Errorf("the search by information sets guesses: %+v", tree.Children(nil))
		}
		single := mcts.NewUCT(g, mcts.UCT{Simulations: 2000, C: 0.5}, rng)
		single.Start(s)
		search.Run(single, search.NewPlayouts(g, rng))
		if single.Best() == decline {
			t.Errorf("the search of one determinization declines: %+v", single.Children(nil))
		}
	}
}

// guess is a game for one: a coin is tossed in secret. Declining gives 0.6; guessing the side
// gives 1 or 0.
type guess struct{}

const (
	decline game.Action = 2
	goOn    game.Action = 3
)

func (guess) Name() string         { return "guess" }
func (guess) Players() int         { return 1 }
func (guess) Actions() int         { return 4 }
func (guess) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (guess) Support() []float32   { return nil }
func (guess) NewState() game.State { return &guessState{} }

type guessState struct {
	dealt    bool
	side     uint8
	going    bool
	finished bool
	got      float32
}

func (s *guessState) CurrentPlayer() game.Player {
	switch {
	case !s.dealt:
		return game.Chance
	case s.finished:
		return game.Nobody
	}
	return 0
}

func (s *guessState) LegalActions(dst []game.Action) []game.Action {
	if s.going {
		return append(dst, 0, 1)
	}
	return append(dst, decline, goOn)
}

func (s *guessState) Apply(a game.Action) {
	switch {
	case !s.dealt:
		s.dealt, s.side = true, uint8(a)
	case a == goOn:
		s.going = true
	default:
		s.finished = true
		if s.got = 0.6; a != decline {
			s.got = 0
			if uint8(a) == s.side {
				s.got = 1
			}
		}
	}
}

func (s *guessState) CopyFrom(src game.State)   { *s = *src.(*guessState) }
func (s *guessState) Returns(dst []float32)     { dst[0] = s.got }
func (s *guessState) Observation(dst []float32) { dst[0] = 0 }
func (s *guessState) Hash() uint64 {
	return s.InformationStateKey(0)<<1 | uint64(s.side)
}
func (s *guessState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.5}, game.Outcome{
		Action: 1, Probability: 0.5,
	})
}
func (s *guessState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(2)) }

func (s *guessState) Determinize(rng *rand.Rand, _ game.Player) {
	if s.dealt && !s.finished {
		s.side = uint8(rng.IntN(2))
	}
}

func (s *guessState) InformationStateKey(game.Player) uint64 {
	key := uint64(0)
	for i, b := range []bool{s.dealt, s.going, s.finished} {
		if b {
			key |= 1 << i
		}
	}
	return key
}

// A search allocates nothing, and continues when the tree is full.
func TestUCTMemory(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rng := random.New(1, random.Test, 43)
	s := afterDeal(g, rng, 10)
	playouts := search.NewPlayouts(g, rng)
	for _, observers := range bothObservers {
		tree := ismcts.NewUCT(g, mcts.UCT{Simulations: 300, C: 0.8, MaxNodes: 20}, observers, rng)
		if n := testing.AllocsPerRun(5, func() {
			tree.Start(s)
			search.Run(tree, playouts)
		}); n > 0 {
			t.Errorf("%v: a search allocates %v times", observers, n)
		}
		stats := tree.Stats()
		if !stats.Full || stats.Nodes != 20 || stats.Simulations != 300 ||
			!slices.Contains(s.LegalActions(nil), tree.Best()) {
			t.Errorf("%v: %+v, best %d", observers, stats, tree.Best())
		}
		visits := 0
		for _, c := range tree.Children(nil) {
			visits += c.Visits
		}
		if visits != 300 {
			t.Errorf("%v: %d visits of 300 simulations", observers, visits)
		}
	}
}

// TestEarlyStop: a search that stops early chooses the same action as one that does not.
func TestEarlyStop(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	saved := 0
	for seed := range uint64(60) {
		n := 10 + int(seed)*5
		var best [2]game.Action
		var made [2]int
		for early := range 2 {
			var tree *ismcts.Tree
			observers := ismcts.Observers(seed / 2 % 2)
			if seed%2 == 0 {
				tree = ismcts.NewUCT(g, mcts.UCT{Simulations: n, C: 0.5}, observers,
					random.New(seed, random.Test))
			} else {
				o := mcts.PUCT{Simulations: n, C: 0.5, BatchSize: 1 + int(seed)%5}
				if seed%3 == 0 {
					o.FinalSelection = mcts.LowerBound(mcts.DefaultZ, 0.5)
				}
				tree = ismcts.NewPUCT(g, o, observers, random.New(seed, random.Test))
			}
			s := g.NewState()
			rng := random.New(seed, random.Test, 1)
			for s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
			}
			tree.SetEarlyStop(early == 1)
			tree.Start(s)
			if err := search.Run(tree, &guiding{
				actions: g.Actions(), players: g.Players(),
			}); err != nil {
				t.Fatal(err)
			}
			best[early], made[early] = tree.Best(), tree.Stats().Simulations
		}
		if best[0] != best[1] || made[1] > made[0] {
			t.Errorf("search %d: %d after %d simulations, %d after %d",
				seed, best[0], made[0], best[1], made[1])
		}
		saved += made[0] - made[1]
	}
	if saved < 100 {
		t.Errorf("%d simulations are saved", saved)
	}
	// By Gumbel visits alone do not choose.
	tree := ismcts.NewPUCT(g, mcts.PUCT{
		Simulations: 100, C: 0.5,
		Gumbel: mcts.Gumbel{Considered: 1, VisitOffset: 50, ValueScale: 1},
	}, ismcts.SingleObserver, random.New(1, random.Test))
	s := g.NewState()
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(random.New(1, random.Test)))
	}
	tree.SetEarlyStop(true)
	tree.Start(s)
	if err := search.Run(tree, &guiding{actions: g.Actions(), players: g.Players()}); err != nil {
		t.Fatal(err)
	}
	if made := tree.Stats().Simulations; made != 100 {
		t.Errorf("a search by Gumbel stopped after %d simulations", made)
	}
}
