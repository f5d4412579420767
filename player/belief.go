package player

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/search"
	"tengen/search/belief"
	"tengen/search/nneval"
)

// Belief is what a player believes of what it can't see: its determinizations are drawn by it
// (package belief) instead of uniformly. The network is evaluated once a decision, on the
// processor, for the position as the player to move sees it.
type Belief struct {
	Label   string      // names the network: a path
	Weights *nn.Weights // of nn.FoldBelief
	Worlds  int         // determinizations of which one is drawn, at least 1
	// PassedOver are errors of newer checkpoints that are damaged and were not loaded: a warning
	// for the user.
	PassedOver []error
	// Planes are those of the game's observation that the network sees, nil for all
	// (nneval.Options).
	Planes []int
}

const (
	noBelief   = "none"
	mostWorlds = 100_000
)

// beliefParams are the keys of players that draw what is hidden.
var beliefParams = []notation.Param{
	{Key: beliefKey, Default: noBelief, Help: "if information is hidden: NETWORK (a run, a checkpoint or a pretrained network with a belief head) draws it by what it believes; none: uniformly"},
	{Key: "worlds", Default: fmt.Sprint(belief.DefaultWorlds),
		Help: "with belief: determinizations of which one is drawn"},
}

// readBelief reads beliefParams; nil for none.
func readBelief(g game.Game, v *notation.Values) (*Belief, error) {
	path, worlds := v.String("belief"), v.Int("worlds", 1, mostWorlds)
	switch {
	case path == noBelief && v.Given("worlds"):
		v.Fail("worlds", "it is for players with belief=NETWORK")
		return nil, nil
	case path == noBelief:
		return nil, nil
	case !hides(g):
		return nil, fmt.Errorf("belief=%s: nothing is hidden in %s", path, g.Name())
	}
	model, planes, err := load(g, path)
	if err != nil {
		return nil, fmt.Errorf("belief: %w", err)
	}
	b, err := NewBelief(g, path, model.Params, worlds, planes)
	if err != nil {
		return nil, err
	}
	b.PassedOver = model.PassedOver
	return b, nil
}

// NewBelief makes the belief of a network that plays g, and sees the given planes (Belief.Planes).
// It returns an error if the network has no belief head, or one that learned of other hidden facts,
// or if nneval.Probe does.
func NewBelief(
	g game.Game, label string, params *nn.Params, worlds int, planes []int,
) (*Belief, error) {
	weights, err := nn.FoldBelief(params)
	if err != nil {
		return nil, fmt.Errorf("belief=%s: %w", label, err)
	}
	learned, facts := weights.Spec().Auxiliary.Belief, game.HiddenFactsOf(g)
	if len(learned) != len(facts) {
		return nil, fmt.Errorf(
			"belief=%s: the network has learned of %d hidden facts, and %s has %d",
			label, len(learned), g.Name(), len(facts))
	}
	for i, f := range facts {
		if learned[i] != f.Classes {
			return nil,
				fmt.Errorf("belief=%s: the network has learned of %d classes of %s, and %s has %d",
					label, learned[i], f.Name, g.Name(), f.Classes)
		}
	}
	if err := nneval.Probe(g, weights, "belief="+label, planes); err != nil {
		return nil, err
	}
	return &Belief{Label: label, Weights: weights, Worlds: worlds, Planes: planes}, nil
}

// key returns ",belief=…" for a player's name, "" for none.
func (b *Belief) key() string {
	switch {
	case b == nil:
		return ""
	case b.Worlds != belief.DefaultWorlds:
		return fmt.Sprintf(",belief=%s,worlds=%d", notation.Quote(b.Label), b.Worlds)
	}
	return ",belief=" + notation.Quote(b.Label)
}

// Believer evaluates a Belief. It is used by one goroutine.
type Believer struct {
	evaluator nn.Evaluator
	batch     *nn.Batch
	sampler   *belief.Sampler
	planes    []int     // Belief.Planes
	whole     []float32 // an observation, if planes is not nil
}

// NewBeliever makes a Believer for games of g.
func (b *Belief) NewBeliever(g game.Game) *Believer {
	x := &Believer{evaluator: b.Weights.NewEvaluator(), planes: b.Planes}
	if b.Planes != nil {
		x.whole = make([]float32, g.Planes().Size())
	}
	x.batch = x.evaluator.NewBatch(1)
	x.batch.N = 1
	var err error
	if x.sampler, err = belief.New(g, b.Worlds); err != nil {
		panic(err) // NewBelief has checked it
	}
	return x
}

// Logits returns what the network says of s to its player to move: the log likelihood of each class
// of each hidden fact, up to a constant for each, [classes of all facts]. They are valid until
// the next call.
func (x *Believer) Logits(s game.State) []float32 {
	if x.planes == nil {
		s.Observation(x.batch.Observations)
	} else {
		s.Observation(x.whole)
		nneval.SelectPlanes(x.batch.Observations, x.whole, x.planes)
	}
	if err := x.evaluator.Evaluate(x.batch); err != nil {
		panic(err) // the processor returns none
	}
	return x.batch.Belief
}

// Guess is what is believed of a hidden fact.
type Guess struct {
	Fact     game.HiddenFact
	Believed []float32 // probability of each class
	Prior    []float32 // the same by counting
	True     int       // the class that is true
}

// Gain is by how much the belief differs from counting: the relative entropy, in nats.
func (g *Guess) Gain() float64 {
	sum := 0.0
	for i, p := range g.Believed {
		if p > 0 {
			sum += float64(p) * math.Log(float64(p)/float64(g.Prior[i]))
		}
	}
	return sum
}

// Guesses returns what the player to move in s believes of each fact that is hidden from it. s is
// the true state: Guesses is for those who look on.
func (x *Believer) Guesses(g game.Game, s game.State) []Guess {
	facts := game.HiddenFactsOf(g)
	classes := make([]int8, len(facts))
	priors, believed := make([]float32, x.sampler.Classes()), make([]float32, x.sampler.Classes())
	s.(game.HiddenFactState).HiddenFacts(s.CurrentPlayer(), classes)
	s.(game.HiddenFactState).HiddenFactPriors(s.CurrentPlayer(), priors)
	belief.Distributions(facts, believed, priors, x.Logits(s))
	var list []Guess
	for i, f := range facts {
		if classes[i] >= 0 {
			list = append(list,
				Guess{
					f, believed[:f.Classes:f.Classes], priors[:f.Classes:f.Classes],
					int(classes[i]),
				})
		}
		believed, priors = believed[f.Classes:], priors[f.Classes:]
	}
	return list
}

// dealing is a search that may be given a dealer.
type dealing interface{ SetDealer(d search.Dealer) }

// believer makes what an agent with belief b calls before each search; nil for none.
func believer(b *Belief, g game.Game, search any) func(s game.State) {
	if b == nil {
		return nil
	}
	x := b.NewBeliever(g)
	search.(dealing).SetDealer(x.sampler)
	return func(s game.State) { x.sampler.Set(s, s.CurrentPlayer(), x.Logits(s)) }
}

// beliefDraws draws what is hidden in the searches of one agent by what a Believer says, which
// several agents may share.
type beliefDraws struct{ sampler *belief.Sampler }

// newBeliefDraws gives tree, which searches games of g, beliefDraws from so many worlds, at least
// 1. Until believe determinizations are drawn uniformly.
func newBeliefDraws(g game.Game, tree Tree, worlds int) *beliefDraws {
	sampler, err := belief.New(g, worlds)
	if err != nil {
		panic("player: " + err.Error()) // AlphaZero.Check has checked
	}
	tree.(dealing).SetDealer(sampler)
	return &beliefDraws{sampler}
}

// believe draws by what x says to the player to move in s, in searches of s; x nil: uniformly. It
// does not allocate.
func (d *beliefDraws) believe(x *Believer, s game.State) {
	if x == nil {
		d.sampler.Forget()
		return
	}
	d.sampler.Set(s, s.CurrentPlayer(), x.Logits(s))
}

// believing is a Player with a belief.
type believing interface{ belief() *Belief }

func (u UCT) belief() *Belief        { return u.Belief }
func (n *AlphaZero) belief() *Belief { return n.Belief }
func (m *Minimax) belief() *Belief   { return m.Belief }

// Believes reports whether a player has a belief, which is evaluated on the processor wherever the
// player's network is.
func Believes(p Player) bool { return beliefOf(p) != nil }

// beliefOf returns the belief of a player, nil if it has none.
func beliefOf(p Player) *Belief {
	if x, ok := as[believing](p); ok {
		return x.belief()
	}
	return nil
}
