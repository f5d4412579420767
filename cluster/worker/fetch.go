package worker

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
)

// consumer returns a queue. While the trainer makes it, it waits.
func (s *session) consumer(ctx context.Context, stream, name string) (jetstream.Consumer, error) {
	for {
		during, cancel := s.w.link.During(ctx)
		c, err := s.w.js.Consumer(during, stream, name)
		cancel()
		if err == nil || ctx.Err() != nil {
			return c, ctx.Err()
		}
		s.w.o.Log.Debug("waiting for work", "reason", err)
		pause(ctx, time.Second)
	}
}

// wants reports whether more blocks are wanted: so many games that none of those played at a time
// waits.
func (s *session) wants() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	unbegun, unsent := 0, 0
	for _, b := range s.blocks {
		unbegun += len(b.Numbers) - b.begun
		if len(b.finished) == len(b.Numbers) {
			unsent++
		}
	}
	return !s.closed && unbegun < max(1, s.games/4) && unsent < maxUnconfirmed
}

// maxUnconfirmed is the number of finished blocks from which on no more are taken, until the
// trainer has confirmed some.
const maxUnconfirmed = 256

// fetch takes blocks of work, one at a time, for as long as some are wanted.
func (s *session) fetch(ctx context.Context, consumer jetstream.Consumer) error {
	for ctx.Err() == nil {
		if !s.wants() {
			select {
			case <-ctx.Done():
			case <-s.wanting:
			case <-time.After(time.Second):
			}
			continue
		}
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		limited, release := s.w.link.During(limited)
		list, err := consumer.Fetch(1, jetstream.FetchContext(limited))
		if err == nil {
			for m := range list.Messages() {
				if ctx.Err() != nil {
					_ = m.Nak() // otherwise it comes again after AckWait
				} else if err := s.take(ctx, m); err != nil {
					release()
					cancel()
					return err
				}
			}
			err = list.Error()
		}
		release()
		cancel()
		if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) &&
			!errors.Is(err, nats.ErrTimeout) {
			s.w.o.Log.Debug("no work can be fetched", "reason", err)
			pause(ctx, time.Second)
		}
	}
	return nil
}

// take takes a block. One that can't be played is handed back, for others; the error of a device
// ends the worker.
func (s *session) take(ctx context.Context, m jetstream.Msg) error {
	b := &held{m: m}
	err := cluster.Decode(m.Data(), &b.Block)
	if err == nil && b.Run != s.run {
		err = errors.New("it is of another run")
	}
	if err == nil {
		if b.job, err = s.job(ctx, &b.Block); err != nil && ctx.Err() == nil {
			s.w.o.Log.Warn("a block of work can't be played", "reason", err)
		}
	} else {
		s.w.o.Log.Warn("a block of work is not understood", "reason", err)
	}
	if err != nil {
		_ = m.NakWithDelay(5 * time.Second) // otherwise it comes again after AckWait
		pause(ctx, time.Second)
		return nil
	}
	s.mu.Lock()
	for _, old := range s.blocks {
		if old.Token == b.Token {
			old.m = m // delivered again
			s.mu.Unlock()
			return nil
		}
	}
	s.blocks = append(s.blocks, b)
	for _, n := range b.Numbers {
		s.byNumber[n] = b
	}
	s.setUnwanted(nil, b.Numbers)
	pool := s.pool
	s.mu.Unlock()
	select {
	case s.first <- b.job:
	default:
	}
	if pool != nil {
		pool.Wake()
	}
	return nil
}
