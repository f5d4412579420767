package ismcts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// guiding evaluates a state by what its player to move sees: utilities as hashValues does, and
// logits.
type guiding struct {
	actions, players int
	evaluations      search.Evaluations
}

func logitOf(s game.State, a int) float32 {
	h := (s.Hash() ^ uint64(a)) * 0x9e3779b97f4a7c15
	return float32(h>>40&0xfff) / 1024
}

func (v *guiding) Add(s game.State) {
	v.evaluations.Actions, v.evaluations.Players = v.actions, v.players
	for p := range v.players {
		v.evaluations.Values = append(v.evaluations.Values, utilityOf(s, p))
	}
	for a := range v.actions {
		v.evaluations.Policy = append(v.evaluations.Policy, logitOf(s, a))
	}
}

func (v *guiding) Evaluate() (search.Evaluations, error) {
	e := v.evaluations
	v.evaluations.Values, v.evaluations.Policy = e.Values[:0], e.Policy[:0]
	return e, nil
}

// plainPUCT is information-set search with PUCT, written from the definition with maps.
type plainPUCT struct {
	naming
	g         game.Game
	c         float64
	reduction float64 // below 0: unvisited actions are worth 0
	virtual   float64 // virtual loss
	gumbel    *plainGumbel
	rng       *rand.Rand
	edges     map[string]*counts
	nodes     map[string]*plainNode
	maxDepth  int
}

type plainNode struct {
	visits int
	sums   []float64
	logits []float32
	awaits bool // an evaluation, in another simulation under way
}

// meet evaluates s, with which the node is met first.
func (r *plainPUCT) meet(at string, s game.State) []float64 {
	n := &plainNode{sums: make([]float64, r.g.Players())}
	for a := range r.g.Actions() {
		n.logits = append(n.logits, logitOf(s, a))
	}
	r.nodes[at] = n
	return r.valuesOf(s)
}

func (r *plainPUCT) valuesOf(s game.State) []float64 {
	values := make([]float64, r.g.Players())
	for p := range values {
		values[p] = float64(utilityOf(s, p))
	}
	return values
}

func (r *plainPUCT) priors(at string, legal []game.Action) map[game.Action]float64 {
	if len(legal) == 1 {
		return map[game.Action]float64{legal[0]: 1}
	}
	most, sum := math.Inf(-1), 0.0
	for _, a := range legal {
		most = max(most, float64(r.nodes[at].logits[a]))
	}
	m := map[game.Action]float64{}
	for _, a := range legal {
		m[a] = math.Exp(float64(r.nodes[at].logits[a]) - most)
		sum += m[a]
	}
	for _, a := range legal {
		m[a] /= sum
	}
	return m
}

func (r *plainPUCT) backup(nodes []*plainNode, edges []*counts, values []float64) {
	for p, v := range values {
		for _, n := range nodes {
			n.sums[p] += v
		}
		for _, k := range edges {
			k.sums[p] += v
		}
	}
	for _, n := range nodes {
		n.visits++
	}
	for _, k := range edges {
		k.visits++
		k.seen = append(k.seen, values)
	}
}

// search makes n simulations, of which up to batchSize await their evaluation at once.
func (r *plainPUCT) search(root game.State, n, batchSize int) {
	for n > 0 {
		var batch []func()
		for n > 0 && len(batch) < batchSize {
			if r.nodes["root"] == nil {
				values := r.meet("root", root)
				r.backup([]*plainNode{r.nodes["root"]}, nil, values)
				if r.gumbel != nil {
					r.gumbel.begin(r, root)
				}
			}
			if evaluated := r.simulate(root); evaluated != nil {
				batch = append(batch, evaluated)
			}
			n--
		}
		for _, evaluated := range batch {
			evaluated()
		}
	}
}

// simulate makes a simulation. If it ends at a state to evaluate, it returns what is to be done
// once the evaluation is there.
func (r *plainPUCT) simulate(root game.State) (evaluated func()) {
	s := r.g.NewState()
	s.CopyFrom(root)
	me := root.CurrentPlayer()
	s.(game.ImperfectInformation).Determinize(r.rng, me)
	at := r.begin(s, r.g.Players())
	nodes, edges := []*plainNode{r.nodes[at]}, []*counts(nil)
	for depth := 1; ; depth++ {
		r.maxDepth = max(r.maxDepth, depth)
		legal := s.LegalActions(nil)
		priors := r.priors(at, legal)
		mass := 0.0
		for _, a := range legal {
			edge := fmt.Sprint(at, " ", a)
			if r.edges[edge] == nil {
				r.edges[edge] = &counts{sums: make([]float64, r.g.Players())}
			}
			r.edges[edge].available++
			if r.edges[edge].visits+r.edges[edge].unseen > 0 {
				mass += priors[a]
			}
		}
		best, score := game.NoAction, math.Inf(-1)
		candidates := legal
		if r.gumbel != nil {
			if best = r.gumbel.choose(r, at, s.CurrentPlayer(), legal, priors); best !=
				game.NoAction {
				candidates = nil
			}
		}
		for _, a := range candidates {
			k := r.edges[fmt.Sprint(at, " ", a)]
			q := 0.0
			switch n := r.nodes[at]; {
			case k.visits > 0:
				q = k.sums[s.CurrentPlayer()] / (float64(k.visits) + r.virtual*float64(k.unseen))
			case r.reduction >= 0:
				if q = n.sums[s.CurrentPlayer()]/float64(n.visits) -
					r.reduction*math.Sqrt(mass); q > 0 {
					q /= 1 + r.virtual*float64(k.unseen)
				}
			}
			if x := q + r.c*priors[a]*math.Sqrt(float64(k.available))/
				float64(1+k.visits+k.unseen); x > score {
				best, score = a, x
			}
		}
		edge := fmt.Sprint(at, " ", best)
		edges = append(edges, r.edges[edge])
		r.acted(s.CurrentPlayer(), best)
		s.Apply(best)
		for s.CurrentPlayer() == game.Chance {
			s.Apply(s.(game.Chancer).Sample(r.rng))
		}
		if s.CurrentPlayer() == game.Nobody {
			u, values := make([]float32, r.g.Players()), make([]float64, r.g.Players())
			s.Returns(u)
			for p := range u {
				values[p] = float64(u[p])
			}
			r.backup(nodes, edges, values)
			return nil
		}
		at = r.at(s, edge)
		met := r.nodes[at] != nil
		if met && !r.nodes[at].awaits {
			nodes = append(nodes, r.nodes[at])
			continue
		}
		values := r.valuesOf(s)
		if !met {
			r.meet(at, s)
		}
		n := r.nodes[at]
		n.awaits = true
		for _, k := range edges {
			k.unseen++
		}
		nodes = append(nodes, n)
		return func() {
			n.awaits = false
			for _, k := range edges {
				k.unseen--
			}
			r.backup(nodes, edges, values)
		}
	}
}

// The reference's priors are float64, the search's float32: if two actions have nearly equal
// scores they may choose differently, which must be rare.
func TestPUCTAgreesWithReference(t *testing.T) {
	const positions = 80
	differ, bounded, depths := 0, 0, [2]int{}
	for i := range uint64(positions) {
		rng := random.New(1, random.Test, 50, i)
		observers := bothObservers[i%2]
		name := []string{
			"turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20",
			"turtle:squares=5,hand=3,players=3", "turtle",
		}[i/2%3]
		g := game.Must(game.New(name))
		s := afterDeal(g, rng, rng.IntN(40))
		n := 1 + rng.IntN(300)
		if i/2%3 == 0 {
			n *= 3
		}
		o := mcts.PUCT{Simulations: n, C: []float64{0.1, 0.8, 2}[rng.IntN(3)]}
		r := &plainPUCT{
			naming: naming{observers: observers}, g: g, c: o.C, reduction: -1,
			rng: random.New(2, random.Test, i), edges: map[string]*counts{},
			nodes: map[string]*plainNode{},
		}
		if rng.IntN(2) == 0 {
			o.FPU, r.reduction = mcts.ParentReduction(0.2), 0.2
		}
		if o.BatchSize = 1; rng.IntN(2) == 0 {
			o.BatchSize = 2 + rng.IntN(9)
			o.VirtualLoss = float64(rng.IntN(2))
			r.virtual = o.VirtualLoss
		}
		z, fraction := []float64{0, 1, 5}[rng.IntN(3)], []float64{0, 0.15, 1}[rng.IntN(3)]
		lower := rng.IntN(2) == 0
		if lower {
			o.FinalSelection = mcts.LowerBound(z, fraction)
		}
		if i%7 < 2 {
			o.Gumbel = mcts.Gumbel{
				Considered: 1 + rng.IntN(6), VisitOffset: 50, ValueScale: 0.1,
				Interior: mcts.Interior(i % 7),
			}
			if i%3 == 0 {
				o.Gumbel.Unscaled = i%2 == 0
				o.Gumbel.Interior = mcts.Interior(rng.IntN(3))
			}
			r.gumbel = &plainGumbel{o: o.Gumbel, simulations: n}
		}
		r.search(s, n, o.BatchSize)
		tree := ismcts.NewPUCT(g, o, observers, random.New(2, random.Test, i))
		tree.Start(s)
		search.Run(tree, &guiding{actions: g.Actions(), players: g.Players()})
		same := true
		priors := r.priors("root", s.LegalActions(nil))
		for _, child := range tree.Children(nil) {
			k := r.edges[fmt.Sprint("root ", child.Action)]
			if math.Abs(priors[child.Action]-float64(child.Prior)) > 1e-6 {
				t.Fatalf("%s: action %d has the prior %v, in the reference %v",
					name, child.Action, child.Prior, priors[child.Action])
			}
			if k.visits != child.Visits ||
				k.visits > 0 &&
					math.Abs(k.sums[0]/float64(k.visits)-float64(child.Value[0])) > 1e-6 {
				same = false
			}
		}
		at := func(a game.Action) *counts { return r.edges[fmt.Sprint("root ", a)] }
		if want, clear := bestByBound(s, at, z, fraction); lower && clear && same &&
			r.gumbel == nil {
			bounded++
			if tree.Best() != want {
				t.Fatalf("%s, %v, z %g, fraction %g: the best is %d, in the reference %d",
					name, observers, z, fraction, tree.Best(), want)
			}
		}
		if r.gumbel != nil && same {
			r.gumbel.compare(t, r, s, tree)
		}
		stats := tree.Stats()
		if same = same && stats.MaxDepth == r.maxDepth && stats.Nodes == len(r.nodes) &&
			!stats.Full; !same {
			differ++
		}
		if stats.Simulations != n {
			t.Fatalf("%d simulations of %d", stats.Simulations, n)
		}
		depths[observers] += stats.MaxDepth
	}
	if bounded < 20 {
		t.Errorf("%d choices by the lower bound: hardly anything is tested", bounded)
	}
	if differ > 1 {
		t.Errorf("%d of %d searches differ from the reference", differ, positions)
	}
	if depths[0] < 3*positions/2 || depths[1] < positions {
		t.Errorf("the depths sum to %v: hardly anything is tested", depths)
	}
}

// openly makes a game without hidden information implement game.ImperfectInformation.
type openly struct{ game.Game }

func (o openly) NewState() game.State { return &openState{o.Game.NewState()} }

type openState struct{ game.State }

func (s *openState) CopyFrom(src game.State) {
	s.State.CopyFrom(src.(*openState).State)
}
func (*openState) Determinize(*rand.Rand, game.Player)      {}
func (s *openState) InformationStateKey(game.Player) uint64 { return s.Hash() }

// If nothing is hidden, information-set search equals PUCT.
func TestPUCTIsPUCTWhereNothingIsHidden(t *testing.T) {
	inner := game.Must(game.New("mnk:rows=5,columns=5,in_row=4"))
	g := openly{inner}
	for i, o := range []mcts.PUCT{
		{Simulations: 400, C: 0.8},
		{Simulations: 400, C: 2, FPU: mcts.ParentReduction(0.2)},
		{Simulations: 300, C: 1, Noise: 0.5},
		{Simulations: 400, C: 1, FPU: mcts.ParentReduction(0.1),
			FinalSelection: mcts.LowerBound(1, 0.15)},
		{Simulations: 300, Gumbel: mcts.PublishedGumbel()},
		{Simulations: 300, C: 1,
			Gumbel: mcts.Gumbel{
				Considered: 5, VisitOffset: 30, ValueScale: 0.2, Interior: mcts.ByPUCT,
			}},
		{Simulations: 300,
			Gumbel: mcts.Gumbel{Considered: 30, VisitOffset: 50, ValueScale: 0.05}, BatchSize: 4},
	} {
		samePUCT(t, inner, g, o, bothObservers[i/3%2], &guiding{actions: g.Actions(), players: 2})
		if o.Simulations /= 4; !o.Gumbel.On() { // many are equal
			samePUCT(t, inner, g, o, bothObservers[i/3%2], search.NewConstant(g, 0.5))
		}
	}
}

// samePUCT compares a search of a game without hidden information with one of its information sets.
func samePUCT(
	t *testing.T, inner, g game.Game, o mcts.PUCT, observers ismcts.Observers, e search.Evaluator,
) {
	t.Helper()
	value := [2][]float32{{9, 9}, {9, 9}}
	tree := mcts.NewPUCT(inner, o, random.New(1, random.Test, 51))
	tree.Start(inner.NewState())
	sets := ismcts.NewPUCT(g, o, observers, random.New(1, random.Test, 51))
	sets.Start(g.NewState())
	if sets.Value(value[1]); value[1][0] != 0 || value[1][1] != 0 || sets.Best() >= 0 ||
		len(sets.Children(nil)) != 0 || len(sets.PrincipalVariation(nil)) != 0 {
		t.Errorf("%+v: before the search the values are %v, the best action is %d",
			o, value[1], sets.Best())
	}
	search.Run(tree, e)
	search.Run(sets, e)
	found := [2][]search.Child{tree.Children(nil), sets.Children(nil)}
	if len(found[0]) != len(found[1]) {
		t.Fatalf("%d children, and %d", len(found[0]), len(found[1]))
	}
	for k := range found[0] {
		if found[0][k] != found[1][k] {
			t.Errorf("%+v: PUCT finds %+v, by information sets %+v", o, found[0][k], found[1][k])
		}
	}
	tree.Value(value[0])
	sets.Value(value[1])
	if tree.Best() != sets.Best() || !slices.Equal(value[0], value[1]) ||
		!slices.Equal(sets.PrincipalVariation(nil), []game.Action{tree.Best()}) {
		t.Errorf("%+v: the best is %d, of value %v; by information sets %d, %v, variation %v",
			o, tree.Best(), value[0], sets.Best(), value[1], sets.PrincipalVariation(nil))
	}
	for draw := range uint64(5) {
		if a, b := tree.Choose(1, random.New(draw, random.Test)),
			sets.Choose(1, random.New(draw, random.Test)); a != b {
			t.Errorf("%+v: drawn is %d, by information sets %d", o, a, b)
		}
	}
}

// A search allocates nothing and continues when the tree is full; a larger budget
// gets more room.
func TestPUCTMemory(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rng := random.New(1, random.Test, 52)
	s := afterDeal(g, rng, 10)
	e := search.NewConstant(g, 0.5)
	o := mcts.PUCT{Simulations: 100, C: 0.8, MaxNodes: 20, Noise: 0.25}
	for _, observers := range bothObservers {
		puctMemory(t, g, s, e, o, observers, rng)
	}
	o.FinalSelection = mcts.LowerBound(5, 0.15)
	for _, observers := range bothObservers {
		puctMemory(t, g, s, e, o, observers, rng)
	}
}

func puctMemory(
	t *testing.T, g game.Game, s game.State, e search.Evaluator, o mcts.PUCT,
	observers ismcts.Observers, rng *rand.Rand,
) {
	tree := ismcts.NewPUCT(g, o, observers, rng)
	run := func() {
		tree.Start(s)
		search.Run(tree, e)
	}
	if n := testing.AllocsPerRun(5, run); n > 0 {
		t.Errorf("a search allocates %v times", n)
	}
	if stats := tree.Stats(); !stats.Full || stats.Nodes != 20 || stats.Simulations != 100 {
		t.Errorf("%+v", stats)
	}
	o.MaxNodes = 0
	tree = ismcts.NewPUCT(g, o, observers, rng)
	tree.SetSimulations(500)
	run()
	if stats := tree.Stats(); stats.Full || stats.Simulations != 500 {
		t.Errorf("%+v", stats)
	}
	tree.SetTime(1)
	run()
	if stats := tree.Stats(); stats.Simulations != 1 {
		t.Errorf("without time a search makes %d simulations, where 1 is wanted", stats.Simulations)
	}
}
