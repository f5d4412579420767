package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
)

// openStreams makes the streams and begins to receive. What WORK holds from an earlier process is
// dropped: what is to be played follows from the run alone.
func (h *Hub) openStreams(ctx, inner context.Context) (err error) {
	if h.js, err = jetstream.New(h.o.Conn,
		jetstream.WithDefaultTimeout(20*time.Second)); err != nil {
		return err
	}
	if h.o.through != nil {
		h.js = h.o.through(h.js)
	}
	if most := h.o.Conn.MaxPayload(); most < cluster.MaxBatch {
		return fmt.Errorf(
			"the broker takes messages of at most %d bytes; its max_payload must be at least %d",
			most, cluster.MaxBatch)
	}
	work, weights, consumer, err := h.makeStreams(ctx)
	if err != nil {
		return err
	}
	h.work, h.weights = work, weights
	if h.matchQueue, err = h.js.Stream(ctx, h.o.Names.Matches()); err != nil {
		return err
	}
	hello, err := h.o.Conn.Subscribe(h.o.Names.HelloSubject(">"), h.hello)
	if err != nil {
		return err
	}
	// so that the first Hello finds it
	if err := h.o.Conn.FlushTimeout(20 * time.Second); err != nil {
		return errors.Join(err, hello.Unsubscribe())
	}
	h.group.Go(func() { h.watch(inner) })
	h.group.Go(func() { h.notify(inner) })
	h.group.Go(func() { h.deal(inner) })
	h.group.Go(func() {
		h.receive(inner, consumer)
		_ = hello.Unsubscribe() // the connection is about to be closed
	})
	return nil
}

// makeStreams makes the streams that the broker does not have, and drops what is in WORK. What it
// returns stays valid if the broker loses streams and they are made again.
func (h *Hub) makeStreams(
	ctx context.Context,
) (work jetstream.Stream, weights jetstream.ObjectStore, consumer jetstream.Consumer, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ctx, release := h.link.During(ctx)
	defer release()
	fail := func(
		what, name string, err error,
	) (jetstream.Stream, jetstream.ObjectStore, jetstream.Consumer, error) {
		if errors.Is(err, nats.ErrNoResponders) {
			err = errors.New("the server has no JetStream")
		}
		return nil, nil, nil, fmt.Errorf("%s %s: %w", what, name, err)
	}
	n, replicas := h.o.Names, max(1, h.o.Replicas)
	if work, err = h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: n.Work(), Subjects: []string{n.WorkSubject()}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgSize: cluster.MaxHead, MaxBytes: 64 << 20, Discard: jetstream.DiscardNew,
		Replicas: replicas,
	}); err != nil {
		return fail("stream", n.Work(), err)
	}
	if err := work.Purge(ctx); err != nil {
		return fail("stream", n.Work(), err)
	}
	if _, err := work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: cluster.WorkConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: 1 << 17, MaxWaiting: 1 << 14,
	}); err != nil {
		return fail("stream", n.Work(), err)
	}
	if _, err := h.makeMatches(ctx, replicas); err != nil {
		return fail("stream", n.Matches(), err)
	}
	games, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: n.Games(), Subjects: []string{n.GamesSubject(">")},
		Retention:  jetstream.WorkQueuePolicy,
		MaxMsgSize: cluster.MaxMessage, MaxBytes: h.o.GamesBytes, Discard: jetstream.DiscardNew,
		Duplicates: time.Minute, Replicas: replicas,
	})
	if err != nil {
		return fail("stream", n.Games(), err)
	}
	if consumer, err = games.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: cluster.GamesConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: 4096,
	}); err != nil {
		return fail("stream", n.Games(), err)
	}
	if weights, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: n.Weights(), Replicas: replicas,
	}); err != nil {
		return fail("object store", n.Weights(), err)
	}
	return work, weights, consumer, nil
}

// Limits of what is received at a time.
const (
	fetchMessages = 512
	fetchBytes    = 32 << 20
	commitGames   = 2000 // that are made durable together
)

// receive takes batches of games until ctx ends. If an external broker loses its streams it makes
// them again.
func (h *Hub) receive(ctx context.Context, consumer jetstream.Consumer) {
	for ctx.Err() == nil {
		err := h.consume(ctx, consumer)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !errors.Is(err, errLost) {
			h.fail(err)
			return
		}
		h.o.Log.Warn(
			"the broker has lost its streams; they are made again, and nothing is lost but time")
		for {
			if _, _, consumer, err = h.makeStreams(ctx); err == nil || ctx.Err() != nil {
				break
			}
			h.o.Log.Debug("the broker's streams are not made", "reason", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		h.lost.Store(true)
	}
}

// errLost says that the broker has no stream of games any more.
var errLost = errors.New("the broker has lost its streams")

// lostStreams reports whether the broker answers, and has lost what receive needs.
func (h *Hub) lostStreams(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := h.js.Consumer(limited, h.o.Names.Games(), cluster.GamesConsumer)
	return errors.Is(err, jetstream.ErrStreamNotFound) ||
		errors.Is(err, jetstream.ErrConsumerNotFound)
}

// consume takes batches of games until ctx ends, which is no error.
func (h *Hub) consume(ctx context.Context, consumer jetstream.Consumer) error {
	in := make(chan jetstream.Msg)
	doubtful := make(chan struct{}, 1)
	connected := h.o.Conn.StatusChanged(nats.CONNECTED)
	defer h.o.Conn.RemoveStatusListener(connected)
	pull, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case in <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessagesWithBytesLimit(fetchMessages,
		fetchBytes), jetstream.ConsumeErrHandler(func(jetstream.ConsumeContext, error) {
		select {
		case doubtful <- struct{}{}:
		default:
		}
	}))
	if err != nil {
		return fmt.Errorf("cluster: receive games: %w", err)
	}
	defer func() {
		pull.Stop()
		<-pull.Closed()
	}()
	for {
		var list []jetstream.Msg
		select {
		case <-ctx.Done():
			return nil
		case <-pull.Closed():
			return errLost
		case <-connected:
			if h.lostStreams(ctx) {
				return errLost
			}
			continue
		case <-doubtful:
			if h.lostStreams(ctx) {
				return errLost
			}
			continue
		case m := <-in:
			list = append(list, m)
		}
		for more := true; more && len(list) < fetchMessages; {
			select {
			case m := <-in:
				list = append(list, m)
			case <-time.After(time.Millisecond):
				more = false
			}
		}
		if err := h.enter(ctx, list); err != nil {
			return err
		}
	}
}

// fail ends the play of the run.
func (h *Hub) fail(err error) {
	select {
	case h.failed <- err:
	default:
	}
}

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
