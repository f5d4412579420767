package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/checkpoints"
	"tengen/cluster"
	"tengen/nn"
	"tengen/replay"
	"tengen/selfplay"
)

// Play implements selfplay.Crew.
func (h *Hub) Play(ctx context.Context, t *selfplay.Table) error {
	h.using.Lock()
	h.table = t
	h.using.Unlock()
	defer h.withdraw(ctx)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := h.fill(ctx, t); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-h.failed:
			return err
		case <-t.Changed():
		case <-h.room:
		case <-ticker.C:
			h.overdue(ctx, t)
		}
	}
}

// withdraw ends what is given out: the table needs no more games.
func (h *Hub) withdraw(ctx context.Context) {
	h.using.Lock()
	h.table = nil
	h.using.Unlock()
	h.mu.Lock()
	var over []string
	for token, b := range h.blocks {
		over = append(over, token)
		h.forget(b)
	}
	h.mu.Unlock()
	if len(over) == 0 || !h.o.Conn.IsConnected() {
		return
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := h.work.Purge(limited); err != nil {
		h.o.Log.Debug("work that is over is not withdrawn", "reason", err)
	}
	h.over(over)
}

// over tells all workers that blocks are over.
func (h *Hub) over(tokens []string) {
	for len(tokens) > 0 {
		n := min(len(tokens), 256)
		h.tell("", cluster.Done{Session: h.session, Tokens: tokens[:n]})
		tokens = tokens[n:]
	}
}

// forget removes a block. The caller holds h.mu.
func (h *Hub) forget(b *block) {
	delete(h.blocks, b.Token)
	for _, n := range b.Numbers {
		if h.byNumber[n] == b {
			delete(h.byNumber, n)
		}
	}
}

// load returns the games that workers play at a time, those that are given out, and the size of the next block.
func (h *Hub) load() (capacity, out, size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now, alive := h.o.Now(), 0
	for _, w := range h.workers {
		if w.alive(now) {
			capacity += w.Hello.Games
			alive++
		}
	}
	for _, b := range h.blocks {
		out += b.left
	}
	if alive > 0 {
		// Blocks are a part of what a worker plays at a time, so that an iteration's last games are spread over many.
		size = min(max(1, capacity/alive/4), 32)
	}
	return capacity, out, size
}

// fill gives out games until workers have half as many again as they play at a time.
func (h *Hub) fill(ctx context.Context, t *selfplay.Table) error {
	if !h.o.Conn.IsConnected() {
		return nil // the trainer's own workers play
	}
	swept := false
	capacity, out, size := h.load()
	for capacity > 0 && out < capacity+capacity/2+1 && ctx.Err() == nil {
		job, numbers := t.Take(size)
		if job == nil {
			return nil
		}
		if !swept {
			if !h.endOrder {
				h.sweep(numbers[0])
			}
			swept = true
		}
		if err := h.give(ctx, job, numbers); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			h.o.Log.Warn("games can't be given to workers, the trainer's own play them", "reason", err)
			t.Open(numbers)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			return nil
		}
		out += len(numbers)
	}
	return nil
}

// give publishes a block.
func (h *Hub) give(ctx context.Context, job *selfplay.Job, numbers []uint64) error {
	d, err := h.describe(ctx, job)
	if err != nil {
		return err
	}
	b := &block{Block: d, began: h.o.Now(), left: len(numbers)}
	b.Numbers = numbers
	b.Token = h.secret.Token(&b.Block)
	h.mu.Lock()
	h.blocks[b.Token] = b
	for _, n := range numbers {
		h.byNumber[n] = b
	}
	h.mu.Unlock()
	if err = h.publish(ctx, b); err != nil {
		h.mu.Lock()
		h.forget(b)
		h.mu.Unlock()
	}
	return err
}

// publish puts a block into WORK.
func (h *Hub) publish(ctx context.Context, b *block) error {
	data, err := cluster.Encode(&b.Block)
	if err != nil {
		return err
	}
	seq, err := h.put(ctx, h.o.Names.Work(), h.o.Names.WorkSubject(), data)
	if err != nil {
		return err
	}
	h.mu.Lock()
	b.seq = append(b.seq, seq)
	h.mu.Unlock()
	return nil
}

// put puts a message into a stream, and returns its number there.
func (h *Hub) put(ctx context.Context, stream, subject string, data []byte) (seq uint64, err error) {
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	ack, err := h.js.Publish(limited, subject, data)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", stream, err)
	}
	return ack.Sequence, nil
}

// described is a job in the words of a block, without numbers.
type described struct {
	job   *selfplay.Job
	block cluster.Block
}

// keptJobs is the number of jobs whose networks WEIGHTS keeps.
const keptJobs = 6

// describe returns a job in the words of a block, and puts the networks that it needs into WEIGHTS.
func (h *Hub) describe(ctx context.Context, job *selfplay.Job) (cluster.Block, error) {
	if h.lost.Swap(false) {
		h.jobs = nil
	}
	for _, d := range h.jobs { // only the goroutine of Play uses it
		if d.job == job {
			return d.block, nil
		}
	}
	b := cluster.Block{
		Run: h.name, Session: h.session, Iteration: job.Iteration, Step: job.Step, Epsilon: job.Epsilon, Exploration: job.Exploration,
		Simulations: job.Simulations, Resign: job.Resign,
	}
	var err error
	if b.Weights, err = h.upload(ctx, job.Params); err != nil {
		return b, err
	}
	if job.Restarts != nil {
		if b.Restarts, err = h.store(ctx, "restarts", job.Restarts.Encode()); err != nil {
			return b, err
		}
	}
	if job.Population != nil {
		for _, group := range job.Population.Groups {
			var members []cluster.Member
			for _, m := range group {
				if m.Seat.Kind == replay.Guest {
					members = append(members, cluster.Member{Guest: m.Seat.Name})
					continue
				}
				digest, err := h.upload(ctx, m.Params)
				if err != nil {
					return b, err
				}
				members = append(members, cluster.Member{Weights: digest, Step: m.Seat.Step})
			}
			b.Population = append(b.Population, members)
		}
	}
	h.mu.Lock()
	h.steps[b.Step] = true
	h.mu.Unlock()
	h.jobs = append(h.jobs, described{job, b})
	if drop := len(h.jobs) - keptJobs; drop > 0 {
		h.jobs = append([]described(nil), h.jobs[drop:]...)
	}
	h.tidy(ctx)
	return b, nil
}

// upload puts a network into WEIGHTS, unless it is there, and returns its digest.
func (h *Hub) upload(ctx context.Context, p *nn.Params) (string, error) {
	if p == nil {
		return "", errors.New("the parameters of a network are not known")
	}
	var file bytes.Buffer
	if err := checkpoints.WriteModel(&file, p, &checkpoints.Checkpoint{Game: h.o.Play.Game.Name()}); err != nil {
		return "", err
	}
	return h.store(ctx, "network", file.Bytes())
}

// store puts data into WEIGHTS, unless they are there, and returns their digest.
func (h *Hub) store(ctx context.Context, what string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	if _, err := h.weights.GetInfo(limited, digest); err == nil {
		return digest, nil
	} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", fmt.Errorf("%s in %s: %w", what, h.o.Names.Weights(), err)
	}
	if _, err := h.weights.PutBytes(limited, digest, data); err != nil {
		return "", fmt.Errorf("%s to %s: %w", what, h.o.Names.Weights(), err)
	}
	return digest, nil
}

// tidy removes from WEIGHTS what no block needs.
func (h *Hub) tidy(ctx context.Context) {
	h.nets.Lock()
	defer h.nets.Unlock()
	needed := map[string]bool{}
	h.mu.Lock()
	for d := range h.matchNets {
		needed[d] = true
	}
	h.mu.Unlock()
	for _, d := range h.jobs {
		needed[d.block.Weights], needed[d.block.Restarts] = true, true
		for _, group := range d.block.Population {
			for _, m := range group {
				needed[m.Weights] = true
			}
		}
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	list, err := h.weights.List(limited)
	if err != nil {
		return // none, or the broker is away
	}
	for _, o := range list {
		if !needed[o.Name] {
			_ = h.weights.Delete(limited, o.Name) // next time
		}
	}
}

// The trainer's own workers, and others a second time, get games of a block that takes much longer than blocks take.
const (
	leastLate = 3 * time.Second
	lateAfter = 3 // times the mean
)

// overdue looks after blocks that take long: as long as games are left they only wait for AckWait, after which the broker gives
// them to another worker.
func (h *Hub) overdue(ctx context.Context, t *selfplay.Table) {
	h.mu.Lock()
	now := h.o.Now()
	alive := 0
	for _, w := range h.workers {
		if w.alive(now) {
			alive++
		}
	}
	if !h.o.Conn.IsConnected() {
		alive = 0 // what workers finish now may come, or not
	}
	late := 10 * time.Second
	if h.tookMean > 0 {
		late = max(leastLate, time.Duration(lateAfter*h.tookMean*float64(time.Second)))
	}
	var again, opened []*block
	for _, b := range h.blocks {
		switch {
		case b.opened:
			opened = append(opened, b)
		case alive == 0 || now.Sub(b.began) > late:
			b.opened = true
			again, opened = append(again, b), append(opened, b)
		}
	}
	h.mu.Unlock()
	for _, b := range again {
		t.Open(b.Numbers)
	}
	for _, b := range again {
		if alive == 0 || ctx.Err() != nil {
			break
		}
		if err := h.publish(ctx, b); err != nil {
			// The broker is away or overloaded; nothing depends on it.
			h.o.Log.Debug("some blocks are not given out a second time", "reason", err)
			break
		}
		h.o.Metrics.ClusterAgain.Inc()
		h.mu.Lock()
		h.totals.Again++
		h.mu.Unlock()
	}
	// The trainer's own workers may have finished some.
	var over []*block
	for _, b := range opened {
		left := 0
		for _, n := range b.Numbers {
			if t.Wanted(n) {
				left++
			}
		}
		h.mu.Lock()
		if h.blocks[b.Token] == b {
			if b.left = left; left == 0 {
				over = append(over, b)
				h.forget(b)
			}
		}
		h.mu.Unlock()
	}
	h.end(over)
}

// end withdraws blocks that are over, and that several may play.
func (h *Hub) end(over []*block) {
	var tokens []string
	reached := h.o.Conn.IsConnected()
	for _, b := range over {
		tokens = append(tokens, b.Token)
		for _, seq := range b.seq {
			if !reached {
				break // a worker that gets it plays it for nothing
			}
			limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			err := h.work.DeleteMsg(limited, seq)
			cancel()
			if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
				h.o.Log.Debug("a block that is over is not withdrawn", "reason", err)
				reached = false
			}
		}
	}
	h.over(tokens)
}
