package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/replay/record"
	"tengen/selfplay"
)

// held is a block that the worker has.
type held struct {
	cluster.Block
	m        jetstream.Msg // of WORK, the latest delivery
	job      *selfplay.Job
	begun    int // games
	finished []*record.Game
	sent     time.Time // when all of its games were sent; zero: they were not
}

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

// emit takes a finished game, and sends its block if it was the last one.
func (s *session) emit(g *record.Game) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.byNumber[g.Number]
	if b == nil {
		return nil // over
	}
	b.finished = append(b.finished, g)
	if len(b.finished) < len(b.Numbers) {
		return nil
	}
	slices.SortFunc(b.finished, func(x, y *record.Game) int {
		return int(int64(x.Number - y.Number))
	})
	s.sending.Go(func() { s.send(b) })
	return nil
}

// send sends the games of a block. If the broker is away or GAMES is full, it tries again until the
// block is over.
func (s *session) send(b *held) {
	messages, err := cluster.EncodeBatches(s.w.o.ID, &b.Block, b.finished)
	if err != nil {
		s.w.o.Log.Warn("games can't be sent", "reason", err)
		s.drop([]string{b.Token}, false)
		return
	}
	for _, data := range messages {
		for s.holds(b) {
			limited, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			limited, release := s.w.link.During(limited)
			_, err := s.w.js.Publish(limited, s.w.o.Names.GamesSubject(s.w.o.ID), data)
			release()
			cancel()
			if err == nil {
				break
			}
			s.w.o.Log.Debug("games are sent again", "reason", err)
			time.Sleep(time.Second)
		}
	}
	s.mu.Lock()
	b.sent = s.w.o.Now()
	s.mu.Unlock()
}

// holds reports whether the worker has a block that is not over.
func (s *session) holds(b *held) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.blocks, b)
}

// done takes the trainer's notice of blocks that are over.
func (s *session) done(m *nats.Msg) {
	d := new(cluster.Done)
	if err := cluster.Decode(m.Data, d); err != nil {
		s.w.o.Log.Warn("a message of the trainer is not understood", "reason", err)
		return
	}
	if d.Finished != "" {
		if d.Finished == s.run {
			s.end(errFinished)
		}
		return
	}
	if d.Refused != "" {
		s.w.o.Log.Warn("the trainer refuses games", "reason", d.Refused)
	}
	s.drop(d.Tokens, d.Refused == "")
}

// drop drops blocks that are over. counted says that the trainer has their games, if all were sent.
func (s *session) drop(tokens []string, counted bool) {
	var over []*held
	s.mu.Lock()
	if s.endMatch != nil && slices.Contains(tokens, s.match) {
		s.endMatch()
	}
	s.blocks = slices.DeleteFunc(s.blocks, func(b *held) bool {
		if !slices.Contains(tokens, b.Token) {
			return false
		}
		over = append(over, b)
		return true
	})
	var unwanted []uint64
	for _, b := range over {
		for _, n := range b.Numbers {
			if s.byNumber[n] == b {
				delete(s.byNumber, n)
			}
		}
		if len(b.finished) < len(b.Numbers) {
			unwanted = append(unwanted, b.Numbers...)
		} else if counted {
			s.w.finished.Add(uint64(len(b.finished)))
		}
	}
	s.setUnwanted(unwanted, nil)
	s.want()
	s.mu.Unlock()
	for _, b := range over {
		_ = b.m.Ack() // otherwise the trainer removes it
	}
}

// setUnwanted adds numbers to those whose games are dropped, and removes others. The caller holds
// s.mu.
func (s *session) setUnwanted(add, remove []uint64) {
	old := s.unwanted.Load()
	if len(add) == 0 && (old == nil || len(remove) == 0) {
		return
	}
	now := map[uint64]bool{}
	if old != nil && len(*old) < 1<<14 {
		for n := range *old {
			now[n] = true
		}
	}
	for _, n := range add {
		now[n] = true
	}
	for _, n := range remove {
		delete(now, n)
	}
	if len(now) == 0 {
		s.unwanted.Store(nil)
		return
	}
	s.unwanted.Store(&now)
}

func (s *session) isUnwanted(number uint64) bool {
	m := s.unwanted.Load()
	return m != nil && (*m)[number]
}

// cachedJob is a job that several blocks have.
type cachedJob struct {
	key string
	job *selfplay.Job
}

// keptJobs is the number of jobs that are kept for blocks to come.
const keptJobs = 6

// job returns the job of a block. Blocks that differ in their numbers alone have the same.
func (s *session) job(ctx context.Context, b *cluster.Block) (*selfplay.Job, error) {
	c := *b
	c.Numbers, c.Token, c.Session = nil, "", ""
	key := fmt.Sprintf("%+v", c)
	for _, j := range s.jobs { // only the goroutine of fetch uses it
		if j.key == key {
			return j.job, nil
		}
	}
	weights, err := s.nets.get(ctx, b.Weights)
	if err != nil {
		return nil, err
	}
	job := &selfplay.Job{
		Iteration: b.Iteration, Step: b.Step, Epsilon: b.Epsilon, Exploration: b.Exploration,
		Resign: b.Resign, Weights: weights,
	}
	if job.Belief, err = s.plan.Belief(weights); err != nil {
		return nil, err
	}
	s.jobs = append(s.jobs, cachedJob{key, job})
	s.jobs = s.jobs[max(0, len(s.jobs)-keptJobs):]
	return job, nil
}
