package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/arena"
	"tengen/cluster"
	"tengen/configs"
	"tengen/player"
	"tengen/trainer"
)

// matches plays games of matches, one block after another, beside those of self-play.
func (s *session) matches(ctx context.Context) {
	consumer, err := s.consumer(ctx, s.w.o.Names.Matches(), cluster.MatchConsumer)
	if err != nil {
		return // ctx has ended
	}
	for ctx.Err() == nil {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		limited, release := s.w.link.During(limited)
		list, err := consumer.Fetch(1, jetstream.FetchContext(limited))
		if err == nil {
			for m := range list.Messages() {
				s.playMatch(ctx, m)
			}
			err = list.Error()
		}
		release()
		cancel()
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) &&
			!errors.Is(err, nats.ErrTimeout) {
			s.w.o.Log.Debug("no games of matches can be fetched", "reason", err)
			pause(ctx, time.Second)
		}
	}
}

// playMatch plays a block and sends its games. What it can't play it hands back: then others do, or
// the trainer.
func (s *session) playMatch(ctx context.Context, m jetstream.Msg) {
	b := new(cluster.MatchBlock)
	err := cluster.Decode(m.Data(), b)
	if err == nil && b.Run != s.run {
		err = errors.New("it is of another run")
	}
	if err != nil {
		s.w.o.Log.Warn("a block of a match is not understood", "reason", err)
		_ = m.NakWithDelay(5 * time.Second) // otherwise it comes again after AckWait
		return
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.match, s.endMatch = b.Token, cancel
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.match, s.endMatch = "", nil
		s.mu.Unlock()
	}()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		ticker := time.NewTicker(progress)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				_ = m.InProgress() // otherwise another worker gets it too
			}
		}
	}()
	s.w.o.Log.Debug("games of a match are played", "match", b.Match, "games", len(b.Numbers))
	data, err := s.gamesOf(inner, b)
	if err == nil {
		err = s.sendResults(inner, data)
	}
	switch {
	case err == nil:
		s.w.matchGames.Add(uint64(len(b.Numbers)))
		_ = m.Ack() // otherwise the trainer removes it
	case ctx.Err() != nil:
		_ = m.Nak()
	case inner.Err() != nil: // the match is over
		_ = m.Term()
	default:
		s.w.o.Log.Warn("games of a match can't be played", "reason", err)
		_ = m.NakWithDelay(5 * time.Second)
		pause(ctx, time.Second)
	}
}

// gamesOf plays the games of a block and encodes them.
func (s *session) gamesOf(ctx context.Context, b *cluster.MatchBlock) ([]byte, error) {
	a := arena.Match{
		Game: s.plan.Game, Seatings: b.Seatings, Games: b.Games, Paired: b.Paired, Drawn: b.Drawn,
		Seed: b.Seed, Opening: b.Opening,
		Workers:        s.plan.Workers,
		GamesPerWorker: (len(b.Numbers) + s.plan.Workers - 1) / s.plan.Workers,
	}
	for _, c := range b.Players {
		p, err := s.contestant(ctx, c)
		if err != nil {
			return nil, err
		}
		a.Players = append(a.Players, p)
	}
	games, err := a.Some(ctx, b.Numbers)
	if err != nil {
		return nil, err
	}
	return cluster.EncodeResults(s.w.o.ID, b, games)
}

// contestant returns a player of a match.
func (s *session) contestant(ctx context.Context, c cluster.Contestant) (player.Player, error) {
	var config *configs.Config
	if c.Config != "" {
		text, err := s.nets.fetch(ctx, "configuration", c.Config)
		if err != nil {
			return nil, err
		}
		if config, err = configOf(string(text), nil); err != nil {
			return nil, fmt.Errorf("the configuration of a player's network: %w", err)
		}
	}
	switch {
	case c.Player != "" && c.Weights == "":
		return player.NewElsewhere(s.plan.Game, c.Player, nil, nil)
	case c.Player != "":
		return s.nets.player(ctx, c, config)
	}
	weights, err := s.nets.get(ctx, c.Weights)
	if err != nil {
		return nil, err
	}
	if config == nil {
		return s.plan.NetworkPlayer(c.Weights[:12], weights, c.Simulations), nil
	}
	plan, err := trainer.NewPlan(config)
	if err != nil {
		return nil, err
	}
	return plan.SelfPlayer(c.Weights[:12], weights, c.Simulations), nil
}

// sendResults sends games of a match until the broker has them.
func (s *session) sendResults(ctx context.Context, data []byte) error {
	for {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		limited, release := s.w.link.During(limited)
		_, err := s.w.js.Publish(limited, s.w.o.Names.GamesSubject(s.w.o.ID), data)
		release()
		cancel()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		s.w.o.Log.Debug("games of a match are sent again", "reason", err)
		pause(ctx, time.Second)
	}
}
