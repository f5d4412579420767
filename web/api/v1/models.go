package v1

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/descent"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/nn"
	"tengen/player"
	"tengen/search"
	"tengen/search/nneval"
	"tengen/vfs"
)

// Limits of what a person may ask of a network.
const (
	maxSimulations = 2000
	maxMoveTime    = 10 * time.Second // a move
	treeBytes      = 16 << 20         // a searching seat
)

// models loads a run's networks on demand and caches those used last. It is safe for concurrent
// use.
type models struct {
	game game.Game
	run  func() (*configs.Config, error)
	dir  string // of checkpoints
	// place loads a network where it is to be evaluated.
	place func(*nn.Params) (nn.Network, error)

	mu   sync.Mutex
	kept []*model // the last used first
}

// model is a loaded network.
type model struct {
	iteration int
	policy    bool
	weights   nn.Network
	config    *configs.Config
}

const keptModels = 2

// errNoNetwork says that the run has no checkpoint yet, or not the requested one.
var errNoNetwork = errors.New("the run has no such checkpoint")

// iterations returns the iterations of the available networks, ascending.
func (m *models) iterations() []int {
	entries, err := checkpoints.List(m.dir)
	list := []int{} // an empty list in JSON, not null
	if err != nil {
		return list
	}
	for _, e := range entries {
		list = append(list, e.Iteration)
	}
	return list
}

// shown returns the name of a player with the path of a checkpoint cut to its iteration.
func (m *models) shown(name string) string { return strings.Replace(name, m.dir+"/", "", 1) }

// load returns the network of an iteration, or the newest one if iteration is negative.
func (m *models) load(iteration int) (*model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if iteration < 0 {
		list := m.iterations()
		if len(list) == 0 {
			return nil, errNoNetwork
		}
		iteration = list[len(list)-1]
	}
	for i, x := range m.kept {
		if x.iteration == iteration {
			copy(m.kept[1:i+1], m.kept[:i])
			m.kept[0] = x
			return x, nil
		}
	}
	config, err := m.run()
	if err != nil {
		return nil, err
	}
	loaded, err := player.LoadModel(networkPath(m.dir, iteration))
	if errors.Is(err, checkpoints.ErrNone) || errors.Is(err, checkpoints.ErrMissing) {
		if why := (checkpoints.Store{FS: vfs.OS{}, Dir: m.dir}).Absent(iteration); why != "" {
			return nil, fmt.Errorf("%w: %s", errNoNetwork, why)
		}
		return nil, errNoNetwork
	}
	if err != nil {
		return nil, err
	}
	if loaded.Game != m.game.Name() {
		return nil, fmt.Errorf("the network was trained on %s, not on %s",
			loaded.Game, m.game.Name())
	}
	if err := nneval.Fits(m.game, loaded.Params.Spec); err != nil {
		return nil, err
	}
	weights, err := m.place(loaded.Params)
	if err != nil {
		return nil, err
	}
	x := &model{iteration, config.Algorithm == configs.AlgorithmAlphaZero, weights, config}
	m.kept = append([]*model{x}, m.kept[:min(len(m.kept), keptModels-1)]...)
	return x, nil
}

// title is what the page calls the network.
func (x *model) title() string { return fmt.Sprintf("network %d", x.iteration) }

// named returns the name by which other commands find the player that a network is with
// simulations.
func (m *models) named(x *model, simulations int) string {
	path := notation.Quote(networkPath(m.dir, x.iteration))
	if x.policy {
		return fmt.Sprintf("az:%s,simulations=%d", path, simulations)
	}
	return fmt.Sprintf("ubfm:%s,iterations=%d,safe=true", path, simulations)
}

// player returns a player that searches with the network.
func (x *model) player(g game.Game, simulations int) (player.Player, error) {
	if x.policy {
		c := player.AtPlay(x.config.Search)
		// The most that a node of a tree takes (mcts.UCT.MaxNodes).
		node := 56 + 8*g.Players() + 28*(g.Actions()+1)
		o := player.PUCT(c)
		o.Simulations, o.MaxNodes, o.Reuse, o.BatchSize =
			simulations, max(64, treeBytes/node), true, mcts.AutoBatchSize
		return &player.AlphaZero{
			Label: x.title(), Weights: x.weights, Canonical: c.Canonical,
			Afterstates: c.Afterstates, Time: maxMoveTime, PUCT: o,
		}, nil
	}
	terminal, err := descent.ParseTerminal(x.config.Descent.Terminal)
	if err != nil {
		return nil, err
	}
	o := descent.Options{
		BestFirst: true, Iterations: simulations, Time: maxMoveTime, MaxNodes: treeBytes / 256,
		Terminal: terminal,
	}
	if err := descent.Check(g, o); err != nil {
		return nil, err
	}
	return &player.Descent{
		Label: x.title(), Weights: x.weights, Canonical: x.config.Search.Canonical,
		Safe: true, Options: o,
	}, nil
}

// networkAnalysis is a network's evaluation of a position and of its actions, without search.
type networkAnalysis struct {
	Iteration int            `json:"iteration"`
	Value     []float32      `json:"value"` // utilities by seat
	Moves     []moveAnalysis `json:"moves"` // every legal action
}

// moveAnalysis is a network's evaluation of an action: its prior, and the utilities of the seats
// after it. Either may be missing.
type moveAnalysis struct {
	Action game.Action `json:"action"`
	Name   string      `json:"name"`
	Prior  *float32    `json:"prior"`
	// in the mean over what chance may do; nil in games of hidden information
	Value []float32 `json:"value"`
}

// batchRows is the number of positions per batch.
const batchRows = 32

// think answers with the newest network's analysis of s.
func (x *model) think(ctx context.Context, g game.Game, s game.State) (*networkAnalysis, error) {
	n, network, _ := nneval.ForSearch(g, x.weights.NewEvaluator(), batchRows,
		nneval.Options{Name: x.title(), Canonical: x.config.Search.Canonical},
		x.config.Search.Afterstates)
	defer network.Close()
	players := g.Players()
	n.Add(s)
	evaluations, err := n.Evaluate()
	if err != nil {
		return nil, err
	}
	o := &networkAnalysis{
		Iteration: x.iteration, Value: append([]float32(nil), evaluations.Utilities(0)...),
	}
	legal := s.LegalActions(nil)
	priors := make([]float32, len(legal))
	if x.policy && int(legal[len(legal)-1]) < g.Actions() {
		softmax(priors, evaluations.Logits(0), legal)
	} else {
		priors = nil
	}
	follows := followers{players: players, network: n, next: g.NewState(), after: g.NewState()}
	_, hidden := s.(game.ImperfectInformation)
	for k, a := range legal {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := moveAnalysis{Action: a, Name: game.ActionName(g, s, a)}
		if priors != nil {
			m.Prior = &priors[k]
		}
		// What follows depends on what is hidden: the result of a game that ends, and what the next
		// player sees.
		if !hidden {
			if m.Value, err = follows.value(s, a); err != nil {
				return nil, err
			}
		}
		o.Moves = append(o.Moves, m)
	}
	return o, follows.collect()
}

// followers evaluates the positions after actions, in batches.
type followers struct {
	players     int
	network     search.Evaluator
	next, after game.State
	waiting     []follower // those in the batch
}

// follower is a position in the batch: its weight, and where its value is added.
type follower struct {
	share float32
	value []float32
}

// value returns the utilities of the seats after a, which are valid once collect has been called;
// nil if chance moves twice.
func (f *followers) value(s game.State, a game.Action) ([]float32, error) {
	f.next.CopyFrom(s)
	f.next.Apply(a)
	v := make([]float32, f.players)
	if f.next.CurrentPlayer() != game.Chance {
		return v, f.add(f.next, 1, v)
	}
	outcomes := f.next.(game.Chancer).Outcomes(nil)
	for _, o := range outcomes {
		f.after.CopyFrom(f.next)
		f.after.Apply(o.Action)
		if f.after.CurrentPlayer() == game.Chance {
			return nil, nil
		}
		if err := f.add(f.after, float32(o.Probability), v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// add adds the utilities in s to value, weighted by share.
func (f *followers) add(s game.State, share float32, value []float32) error {
	if s.CurrentPlayer() == game.Nobody {
		returns := make([]float32, f.players)
		s.Returns(returns)
		add(value, share, returns)
		return nil
	}
	f.network.Add(s)
	f.waiting = append(f.waiting, follower{share, value})
	if len(f.waiting) == batchRows {
		return f.collect()
	}
	return nil
}

// collect evaluates the batch.
func (f *followers) collect() error {
	if len(f.waiting) == 0 {
		return nil
	}
	evaluations, err := f.network.Evaluate()
	if err != nil {
		return err
	}
	for i, w := range f.waiting {
		add(w.value, w.share, evaluations.Utilities(i))
	}
	f.waiting = f.waiting[:0]
	return nil
}

func add(sum []float32, share float32, of []float32) {
	for i, x := range of {
		sum[i] += share * x
	}
}

// softmax writes the probabilities of the legal actions to dst.
func softmax(dst, logits []float32, legal []game.Action) {
	most := math.Inf(-1)
	for _, a := range legal {
		most = max(most, float64(logits[a]))
	}
	sum := 0.0
	for i, a := range legal {
		e := math.Exp(float64(logits[a]) - most)
		dst[i] = float32(e)
		sum += e
	}
	for i := range dst {
		dst[i] = float32(float64(dst[i]) / sum)
	}
}
