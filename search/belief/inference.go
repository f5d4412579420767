package belief

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Inference is a search.Dealer that believes that others have played by a policy, such as that of
// the network that is asked: it draws worlds consistent with what a seat sees, asks for the policy
// of each decision that others made in each of them, and weighs the world by the product of the
// probabilities of what they did. With enough worlds this is the posterior by Bayes' rule of a
// player whose opponents play by that policy. It is for games that tell their history
// (game.Chronicler). It is used by one goroutine.
type Inference struct {
	g      game.Game
	worlds []inferred
	seat   game.Player
	key    uint64
	ready  bool
	asked  []asked
	known  map[question]int // by what is to be decided, its index in asked
	next   int              // of asked: the first that has not been sent
	sent   int              // those of the batch under way

	initial game.State
	play    game.State // scratch
	actions []game.Action
	legal   []game.Action
}

// inferred is a world with its decisions.
type inferred struct {
	state  game.State
	made   []decision
	weight float64
}

// decision is what another did in a world: option of asked number ask.
type decision struct{ ask, option int32 }

// question is what another saw when it decided.
type question struct {
	seat game.Player
	key  uint64
}

// asked is a decision whose policy is asked for.
type asked struct {
	state game.State
	legal []game.Action
	logs  []float64 // logarithms of the probabilities
}

// NewInference makes an Inference for games of g with so many worlds, at least 1. It returns an
// error if states of g do not tell their history, or hide nothing.
func NewInference(g game.Game, worlds int) (*Inference, error) {
	s := g.NewState()
	_, hidden := s.(game.ImperfectInformation)
	if _, ok := s.(game.Chronicler); !ok || !hidden {
		return nil,
			fmt.Errorf(
				"what others did can't be weighed in %s, whose states do not tell their history",
				g.Name())
	}
	if worlds < 1 {
		return nil, fmt.Errorf("%d worlds to draw from; at least 1 is wanted", worlds)
	}
	f := &Inference{
		g: g, worlds: make([]inferred, worlds), known: map[question]int{},
		initial: g.NewState(), play: s,
	}
	for i := range f.worlds {
		f.worlds[i].state = g.NewState()
	}
	return f, nil
}

// Begin draws worlds for seat, which is to move in s, and forgets the others.
func (f *Inference) Begin(s game.State, seat game.Player, rng *rand.Rand) {
	f.seat, f.key, f.ready = seat, s.(game.ImperfectInformation).InformationStateKey(seat), false
	f.asked, f.next, f.sent = f.asked[:0], 0, 0
	clear(f.known)
	for i := range f.worlds {
		w := &f.worlds[i]
		w.state.CopyFrom(s)
		w.state.(game.ImperfectInformation).Determinize(rng, seat)
		f.trace(w)
	}
}

// trace lists the decisions of others in a world.
func (f *Inference) trace(w *inferred) {
	w.made = w.made[:0]
	f.actions = w.state.(game.Chronicler).History(f.actions[:0])
	f.play.CopyFrom(f.initial)
	for _, a := range f.actions {
		if p := f.play.CurrentPlayer(); p >= 0 && p != f.seat {
			if f.legal = f.play.LegalActions(f.legal[:0]); len(f.legal) > 1 {
				w.made = append(w.made, f.decide(p, a))
			}
		}
		f.play.Apply(a)
	}
}

// decide returns the decision of p for a in f.play, whose legal actions are f.legal.
func (f *Inference) decide(p game.Player, a game.Action) decision {
	q := question{p, f.play.(game.ImperfectInformation).InformationStateKey(p)}
	i, ok := f.known[q]
	if !ok {
		i = len(f.asked)
		f.known[q] = i
		if i < cap(f.asked) {
			f.asked = f.asked[:i+1]
		} else {
			f.asked = append(f.asked, asked{})
		}
		x := &f.asked[i]
		if x.state == nil {
			x.state = f.g.NewState()
		}
		x.state.CopyFrom(f.play)
		x.legal = append(x.legal[:0], f.legal...)
	}
	for k, b := range f.legal {
		if a == b {
			return decision{int32(i), int32(k)}
		}
	}
	return decision{int32(i), 0} // the history is wrong
}

// Advance adds up to most of the decisions whose policies are still to be asked for, and returns
// true when there are none, so that Deal draws by the weights.
func (f *Inference) Advance(requests search.Requests, most int) (done bool) {
	if f.ready {
		return true
	}
	if f.next == len(f.asked) {
		f.weigh()
		return true
	}
	for f.sent = 0; f.sent < most && f.next+f.sent < len(f.asked); f.sent++ {
		requests.Add(f.asked[f.next+f.sent].state)
	}
	return false
}

// Deliver takes the evaluations of the states that the last Advance added.
func (f *Inference) Deliver(rows search.Evaluations) {
	for i := range f.sent {
		x := &f.asked[f.next+i]
		x.logs = x.logs[:0]
		top := math.Inf(-1)
		for _, a := range x.legal {
			z := 0.0
			if len(rows.Policy) > 0 {
				z = float64(rows.Logits(i)[a])
			}
			x.logs = append(x.logs, z)
			top = max(top, z)
		}
		sum := 0.0
		for _, z := range x.logs {
			sum += math.Exp(z - top)
		}
		for k := range x.logs {
			x.logs[k] -= top + math.Log(sum)
		}
	}
	f.next, f.sent = f.next+f.sent, 0
}

// weigh computes the weights.
func (f *Inference) weigh() {
	f.ready = true
	top := math.Inf(-1)
	for i := range f.worlds {
		w := &f.worlds[i]
		w.weight = 0
		for _, d := range w.made {
			w.weight += f.asked[d.ask].logs[d.option]
		}
		top = max(top, w.weight)
	}
	for i := range f.worlds {
		w := &f.worlds[i]
		w.weight = math.Exp(w.weight - top)
		if math.IsNaN(w.weight) { // an evaluation that is no number: all worlds are equally likely
			w.weight = 1
		}
	}
}

// Deal implements search.Dealer. In an information set for which no inference has been made it
// draws as Determinize does.
func (f *Inference) Deal(s game.State, seat game.Player, rng *rand.Rand) {
	if !f.ready || seat != f.seat ||
		s.(game.ImperfectInformation).InformationStateKey(seat) != f.key {
		s.(game.ImperfectInformation).Determinize(rng, seat)
		return
	}
	total := 0.0
	for i := range f.worlds {
		total += f.worlds[i].weight
	}
	x := rng.Float64() * total
	chosen := len(f.worlds) - 1
	for i := range f.worlds {
		if x -= f.worlds[i].weight; x < 0 {
			chosen = i
			break
		}
	}
	s.CopyFrom(f.worlds[chosen].state)
}
