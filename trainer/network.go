package trainer

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"tengen/arena"
	"tengen/configs"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/player"
	"tengen/run"
	"tengen/search/nneval"
)

// savedNetwork returns the network of an iteration as evaluation and, unless training.playing is
// newest, self-play use it, from its checkpoint. For iteration 0 of a run whose initial weights
// were drawn (init is ""), it draws them again from the seed.
func (p *Plan) savedNetwork(f run.Files, iteration int, init string) (nn.Network, error) {
	if iteration == 0 && init == "" {
		return p.Load(p.NewParams())
	}
	c, err := f.Store().Load(f.Checkpoint(iteration))
	if err != nil {
		return nil, err
	}
	if c.Average != nil {
		return p.Load(c.Average)
	}
	return p.Load(c.Params)
}

// savedPlaying returns the network of an iteration as self-play uses it; otherwise it is
// savedNetwork.
func (p *Plan) savedPlaying(f run.Files, iteration int, init string) (nn.Network, error) {
	if iteration == 0 && init == "" || p.Config.Training.Playing != configs.PlayingNewest {
		return p.savedNetwork(f, iteration, init)
	}
	c, err := f.Store().Load(f.Checkpoint(iteration))
	if err != nil {
		return nil, err
	}
	return p.Load(c.Params)
}

// Init is the network that a new run begins with, instead of weights drawn from the seed.
// The solver starts anew, and the warm start is as configured.
type Init struct {
	Params *nn.Params // in the shape of the plan's network
	From   string     // its origin, for people
	Game   string     // that it was trained on
	Grown  bool       // it was enlarged to the plan's network
	// PassedOver has the errors of damaged checkpoints newer than the one used.
	PassedOver []error
}

// NewInit reads the network at path, as player.LoadModel does, with averaged weights if it
// has them. If it is smaller than the plan's network, NewInit enlarges it (nn.Grow) and
// draws the new weights from the plan's seed; any other difference is an error.
func (p *Plan) NewInit(path string) (*Init, error) {
	m, err := player.LoadModel(path)
	if err != nil {
		return nil, err
	}
	was := m.Params.Spec
	params, err := nn.Grow(m.Params, p.Spec, random.New(p.Config.Seed, random.Weights))
	if err != nil {
		return nil, fmt.Errorf("%s, trained on %s, can't begin a run on %s: %w",
			path, m.Game, p.Game.Name(), err)
	}
	if err := nneval.Probe(p.Game, nn.Fold(params), path, nil); err != nil {
		return nil, err
	}
	init := &Init{
		Params: params, Game: m.Game, PassedOver: m.PassedOver,
		Grown: !reflect.DeepEqual(was.WithoutAuxiliary(), params.Spec.WithoutAuxiliary()),
	}
	init.From = fmt.Sprintf("%s, iteration %d", m.Path, m.Iteration)
	if init.Grown {
		init.From += fmt.Sprintf(", grown from %s, %d hidden", was.Size(), was.Hidden)
	}
	if m.Game != p.Game.Name() {
		init.From += ", trained on " + m.Game
	}
	return init, nil
}

// loadedNetworks are the parameters of the networks that were loaded last, for those who play games
// elsewhere (selfplay.RemoteWorkers), and for what the networks believe (Plan.Belief). It is safe
// for concurrent use.
type loadedNetworks struct {
	mu   sync.Mutex
	list []loadedNetwork
}

type loadedNetwork struct {
	network nn.Network
	params  *nn.Params
}

// keptNetworks is the number of networks whose parameters are kept: the newest, those of the
// cycle's earlier iterations, and those of an evaluation.
const keptNetworks = 12

func (l *loadedNetworks) add(n nn.Network, p *nn.Params) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, loadedNetwork{n, p})
	if len(l.list) > keptNetworks {
		l.list = slices.Delete(l.list, 0, 1)
	}
}

// of returns the parameters of a network, nil if they are not kept.
func (l *loadedNetworks) of(n nn.Network) *nn.Params {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.list) - 1; i >= 0; i-- {
		if x := l.list[i]; x.network == n {
			l.list = append(append(l.list[:i:i], l.list[i+1:]...), x) // used last
			return x.params
		}
	}
	return nil
}

// RemoteMatches plays games of a run's evaluations beside the trainer, such as on other machines.
type RemoteMatches interface {
	// Match returns who plays games of matches among some players, in the order of
	// arena.Match.Players.
	Match(players []arena.Contestant) arena.RemoteWorkers
}

// remote returns who plays games of a match among some players beside the trainer; nil for nobody.
func (p *Plan) remote(players ...arena.Contestant) arena.RemoteWorkers {
	if p.Matches == nil {
		return nil
	}
	for _, c := range players {
		if c.Params == nil && c.Player == "" {
			return nil // a network whose parameters are not kept any more
		}
	}
	return p.Matches.Match(players)
}
