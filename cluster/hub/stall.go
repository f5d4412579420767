package hub

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stall is a broker that takes nothing: it is silent, as while it elects a leader or is cut off, or
// it says so, as without room. Until it does again the trainer's own workers play all games.
type stall struct {
	since  time.Time // zero: it takes what it is sent
	work   bool      // WORK is to show that it takes a block
	silent time.Time // since when it does not answer; zero: it does
	next   time.Time // when it is tried again
	remake time.Time // when its streams were made again
	wait   time.Duration
}

// fault is an error of the broker, and of nothing else.
type fault struct{ error }

func (f *fault) Unwrap() error { return f.error }

const (
	retryAfter = time.Second
	// A stream of JetStream whose disk was full stays silent for ever. Such a broker answers
	// questions; after this time its streams are made again, and then after twice the time, up to
	// mostRemake.
	remakeAfter = 10 * time.Second
	mostRemake  = time.Minute
)

// stall notes that the broker takes nothing.
func (h *Hub) stall(ctx context.Context, err error) { h.stallOf(ctx, false, err) }

func (h *Hub) stallOf(ctx context.Context, work bool, err error) {
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	s, now := &h.stalled, h.o.Now()
	first := s.since.IsZero()
	if first {
		*s = stall{since: now, wait: remakeAfter}
	}
	s.work = s.work || work
	s.next = now.Add(retryAfter)
	switch silent := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout); {
	case !silent:
		s.silent = time.Time{}
	case s.silent.IsZero():
		s.silent = now
	}
	h.mu.Unlock()
	if first {
		h.o.Log.Warn("games can't be given to workers, the trainer's own play them", "reason", err)
		h.observeStall()
	}
}

// answered notes that the broker takes what it is sent.
func (h *Hub) answered() {
	h.mu.Lock()
	since := h.stalled.since
	h.stalled = stall{}
	h.mu.Unlock()
	if !since.IsZero() {
		h.o.Log.Info("games are given to workers again", "after",
			h.o.Now().Sub(since).Round(time.Millisecond))
		h.observeStall()
	}
}

// takesNothing reports whether the broker, or the trainer's own disk, takes nothing. The caller
// holds h.mu.
func (h *Hub) takesNothing() bool {
	return !h.link.Connected() || !h.stalled.since.IsZero() || h.full
}

// setFull notes whether the disk of the journal is full.
func (h *Hub) setFull(full bool) {
	h.mu.Lock()
	changed := h.full != full
	h.full = full
	h.mu.Unlock()
	if changed {
		h.observeStall()
	}
}

// mend reports whether something may be sent to the broker. One that has taken nothing is tried
// again, with little things.
func (h *Hub) mend(ctx context.Context) bool {
	h.mu.Lock()
	s, now, full := h.stalled, h.o.Now(), h.full
	h.mu.Unlock()
	switch {
	case s.since.IsZero():
		return !full
	case now.Before(s.next):
		return false
	case !s.silent.IsZero() && now.Sub(later(s.silent, s.remake)) >= s.wait:
		h.remake(ctx)
		h.mu.Lock()
		h.stalled.remake, h.stalled.wait = now, min(2*s.wait, mostRemake)
		h.mu.Unlock()
	}
	err := h.probeGames(ctx)
	if err == nil {
		err = h.probeWeights(ctx)
	}
	if err != nil {
		h.stall(ctx, err)
		return false
	}
	if !s.work {
		h.answered()
		return !full
	}
	h.mu.Lock()
	h.stalled.next = h.o.Now().Add(retryAfter)
	h.mu.Unlock()
	return !full // a block shows the rest
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// probe is the name of what is sent to see whether the broker takes it; no worker can have it as
// its id.
const probe = "$probe"

// tooMuch is the code of JetStream's error about a stream that is full: it answers, and takes more
// when games have been taken out.
const tooMuch = 10077

// probeGames returns an error if GAMES takes nothing: workers can't send their games.
func (h *Hub) probeGames(ctx context.Context) error {
	_, err := h.put(ctx, h.o.Names.Games(), h.o.Names.GamesSubject(probe), nil)
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.ErrorCode == tooMuch {
		return nil
	}
	return err
}

// probeWeights returns an error if WEIGHTS takes nothing.
func (h *Hub) probeWeights(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	_, err := h.weights.PutBytes(limited, probe, []byte{0})
	return err
}

// remake removes the streams of a broker that answers questions, so that they are made again by the
// goroutine that receives: without them nothing is lost but time. Those of one that does not even
// answer may be whole.
func (h *Hub) remake(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	n := h.o.Names
	names := []string{n.Work(), n.Matches(), "OBJ_" + n.Weights(), n.Games()}
	for _, name := range names {
		if _, err := h.js.Stream(limited, name); err != nil &&
			!errors.Is(err, jetstream.ErrStreamNotFound) {
			h.o.Log.Debug("the broker does not answer", "reason", err)
			return
		}
	}
	h.o.Log.Warn("the broker answers, and takes nothing: its streams are made again")
	for _, name := range names {
		if err := h.js.DeleteStream(limited, name); err != nil &&
			!errors.Is(err, jetstream.ErrStreamNotFound) {
			h.o.Log.Debug("a stream is not removed", "stream", name, "reason", err)
		}
	}
}
