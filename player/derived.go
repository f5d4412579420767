package player

import (
	"fmt"
	"math/rand/v2"

	"tengen/clock"
	"tengen/game"
	"tengen/game/abstraction"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/search"
)

// Abstracted is a player that searches an abstraction of its game, such as representative
// moves: at each decision it searches the image of the position in the derived game, and plays
// the action of the real game that the chosen action stands for. It keeps nothing from one
// decision to the next, since the image of a later position can't be reached from that of an
// earlier one.
type Abstracted struct {
	// Player searches the derived game.
	Player
	Abstraction game.Abstraction
	// Observed is the game whose observations a network reads: the original game if the derived
	// one has the same observations.
	Observed game.Game
	keys     string // as Parse reads them
}

// Name implements Player.
func (a *Abstracted) Name() string { return a.Player.Name() + "," + a.keys }

// Within implements Wrapper.
func (a *Abstracted) Within() Player { return a.Player }

// NewEvaluator makes the evaluator of the inner player.
func (a *Abstracted) NewEvaluator(_ game.Game, capacity int) search.Evaluator {
	return a.Player.NewEvaluator(a.Observed, capacity)
}

// NewAgent implements Player.
func (a *Abstracted) NewAgent(g game.Game) Agent {
	derived := a.Abstraction.Game()
	return &abstractedAgent{
		within: a.Player.NewAgent(derived), abstraction: a.Abstraction, game: g, derived: derived,
		image: derived.NewState(), state: g.NewState(),
	}
}

// forgetful is an agent whose search follows the game. forget tells it that an unknown action
// was played, so that it starts its next search anew.
type forgetful interface{ forget() }

type abstractedAgent struct {
	within      Agent
	abstraction game.Abstraction
	game        game.Game
	derived     game.Game
	image       game.State // of state
	state       game.State // the position searched
	busy        bool       // the search awaits evaluations
}

func (a *abstractedAgent) Begin(rng *rand.Rand) {
	a.busy = false
	a.within.Begin(rng)
}

func (a *abstractedAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !a.busy {
		a.state.CopyFrom(s)
		a.abstraction.Abstract(a.image, s)
	}
	action, decided := a.within.Think(a.image, requests)
	if a.busy = !decided; a.busy {
		return game.NoAction, false
	}
	return a.abstraction.Realise(s, action), true
}

func (a *abstractedAgent) Deliver(evaluations search.Evaluations) { a.within.Deliver(evaluations) }

func (a *abstractedAgent) Played(game.Action) {
	if f, ok := a.within.(forgetful); ok {
		f.forget()
	}
}

// SetDeadline implements Deadlined.
func (a *abstractedAgent) SetDeadline(d clock.Deadline) { setDeadline(a.within, d) }

// Result implements Searching. Its actions are those of the derived game.
func (a *abstractedAgent) Result() search.Result { return a.within.(Searching).Result() }

// Analysis implements Analyzer. An action of the game has the visits of all
// actions of the derived game that stand for it, and the value of the most
// visited one. The principal variation is one action long.
func (a *abstractedAgent) Analysis() Analysis {
	found := a.within.(Analyzer).Analysis()
	v := Analysis{Value: found.Value, Full: found.Full, Turns: found.Turns, Scale: found.Scale}
	for _, action := range a.state.LegalActions(nil) {
		c := Considered{Action: action, Value: make([]float32, a.game.Players())}
		most := -1
		for _, m := range found.Moves {
			if a.abstraction.Realise(a.state, m.Action) != action {
				continue
			}
			c.Visits += m.Visits
			if m.Visits > most {
				most = m.Visits
				copy(c.Value, m.Value)
			}
		}
		v.Moves = append(v.Moves, c)
	}
	if len(found.PrincipalVariation) > 0 {
		v.PrincipalVariation = []game.Action{
			a.abstraction.Realise(a.state, found.PrincipalVariation[0]),
		}
	}
	return v
}

// Kinds of abstraction.
const (
	noAbstraction  = "false"
	ownAbstraction = "true"     // the game's own
	byClusters     = "clusters" // of k-means
	byLot          = "random"   // of random classes

	rootMapped = "mapped" // the game's own abstraction from the root on
	rootReal   = "real"   // from the next turn on
)

// abstractionParams are the keys of players that can search an abstraction.
var abstractionParams = []notation.Param{
	{Key: "rm", Help: "representative moves: true (the game's own), clusters (classes of actions found by k-means), random (the same number of random classes); default: false"},
	{Key: "classes",
		Help: "number of classes for rm=clusters or random; default: chosen from the data"},
	{Key: "class_seed", Help: "seed for finding or drawing the classes; default: 1"},
	{Key: "full_turns",
		Help: "turns searched with all actions before classes replace them; default: 0"},
}

// rootParam says where the game's own abstraction begins. Players with networks have another
// key of that name.
var rootParam = notation.Param{Key: "root", Help: "with rm=true: mapped (representatives stand for the hand in this turn too, and a chosen one for the card in hand that is greatest in its value), or real (cards of the hand in this turn, representatives from the next on); default: mapped"}

// readAbstraction returns the abstraction of g that the keys ask for, nil for none, and the
// keys as a player's name has them. rooted says that the players have rootParam.
func readAbstraction(
	g game.Game, v *notation.Values, rooted bool,
) (x game.Abstraction, keys string, err error) {
	kind := noAbstraction
	if v.Given("rm") {
		kind = v.Choice("rm", noAbstraction, ownAbstraction, byClusters, byLot)
	}
	if kind == noAbstraction || kind == ownAbstraction {
		for _, key := range []string{"classes", "class_seed", "full_turns"} {
			if v.Given(key) {
				v.Fail(key, "is for rm=clusters and rm=random only")
			}
		}
	}
	rooted = rooted && v.Given("root")
	if rooted && kind != ownAbstraction {
		v.Fail("root", "is for rm=true only")
	}
	if kind == noAbstraction || v.Err() != nil {
		return nil, "", v.Err()
	}
	if kind == ownAbstraction && rooted && v.Choice("root", rootMapped, rootReal) == rootReal {
		if a, ok := g.(game.RootAbstracted); ok {
			x = a.RootAbstraction()
		}
		if x == nil {
			return nil, "", fmt.Errorf("root=real: %s has no such abstraction", g.Name())
		}
		return x, "rm=true,root=real", nil
	}
	if v.Err() != nil {
		return nil, "", v.Err()
	}
	if kind == ownAbstraction {
		if a, ok := g.(game.Abstracted); ok {
			x = a.Abstraction()
		}
		if x == nil {
			return nil, "", fmt.Errorf("rm=true: %s has no abstraction of its own", g.Name())
		}
		return x, "rm=true", nil
	}
	learning := abstraction.Learning{}
	if v.Given("classes") {
		learning.Classes = v.Int("classes", 1, abstraction.MostClasses)
	}
	seed, full := uint64(1), 0
	if v.Given("class_seed") {
		seed = uint64(v.Int("class_seed", 0, 1<<53))
	}
	if v.Given("full_turns") {
		full = v.Int("full_turns", 0, 1000)
	}
	if v.Err() != nil {
		return nil, "", v.Err()
	}
	classes, err := abstraction.Learn(g, learning, random.New(seed, random.Classes))
	if err != nil {
		return nil, "", fmt.Errorf("rm=%s: %w", kind, err)
	}
	if kind == byLot {
		classes = classes.Random(seed)
	}
	x, err = abstraction.New(g, classes, abstraction.Options{Full: full})
	if err != nil {
		return nil, "", fmt.Errorf("rm=%s: %w", kind, err)
	}
	keys = fmt.Sprintf("rm=%s,classes=%d", kind, classes.K)
	if seed != 1 {
		keys += fmt.Sprintf(",class_seed=%d", seed)
	}
	if full > 0 {
		keys += fmt.Sprintf(",full_turns=%d", full)
	}
	return x, keys, nil
}

// makeAbstracted makes a player of g of kind k, which searches an abstraction if the keys ask
// for one.
func (k *kind) makeAbstracted(g game.Game, v *notation.Values) (Player, error) {
	x, keys, err := readAbstraction(g, v, !k.path)
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		return k.make(g, v)
	}
	a := &Abstracted{Abstraction: x, Observed: x.Game(), keys: keys}
	if _, ok := x.(*abstraction.Abstraction); ok {
		a.Observed = g
	}
	of := x.Game()
	if k.path {
		of = a.Observed // the game on which the network was trained
	}
	if a.Player, err = k.make(of, v); err != nil {
		return nil, err
	}
	if b := beliefOf(a.Player); b != nil {
		return nil,
			fmt.Errorf(
				"belief=%s: none is wanted with rm, whose determinizations are of the derived game",
				b.Label)
	}
	switch p := a.Player.(type) { // nothing is kept
	case *AlphaZero:
		p.PUCT.Reuse, p.ReuseSets = false, false
	case UCT:
		p.Reuse = false
		a.Player = p
	}
	return a, nil
}

// Open is a player that sees everything in a game with hidden information: the hidden
// parts of the position, though not future outcomes of chance. It does not play by the
// rules; its strength is an upper bound. It searches the open game (game.Openable).
type Open struct {
	// Player plays the open game, in which nothing is hidden.
	Player
	Game game.Game // the open game
}

// Name implements Player.
func (o *Open) Name() string { return o.Player.Name() + ",open=true" }

// Within implements Wrapper.
func (o *Open) Within() Player { return o.Player }

// NewAgent implements Player.
func (o *Open) NewAgent(g game.Game) Agent {
	return &openAgent{
		Agent: o.Player.NewAgent(o.Game), game: g.(game.Openable), state: o.Game.NewState(),
	}
}

// Seer is an Agent that sees everything: a Game gives it the true state.
type Seer interface{ SeesAll() bool }

// SeesAll reports whether an agent sees everything.
func SeesAll(a Agent) bool {
	seer, ok := a.(Seer)
	return ok && seer.SeesAll()
}

// openAgent plays what the inner agent decides in the open position.
type openAgent struct {
	Agent
	game     game.Openable
	state    game.State // of the open game
	thinking bool       // state is the position to decide in
}

func (o *openAgent) Begin(rng *rand.Rand) {
	o.thinking = false
	o.Agent.Begin(rng)
}

func (o *openAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !o.thinking {
		o.game.LayOpen(o.state, s)
	}
	a, decided := o.Agent.Think(o.state, requests)
	o.thinking = !decided
	return a, decided
}

// SeesAll implements Seer.
func (o *openAgent) SeesAll() bool { return true }

// SetDeadline implements Deadlined.
func (o *openAgent) SetDeadline(d clock.Deadline) { setDeadline(o.Agent, d) }

// Result implements Searching.
func (o *openAgent) Result() search.Result { return o.Agent.(Searching).Result() }

// Analysis implements Analyzer.
func (o *openAgent) Analysis() Analysis { return o.Agent.(Analyzer).Analysis() }

// openParam is the key that makes a player an Open one.
var openParam = notation.Param{Key: "open", Help: "true: sees hidden information, as an upper bound of strength, in games with the parameter hands; default: false"}

// laidOpen returns a build function that wraps players in an Open one if open=true is given.
func laidOpen(
	build func(game.Game, *notation.Values) (Player, error),
) func(game.Game, *notation.Values) (Player, error) {
	return func(g game.Game, v *notation.Values) (Player, error) {
		if !v.Given("open") || !v.Bool("open") {
			return build(g, v)
		}
		var open game.Game
		if o, ok := g.(game.Openable); ok {
			open = o.Opened()
		}
		if open == nil {
			return nil, fmt.Errorf("open=true: %s hides nothing that could be laid open", g.Name())
		}
		p, err := build(open, v)
		if err != nil {
			return nil, err
		}
		return &Open{p, open}, nil
	}
}
