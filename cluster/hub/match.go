package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/arena"
	"tengen/cluster"
	"tengen/game"
)

// match is a match whose games workers play too.
type match struct {
	id       uint64 // of the session
	queue    *arena.WorkQueue
	head     cluster.MatchBlock // without numbers; only the goroutine of dealMatch uses it
	digests  []string           // of its networks, in WEIGHTS; guarded by Hub.mu
	blocks   map[string]*matchBlock
	tookMean float64        // seconds of a block; 0: not known yet
	changed  chan struct{}  // receives a value when a block is over
	audits   chan audit     // games that this process plays again before they count
	counted  map[string]int // games that count, by worker; guarded by Hub.mu
}

// audit is a game of a worker that this process plays again.
type audit struct {
	worker  string
	number  int
	actions []game.Action
}

// matchBlock is a block of games of a match that is not over.
type matchBlock struct {
	cluster.MatchBlock
	seq   uint64 // in MATCHES
	sent  bool   // MATCHES has it
	began time.Time
	back  bool // given back: the trainer plays its games too
}

// Times of blocks of matches.
const (
	// until a block is given back, while nobody knows how long they take
	firstMatchBlock = 30 * time.Second
	leastMatchBlock = 5 * time.Second
	mostMatchGames  = 16 // of a block
)

// audits is the share of the games of matches that the trainer plays again.
const audits = 1.0 / 32

// Match returns who plays games of matches among players on other machines. A player is a network
// of the run, or one that player.Parse reads.
func (h *Hub) Match(players []arena.Contestant) arena.RemoteWorkers {
	return &matchWorkers{h, players}
}

type matchWorkers struct {
	hub     *Hub
	players []arena.Contestant
}

// Play implements arena.RemoteWorkers.
func (x *matchWorkers) Play(ctx context.Context, d *arena.WorkQueue) {
	h := x.hub
	m := &match{
		queue: d, blocks: map[string]*matchBlock{}, changed: make(chan struct{}, 1),
		audits: make(chan audit, 64), counted: map[string]int{},
	}
	h.mu.Lock()
	h.matchCount++
	m.id = h.matchCount
	h.matches[m.id] = m
	h.mu.Unlock()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { h.playAgain(ctx, m) })
	defer h.endMatch(m)
	// it may wait for the broker, which the match does not
	h.group.Go(func() { h.dealMatch(ctx, m, x.players) })
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			h.giveBack(m)
		}
	}
}

// dealMatch gives out games of a match until ctx ends.
func (h *Hub) dealMatch(ctx context.Context, m *match, players []arena.Contestant) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for told := false; ctx.Err() == nil; {
		err := h.giveGames(ctx, m, players)
		switch {
		case errors.As(err, new(*fault)):
			h.stall(ctx, err)
		case err != nil && ctx.Err() == nil && !told:
			told = true
			h.o.Log.Warn("games of a match can't be given to workers, the trainer plays them",
				"reason", err)
		}
		select {
		case <-ctx.Done():
		case <-m.changed:
		case <-ticker.C:
		}
	}
}

// giveGames gives out games until each worker has a block and some wait.
func (h *Hub) giveGames(ctx context.Context, m *match, players []arena.Contestant) error {
	alive := h.present()
	h.mu.Lock()
	stalled := h.takesNothing()
	h.mu.Unlock()
	if alive == 0 || stalled {
		return nil
	}
	if m.head.Run == "" {
		if err := h.describeMatch(ctx, m, players); err != nil {
			return err
		}
	}
	h.mu.Lock()
	out := 0
	for _, b := range m.blocks {
		if !b.back {
			out++
		}
	}
	h.mu.Unlock()
	for ; out < alive+alive/2+1 && ctx.Err() == nil; out++ {
		// The last games are given out one by one, so that none waits for many.
		numbers := m.queue.Take(min(max(1, m.queue.Left()/(3*(alive+1))), mostMatchGames))
		if len(numbers) == 0 {
			return nil
		}
		b := &matchBlock{MatchBlock: m.head, began: h.o.Now()}
		b.Numbers = numbers
		b.Token = h.secret.MatchToken(&b.MatchBlock)
		h.mu.Lock()
		m.blocks[b.Token] = b
		h.mu.Unlock()
		if err := h.publishMatch(ctx, b); err != nil {
			h.mu.Lock()
			delete(m.blocks, b.Token)
			h.mu.Unlock()
			m.queue.GiveBack(numbers)
			return err
		}
	}
	return nil
}

func (h *Hub) publishMatch(ctx context.Context, b *matchBlock) error {
	data, err := cluster.Encode(&b.MatchBlock)
	if err != nil {
		return err
	}
	seq, err := h.put(ctx, h.o.Names.Matches(), h.o.Names.MatchSubject(), data)
	if err != nil {
		return err
	}
	h.o.Log.Debug("games of a match are given out", "match", b.Match, "games",
		len(b.Numbers), "of", b.Games)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.matches[b.Match] == nil {
		h.chores.drop(&h.chores.matches, seq) // it is over already
	}
	b.seq, b.sent = seq, true
	return nil
}

// describeMatch says what a match is, and puts its networks into WEIGHTS.
func (h *Hub) describeMatch(ctx context.Context, m *match, players []arena.Contestant) error {
	a := m.queue.Match()
	head := cluster.MatchBlock{
		Run: h.name, Session: h.session, Match: m.id, Seatings: a.Seatings, Games: a.Games,
		Paired: a.Paired, Drawn: a.Drawn, Seed: a.Seed, Opening: a.Opening,
	}
	h.nets.Lock() // so that none is removed before it is noted
	defer h.nets.Unlock()
	var digests []string
	for _, p := range players {
		c := cluster.Contestant{Player: p.Player, Simulations: p.Simulations}
		if p.Player == "" || p.Params != nil {
			var err error
			if c.Weights, err = h.upload(ctx, p.Params); err != nil {
				return err
			}
			digests = append(digests, c.Weights)
		}
		if p.Config != "" {
			var err error
			if c.Config, err = h.store(ctx, "configuration", []byte(p.Config)); err != nil {
				return err
			}
			digests = append(digests, c.Config)
		}
		head.Players = append(head.Players, c)
	}
	m.head = head
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.matches[m.id] == m { // or it is over
		m.digests = digests
		for _, d := range digests {
			h.matchNets[d]++
		}
	}
	return nil
}

// giveBack has the trainer play games of blocks that take long, or of workers that are gone.
func (h *Hub) giveBack(m *match) {
	alone := h.present() == 0
	h.mu.Lock()
	alone = alone || h.takesNothing()
	late := firstMatchBlock
	if m.tookMean > 0 {
		late = max(leastMatchBlock, time.Duration(lateAfter*m.tookMean*float64(time.Second)))
	}
	now := h.o.Now()
	var back []int
	for _, b := range m.blocks {
		if took := now.Sub(b.began); !b.back &&
			(alone || took > late || !b.sent && took > patience) {
			b.back = true
			back = append(back, b.Numbers...)
		}
	}
	h.mu.Unlock()
	m.queue.GiveBack(back)
}

// endMatch withdraws what is given out: the match needs no more games.
func (h *Hub) endMatch(m *match) {
	h.mu.Lock()
	delete(h.matches, m.id)
	var tokens []string
	for token, b := range m.blocks {
		tokens = append(tokens, token)
		h.chores.drop(&h.chores.matches, b.seq)
	}
	for _, d := range m.digests {
		if h.matchNets[d]--; h.matchNets[d] == 0 {
			delete(h.matchNets, d)
		}
	}
	h.mu.Unlock()
	h.over(tokens)
}

// enterResults checks results of a match and hands them in.
func (h *Hub) enterResults(worker string, m jetstream.Msg) {
	err := h.takeResults(worker, m.Data())
	if err != nil {
		h.refuse(worker, nil, err)
		if err := m.Term(); err != nil {
			h.o.Log.Debug("refused results are not removed; they come again", "reason", err)
		}
		return
	}
	h.acknowledge(m)
}

func (h *Hub) takeResults(worker string, data []byte) error {
	if reason := h.unwelcome(worker); reason != "" {
		return &refusal{refusedWorker, errors.New(reason)}
	}
	r, games, err := cluster.DecodeResults(data)
	switch {
	case err != nil:
		return &refusal{refusedMessage, err}
	case r.Worker != worker:
		return &refusal{
			refusedMessage, fmt.Errorf("results of worker %s came on the subject of %s",
				r.Worker, worker),
		}
	case h.o.Past[r.Block.Run]:
	case r.Block.Run != h.name || !h.secret.GivenMatch(&r.Block):
		return &refusal{
			refusedNotGiven, errors.New("its games of a match were not given out by this run"),
		}
	}
	h.mu.Lock()
	var x *match
	if r.Block.Session == h.session {
		x = h.matches[r.Block.Match]
	}
	h.mu.Unlock()
	counted := 0
	if x != nil {
		for i, n := range r.Block.Numbers {
			if h.audits(x, n) && x.queue.Wanted(n) {
				select {
				case x.audits <- audit{worker, n, games[i]}:
					counted++
					continue
				default: // enough wait
				}
			}
			wanted, err := x.queue.Finish(n, games[i])
			if err != nil {
				h.mu.Lock()
				delete(x.blocks, r.Block.Token)
				h.mu.Unlock()
				x.queue.GiveBack(r.Block.Numbers)
				return &refusal{refusedRecord, fmt.Errorf("match: %w", err)}
			}
			if wanted {
				counted++
			}
		}
	}
	if counted == 0 && !h.mayBeVain(worker) {
		return &refusal{refusedFlood, errors.New("it sends the same games again and again")}
	}
	h.o.Metrics.ClusterMatchGames.Add(float64(counted))
	h.mu.Lock()
	h.totals.Matches += uint64(counted)
	if x != nil {
		x.counted[worker] += counted
		if b := x.blocks[r.Block.Token]; b != nil {
			delete(x.blocks, r.Block.Token)
			took := h.o.Now().Sub(b.began).Seconds()
			if x.tookMean == 0 {
				x.tookMean = took
			}
			x.tookMean += 0.2 * (took - x.tookMean)
		}
	}
	h.mu.Unlock()
	if x != nil {
		select {
		case x.changed <- struct{}{}:
		default:
		}
	}
	return nil
}

// audits reports whether this process plays a game of a match again. Workers can't know it.
func (h *Hub) audits(m *match, number int) bool {
	share := h.o.Audits
	if share == 0 {
		share = audits
	}
	return h.secret.Draw(fmt.Sprintf("audit %s %d %d", h.session, m.id, number)) < share
}

// playAgain plays games that workers have sent again, until ctx ends. The actions must be the same:
// a game follows from the match and its number.
func (h *Hub) playAgain(ctx context.Context, m *match) {
	own := *m.queue.Match()
	own.Remote, own.Workers, own.GamesPerWorker = nil, 1, 1
	for {
		var a audit
		select {
		case <-ctx.Done():
			return
		case a = <-m.audits:
		}
		list, err := own.Some(ctx, []int{a.number})
		if err != nil {
			m.queue.GiveBack([]int{a.number}) // if an evaluator has failed, the match learns of it
			continue
		}
		h.mu.Lock()
		m.counted[a.worker]--
		others := m.counted[a.worker]
		h.mu.Unlock()
		if !slices.Equal(list[0], a.actions) {
			h.refuse(a.worker, nil, &refusal{refusedPlay, fmt.Errorf("game %d of match %d was not played by its players: played again here it has other moves; %d games of this worker count in the match", a.number, m.id, others)})
		}
		if _, err := m.queue.Finish(a.number, list[0]); err != nil {
			h.o.Log.Warn("a game of a match that was played again", "reason", err)
		}
	}
}

// makeMatches makes the stream of matches, and drops what is in it.
func (h *Hub) makeMatches(ctx context.Context, replicas int) (jetstream.Stream, error) {
	n := h.o.Names
	s, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: n.Matches(), Subjects: []string{n.MatchSubject()},
		Retention:  jetstream.WorkQueuePolicy,
		MaxMsgSize: cluster.MaxHead, MaxBytes: 16 << 20, Discard: jetstream.DiscardNew,
		Replicas: replicas,
	})
	if err != nil {
		return nil, err
	}
	if err := s.Purge(ctx); err != nil {
		return nil, err
	}
	_, err = s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: cluster.MatchConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: 1 << 14, MaxWaiting: 1 << 14,
	})
	return s, err
}
