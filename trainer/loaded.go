package trainer

import (
	"sync"

	"tengen/nn"
)

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
	if drop := len(l.list) - keptNetworks; drop > 0 {
		l.list = append([]loadedNetwork(nil), l.list[drop:]...)
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
