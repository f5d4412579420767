package hub

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// chores are messages that the broker need not keep. Nothing depends on them: a worker that gets
// one plays it for nothing.
type chores struct {
	purge         uint64   // WORK, up to this number; 0: nothing
	work, matches []uint64 // numbers in WORK and in MATCHES
}

// mostChores bounds the messages that wait to be removed.
const mostChores = 1024

// drop notes a message that is to be removed. The caller holds Hub.mu.
func (*chores) drop(list *[]uint64, seq uint64) {
	if len(*list) < mostChores {
		*list = append(*list, seq)
	}
}

// clear removes what the broker need not keep. While it does not answer, that stays there.
func (h *Hub) clear(ctx context.Context) {
	h.mu.Lock()
	c := h.chores
	h.chores = chores{}
	h.mu.Unlock()
	ask := func(what string, f func(context.Context) error) bool {
		limited, cancel := context.WithTimeout(ctx, putTime)
		defer cancel()
		limited, release := h.link.During(limited)
		defer release()
		err := f(limited)
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			h.o.Log.Debug(what+" that are over are not withdrawn", "reason", err)
			return false
		}
		return true
	}
	if c.purge > 0 {
		ask("games", func(ctx context.Context) error {
			return h.work.Purge(ctx, jetstream.WithPurgeSequence(c.purge+1))
		})
	}
	for _, x := range []struct {
		what   string
		stream jetstream.Stream
		list   []uint64
	}{{"games", h.work, c.work}, {"games of a match", h.matchQueue, c.matches}} {
		for _, seq := range x.list {
			if seq > 0 && !ask(x.what, func(ctx context.Context) error {
				return x.stream.DeleteMsg(ctx, seq)
			}) {
				break
			}
		}
	}
}

// noticeTime is how long the end of a run waits until what workers were told is sent.
const noticeTime = 2 * time.Second

// notice is a message for a worker, or the acknowledgement of one.
type notice struct {
	ack     jetstream.Msg
	subject string
	data    []byte
	sent    chan<- struct{} // if not nil, it is closed when all notices before are sent
}

// maxNotices bounds the notices that wait while the connection takes nothing.
const maxNotices = 1 << 14

// later has a notice sent by the goroutine of notify. One that is lost costs time at most.
func (h *Hub) later(n notice) {
	select {
	case h.notices <- n:
	default:
		h.o.Log.Debug("the connection to the broker takes nothing: a notice is dropped")
	}
}

// notify sends notices until ctx ends, and then those that wait.
func (h *Hub) notify(ctx context.Context) {
	for {
		select {
		case n := <-h.notices:
			h.send(n)
			continue
		default:
		}
		select {
		case n := <-h.notices:
			h.send(n)
		case <-ctx.Done():
			return
		}
	}
}

func (h *Hub) send(n notice) {
	var err error
	switch {
	case n.sent != nil:
		close(n.sent)
	case n.ack != nil:
		err = n.ack.Ack()
	default:
		err = h.o.Conn.Publish(n.subject, n.data)
	}
	if err != nil {
		h.o.Log.Debug("a notice is not sent", "reason", err)
	}
}

// flush waits until notices are sent, for a while.
func (h *Hub) flush() {
	sent := make(chan struct{})
	h.later(notice{sent: sent})
	select {
	case <-sent:
	case <-time.After(noticeTime):
	}
}
