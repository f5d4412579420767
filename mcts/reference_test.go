package mcts_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// slow is UCT or PUCT with pointers and maps, written from the formulas, as a reference for the
// fast tree. It copies the state of every node and evaluates immediately.
type slow struct {
	g        game.Game
	evaluate func(game.State) (logits, values []float32)
	rng      *rand.Rand

	simulations int
	maxNodes    int // 0 is no bound
	reuse       bool

	puct     bool
	c, scale float64
	firstPlay
	noise     float64
	batchSize int     // evaluations awaited at once; 0 is 1
	virtual   float64 // virtual loss
	gumbel    *slowGumbel
	picking
	balanced bool   // PUCT.Balanced
	proofs   bool   // PUCT.Proofs
	random   uint64 // of the search at hand, if it is

	root *slowNode
	full bool
}

type slowNode struct {
	state    game.State
	visits   int
	sum      []float64
	seen     [][]float64             // the utilities of each visit
	own      [][]float64             // of those that ended here
	proven   []float64               // the value, if it is proven
	priors   map[game.Action]float32 // nil until evaluated, and in UCT
	clean    map[game.Action]float32 // the priors before noise, where there is noise
	untried  []game.Action           // of UCT
	order    []game.Action           // in which the children were added
	children map[game.Action]*slowNode

	unseen int     // simulations under way through the node
	q      float64 // its Q before the first visit, to the player who chose it
	awaits bool    // its evaluation
}

// awaited is a simulation under way.
type awaited struct {
	path     []*slowNode
	expanded *slowNode  // nil for none
	collided bool       // with a simulation that awaits the same evaluation
	state    game.State // to evaluate
}

func (r *slow) node(s game.State) *slowNode {
	n := &slowNode{
		state: s, sum: make([]float64, r.g.Players()), children: map[game.Action]*slowNode{},
	}
	if !r.puct && n.choice() {
		n.untried = s.LegalActions(nil)
	}
	return n
}

// choice reports whether a player has more than one legal action.
func (n *slowNode) choice() bool { return isChoice(n.state) }

func isChoice(s game.State) bool { return s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) > 1 }

func (n *slowNode) count() int {
	total := 1
	for _, c := range n.children {
		total += c.count()
	}
	return total
}

func (r *slow) start(s game.State) { r.root = r.node(copyOf(r.g, s)) }

func (r *slow) play(a game.Action) {
	next := copyOf(r.g, r.root.state)
	next.Apply(a)
	if child := r.root.children[a]; child != nil && r.reuse {
		r.root = child
		return
	}
	r.root = r.node(next)
}

func (r *slow) search() {
	r.full = false
	if r.root.state.CurrentPlayer() == game.Nobody {
		return
	}
	if r.balanced {
		r.random = r.rng.Uint64()
	}
	if r.puct && r.root.choice() {
		if r.root.priors == nil {
			r.backup([]*slowNode{r.root}, r.expand(r.root))
		}
		r.mixNoise()
		if r.gumbel != nil {
			r.gumbel.begin(r)
		}
	}
	batchSize := max(1, r.batchSize)
	for left := r.simulations; left > 0 && r.root.proven == nil; {
		var batch []awaited
		asked, collisions := 0, 0
		for left > asked && asked < batchSize && collisions < batchSize && r.root.proven == nil {
			x, ended := r.simulate()
			switch {
			case ended:
				left--
				continue
			case x.collided:
				collisions++
			default:
				asked++
			}
			for _, n := range x.path {
				n.unseen++
			}
			batch = append(batch, x)
		}
		for _, x := range batch {
			for _, n := range x.path {
				n.unseen--
			}
			switch {
			case x.collided:
				continue
			case x.expanded != nil:
				x.expanded.awaits = false
				r.backup(x.path, r.expand(x.expanded))
			default:
				_, values := r.evaluate(x.state)
				r.backup(x.path, wide(values))
			}
			left--
		}
	}
}

// expand gives a node its priors, and returns the utilities.
func (r *slow) expand(n *slowNode) []float64 {
	logits, values := r.evaluate(n.state)
	if r.puct {
		legal := n.state.LegalActions(nil)
		row := make([]float32, len(legal))
		for i, a := range legal {
			row[i] = logits[a]
		}
		planning.Softmax(row, row)
		n.priors = map[game.Action]float32{}
		for i, a := range legal {
			n.priors[a] = row[i]
		}
	}
	return wide(values)
}

func wide(values []float32) []float64 {
	w := make([]float64, len(values))
	for i, v := range values {
		w[i] = float64(v)
	}
	return w
}

func (r *slow) returns(s game.State) []float64 {
	values := make([]float32, r.g.Players())
	s.Returns(values)
	return wide(values)
}

func (r *slow) mixNoise() {
	if r.noise == 0 || r.gumbel != nil {
		return
	}
	n := r.root
	legal := n.state.LegalActions(nil)
	eta := make([]float64, len(legal))
	planning.Dirichlet(eta, 10/float64(len(legal)), r.rng)
	n.clean = n.priors
	n.priors = map[game.Action]float32{}
	for i, a := range legal {
		n.priors[a] = float32((1-r.noise)*float64(n.clean[a]) + r.noise*eta[i])
	}
}

// simulate makes a simulation as far as it gets without an evaluation: to its end, or to one
// that is under way.
func (r *slow) simulate() (x awaited, ended bool) {
	n := r.root
	path := []*slowNode{n}
	for {
		var a game.Action
		switch mover := n.state.CurrentPlayer(); {
		case mover == game.Nobody:
			r.backup(path, r.returns(n.state))
			return x, true
		case n.proven != nil:
			r.backup(path, n.proven)
			return x, true
		case mover == game.Chance && r.balanced && !r.full:
			a = r.lagging(n, len(path))
		case mover == game.Chance:
			a = n.state.(game.Chancer).Sample(r.rng)
		case !n.choice():
			a = n.state.LegalActions(nil)[0]
		case r.full && len(n.order) == 0:
			return awaited{path: path, state: n.state}, false
		case n.awaits:
			return awaited{path: path, collided: true}, false
		default:
			// In a full tree there may be none but losses.
			if a = r.choose(n); a == game.NoAction {
				return awaited{path: path, state: n.state}, false
			}
		}
		child := n.children[a]
		if child == nil {
			next := copyOf(r.g, n.state)
			next.Apply(a)
			if r.maxNodes > 0 && r.root.count() >= r.maxNodes {
				r.full = true
				if s := r.beyond(next); s.CurrentPlayer() != game.Nobody {
					return awaited{path: path, state: s}, false
				}
				r.backup(path, r.returns(next))
				return x, true
			}
			child = r.node(next)
			if mover := n.state.CurrentPlayer(); mover >= 0 && n.choice() && r.puct {
				child.q = r.unvisited(n, mover)
			}
			n.children[a] = child
			n.order = append(n.order, a)
			if len(n.untried) > 0 {
				n.untried = n.untried[1:]
			}
			if child.choice() {
				child.awaits = true
				return awaited{path: append(path, child), expanded: child}, false
			}
		}
		path = append(path, child)
		n = child
	}
}

// beyond advances a state for which there is no room to a choice, or to the end of the game.
func (r *slow) beyond(s game.State) game.State {
	for {
		switch {
		case s.CurrentPlayer() == game.Chance:
			s.Apply(s.(game.Chancer).Sample(r.rng))
		case s.CurrentPlayer() == game.Nobody, isChoice(s):
			return s
		default:
			s.Apply(s.LegalActions(nil)[0])
		}
	}
}

func (r *slow) choose(n *slowNode) game.Action {
	if len(n.untried) > 0 && !r.full {
		i := r.rng.IntN(len(n.untried))
		n.untried[0], n.untried[i] = n.untried[i], n.untried[0]
		return n.untried[0]
	}
	mover := n.state.CurrentPlayer()
	if r.gumbel != nil && n == r.root {
		return r.gumbel.chooseRoot(r)
	}
	if r.gumbel != nil && r.gumbel.o.Interior != mcts.ByPUCT {
		return r.gumbel.chooseInterior(r, n)
	}
	candidates := slices.Clone(n.order)
	if r.puct && !r.full {
		// Untried actions follow, the greatest prior first.
		for _, a := range n.state.LegalActions(nil) {
			if n.children[a] == nil {
				candidates = append(candidates, a)
			}
		}
		slices.SortStableFunc(candidates[len(n.order):], func(a, b game.Action) int {
			return cmp.Compare(n.priors[b], n.priors[a])
		})
	}
	return r.pick(n, mover, candidates)
}

// pick returns the candidate with the greatest score.
func (r *slow) pick(n *slowNode, mover game.Player, candidates []game.Action) game.Action {
	best, bestScore := game.NoAction, math.Inf(-1)
	for _, a := range candidates {
		score := r.score(n, a, mover)
		switch {
		case n.isLoss(a):
			continue
		case n.isProven(a):
			score = r.exploit(n, a, mover)
		}
		if score > bestScore {
			best, bestScore = a, score
		}
	}
	return best
}

// q is the Q of an action.
func (r *slow) q(n *slowNode, a game.Action, mover game.Player) float64 {
	child := n.children[a]
	if child == nil {
		return r.unvisited(n, mover)
	}
	lost := r.virtual * float64(child.unseen)
	if child.visits == 0 {
		q := float64(float32(child.q))
		if q > 0 { // a utility of 0 is no loss to others
			q /= 1 + lost
		}
		return q
	}
	return child.sum[mover] / (float64(child.visits) + lost)
}

func (r *slow) score(n *slowNode, a game.Action, mover game.Player) float64 {
	N := float64(n.visits + n.unseen)
	visits, q := 0.0, r.q(n, a, mover)
	if child := n.children[a]; child != nil {
		visits = float64(child.visits + child.unseen)
	}
	if r.puct {
		return q + r.c*float64(n.priors[a])*math.Sqrt(N)/(1+visits)
	}
	return r.scale*q + r.c*math.Sqrt(math.Log(N)/visits)
}

// unvisited is the Q of the actions of n that have not been tried.
func (r *slow) unvisited(n *slowNode, mover game.Player) float64 {
	if !r.parent {
		return 0
	}
	mass := 0.0
	for _, b := range n.order {
		mass += float64(n.priors[b])
	}
	return n.sum[mover]/float64(n.visits) - r.reduction*math.Sqrt(mass)
}

// moments returns the mean of a player's utilities and the sum of their squares.
func moments(seen [][]float64, p game.Player) (mean, squares float64) {
	for _, values := range seen {
		mean += values[p] / float64(len(seen))
		squares += values[p] * values[p]
	}
	return mean, squares
}

// bound is the lower bound of an action's utility for a player: minus infinity where the action
// has too few visits. One utility of weight 1/n² lies 1/2 from the mean.
func (r *slow) bound(n *slowNode, a game.Action, p game.Player) float64 {
	most := 0
	for _, child := range n.children {
		if child.proven == nil {
			most = max(most, child.visits)
		}
	}
	child := n.children[a]
	if child == nil || child.visits == 0 || float64(child.visits) < r.fraction*float64(most) {
		return math.Inf(-1)
	}
	_, squares := moments(child.seen, p)
	weights := float64(child.visits)
	weightSquares := weights
	mean := child.sum[p] / weights
	variance := max(squares/weights-mean*mean, 2.5e-9)
	w := 1 / (weights * weights)
	variance += 0.25 * w / (weights + w)
	weights, weightSquares = weights+w, weightSquares+w*w
	return mean - r.z*math.Sqrt(variance/(weights*weights/weightSquares))
}

// best returns the action of Best at a node, and whether another comes so near that roundings
// may decide.
func (r *slow) best(n *slowNode) (best game.Action, near bool) {
	best = game.NoAction
	mover := n.state.CurrentPlayer()
	if mover < 0 || n.priors == nil && r.puct && n.choice() {
		return best, false
	}
	gumbel := r.gumbel != nil && n == r.root && n.choice()
	if gumbel && !r.proofs {
		return r.gumbel.best(n), false
	}
	legal := slices.DeleteFunc(n.state.LegalActions(nil), n.isLoss)
	if r.proofs {
		legal = n.open()
	}
	before := func(a, b game.Action) bool {
		if r.lower {
			x, y := r.bound(n, a, mover), r.bound(n, b, mover)
			near = near || math.Abs(x-y) < 1e-9
			if x != y {
				return x > y
			}
		}
		record := func(a game.Action) (visits int, mean float64, prior float32) {
			prior = n.priors[a]
			if n == r.root && n.clean != nil {
				prior = n.clean[a]
			}
			if child := n.children[a]; child != nil {
				return child.visits, child.sum[mover] / float64(child.visits), prior
			}
			return 0, 0, prior
		}
		visits, mean, p := record(a)
		visitsB, meanB, pB := record(b)
		switch {
		case visits != visitsB:
			return visits > visitsB
		case mean != meanB:
			return mean > meanB
		}
		return p > pB
	}
	if gumbel {
		best = r.gumbel.best(n)
		legal = nil
	}
	for _, a := range legal {
		if best == game.NoAction || before(a, best) {
			best = a
		}
	}
	if r.proofs {
		// Among proven actions bounds do not count.
		lower, doubt := r.lower, near
		r.lower = false
		best = r.prefer(n, best, before)
		r.lower, near = lower, doubt
	}
	return best, near
}

// variation returns what PrincipalVariation should.
func (r *slow) variation() (line []game.Action, near bool) {
	for n := r.root; n != nil; {
		a, close := r.best(n)
		near = near || close
		if a == game.NoAction || n.children[a] == nil {
			break
		}
		line = append(line, a)
		n = n.children[a]
	}
	return line, near
}

func (r *slow) backup(path []*slowNode, values []float64) {
	if r.proofs || r.balanced {
		r.backupAnew(path, values)
		return
	}
	for _, n := range path {
		n.visits++
		n.seen = append(n.seen, values)
		for p, v := range values {
			n.sum[p] += v
		}
	}
}

// dump returns the same text as Dump of a whole mcts.Tree.
func (r *slow) dump() string {
	var b strings.Builder
	r.root.dump(&b, game.NoAction, 0)
	return b.String()
}

func (n *slowNode) dump(b *strings.Builder, a game.Action, depth int) {
	fmt.Fprintf(b, "%s%d: %d", strings.Repeat(" ", depth), a, n.visits)
	for _, sum := range n.sum {
		fmt.Fprintf(b, " %.6f", sum/float64(n.visits))
	}
	b.WriteByte('\n')
	actions := slices.Clone(n.order)
	slices.Sort(actions)
	for _, a := range actions {
		n.children[a].dump(b, a, depth+1)
	}
}

// rootChildren returns what Children of mcts.Tree should.
func (r *slow) rootChildren() []search.Child {
	n := r.root
	var actions []game.Action
	switch {
	case n.state.CurrentPlayer() == game.Nobody:
	case n.state.CurrentPlayer() == game.Chance:
		actions = slices.Clone(n.order)
		slices.Sort(actions)
	default:
		actions = n.state.LegalActions(nil)
	}
	var list []search.Child
	for _, a := range actions {
		c := search.Child{Action: a, Prior: n.priors[a]}
		if n.clean != nil {
			c.Prior = n.clean[a]
		}
		if n.state.CurrentPlayer() >= 0 && !n.choice() {
			c.Prior = 1
		}
		if child := n.children[a]; child != nil {
			c.Visits = child.visits
			for p, sum := range child.sum {
				c.Value[p] = float32(sum / float64(child.visits))
			}
		}
		list = append(list, c)
	}
	if r.proofs && n.state.CurrentPlayer() >= 0 {
		r.settle(list)
	}
	if r.gumbel != nil && n.choice() {
		improved := r.gumbel.policy(n)
		if n.proven != nil {
			improved = r.keepBest()
		}
		for i := range list {
			list[i].Improved = float32(improved[list[i].Action])
		}
	}
	return list
}
