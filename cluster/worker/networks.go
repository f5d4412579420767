package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"tengen/checkpoints"
	"tengen/cluster"
	"tengen/configs"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
	"tengen/trainer"
)

// networks are the networks of a session, by digest. They are safe for concurrent use.
type networks struct {
	s      *session
	mu     sync.Mutex // held while a network is fetched
	loaded []loaded   // used last at the end
	made   []made     // used last at the end; only the goroutine of matches uses it
}

// made is a player with a network of its own.
type made struct {
	of     cluster.Contestant
	player player.Player
}

// keptPlayers is the number of players with networks of their own that are kept.
const keptPlayers = 16

type loaded struct {
	digest  string
	network nn.Network
}

// keptNetworks is the number of networks that are kept: for games of self-play, and the two of a
// match.
const keptNetworks = 6

func newNetworks(s *session) *networks {
	return &networks{s: s}
}

// get returns a network, which it fetches if need be.
func (n *networks) get(ctx context.Context, digest string) (nn.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := slices.IndexFunc(n.loaded, func(l loaded) bool { return l.digest == digest }); i >= 0 {
		l := n.loaded[i]
		n.loaded = append(slices.Delete(n.loaded, i, i+1), l)
		return l.network, nil
	}
	began := time.Now()
	data, err := n.fetch(ctx, "network", digest)
	if err != nil {
		return nil, err
	}
	network, err := decode(n.s.plan, digest, data)
	if err != nil {
		return nil, err
	}
	n.loaded = append(n.loaded, loaded{digest, network})
	n.loaded = n.loaded[max(0, len(n.loaded)-keptNetworks):]
	n.s.w.o.Log.Info("network", "digest", digest[:12], "kib", len(data)>>10, "fetched_in",
		time.Since(began).Round(time.Millisecond))
	return network, nil
}

// decode loads a network of the plan's run. It returns an error if it can't be played with: if its
// numbers, or its evaluations of some positions, are not finite.
func decode(plan *trainer.Plan, digest string, data []byte) (nn.Network, error) {
	name := fmt.Sprintf("network %.12s", digest)
	m, err := checkpoints.ReadModel(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Game != plan.Game.Name() {
		return nil, fmt.Errorf("%s is of %s, the run of %s", name, m.Game, plan.Game.Name())
	}
	if err := nneval.Fits(plan.Game, m.Params.Spec); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	network, err := plan.Load(m.Params)
	if err != nil {
		return nil, err
	}
	return network, nneval.Probe(plan.Game, network, name, nil)
}

// fetch returns what has a digest in WEIGHTS.
func (n *networks) fetch(ctx context.Context, what, digest string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	limited, release := n.s.w.link.During(limited)
	defer release()
	store, err := n.s.w.js.ObjectStore(limited, n.s.w.o.Names.Weights())
	if err != nil {
		return nil, fmt.Errorf("fetch %s %.12s: %w", what, digest, err)
	}
	data, err := store.GetBytes(limited, digest)
	if err != nil {
		return nil, fmt.Errorf("fetch %s %.12s: %w", what, digest, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, fmt.Errorf("fetch %s %.12s: its digest is %x", what, digest, sum[:6])
	}
	return data, nil
}

// player returns a player with a network of its own.
func (n *networks) player(
	ctx context.Context, c cluster.Contestant, config *configs.Config,
) (player.Player, error) {
	if i := slices.IndexFunc(n.made, func(m made) bool { return m.of == c }); i >= 0 {
		m := n.made[i]
		n.made = append(slices.Delete(n.made, i, i+1), m)
		return m.player, nil
	}
	data, err := n.fetch(ctx, "network", c.Weights)
	if err != nil {
		return nil, err
	}
	p, err := player.NewElsewhere(n.s.plan.Game, c.Player, data, config)
	if err == nil {
		err = player.On(p, n.s.plan.Load)
	}
	if err != nil {
		return nil, err
	}
	n.made = append(n.made, made{c, p})
	n.made = n.made[max(0, len(n.made)-keptPlayers):]
	return p, nil
}
