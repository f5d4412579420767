package hub

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/configs"
	"tengen/internal/runid"
	"tengen/metrics"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
	"tengen/vfs"
)

// Options describe a hub.
type Options struct {
	Conn    *nats.Conn
	Names   cluster.Names
	Folder  string             // of the run; the hub keeps its files in run.ClusterFolder in it
	Resume  bool               // the run is resumed
	FS      vfs.FS             // where Folder is; nil: the operating system's
	Config  *configs.Config    // of the run
	Play    *selfplay.Settings // of its games
	Build   cluster.Build
	Log     *slog.Logger     // required
	Metrics *metrics.Metrics // required
	Now     func() time.Time // required
	// Ban, if not nil, is called with the account (cluster.Account) of workers of which nothing
	// counts any more.
	Ban func(account string)

	// Past are the runs (Run) of earlier hubs on the same broker. Games that come late from them
	// are dropped, and are no lies.
	Past map[string]bool
	// Audits is the share of the games of matches that the trainer plays again, to compare; 0:
	// 1/32.
	Audits float64
	// GamesBytes bounds GAMES, in which finished games wait for the trainer; 0: 256 MiB. Workers
	// wait while it is full.
	GamesBytes int64
	// through, if not nil, is between the hub and JetStream, for tests.
	through func(jetstream.JetStream) jetstream.JetStream
	// Replicas is the number of servers of an external broker that hold each stream; 0: 1.
	Replicas int
}

// Times. Workers say Hello every HelloEvery.
const (
	HelloEvery = 5 * time.Second
	goneAfter  = 3 * HelloEvery // without a Hello a worker is gone
	tick       = 250 * time.Millisecond
	ackWait    = 60 * time.Second
)

// Hub is the trainer's side. It implements selfplay.RemoteWorkers. Its methods are safe for
// concurrent use.
type Hub struct {
	o    Options
	text string // the configuration
	// games are numbered as they end: one that an earlier process has given out does not count
	endOrder   bool
	link       *cluster.Link
	js         jetstream.JetStream
	work       jetstream.Stream
	matchQueue jetstream.Stream
	weights    jetstream.ObjectStore
	secret     cluster.Secret
	name       string // of the run
	session    string
	rules      string
	stop       func()
	group      sync.WaitGroup
	checker    *record.Checker // of the goroutine that receives

	disk    sync.Mutex // guards journal; held while it writes
	journal *replay.Journal

	// held while networks are removed from WEIGHTS, and while those of a match are put there and
	// noted
	nets sync.Mutex

	using sync.RWMutex        // guards queue; held while it is used
	queue *selfplay.WorkQueue // nil while no games are wanted

	mu sync.Mutex
	// numbers below it have been given out, by the queue or to workers of this process
	given    uint64
	early    map[uint64]*record.Game // in the journal, and not given out
	stale    []uint64                // in the journal, but not wanted
	blocks   map[string]*block       // by token: those that are not over
	byNumber map[uint64]*block
	// of games without order, by stream: messages to acknowledge once the game is durable
	acks       map[uint64][]jetstream.Msg
	waiting    map[jetstream.Msg]*pending
	workers    map[string]*worker
	jobs       []described // newest last
	matches    map[uint64]*match
	matchCount uint64
	matchNets  map[string]int      // networks of matches, by digest: how many matches need each
	conduct    map[string]*conduct // by account
	tookMean   float64             // seconds of a block; 0: not known yet
	complete   bool                // the run is finished
	totals     run.Cluster         // without what Status adds
	opened     time.Time
	lost       atomic.Bool   // the broker has lost its streams: networks must be put there again
	failed     chan error    // with room for one: what ends the run
	room       chan struct{} // receives a value when there may be something for deal
	notices    chan notice   // for notify
	again      []*block      // to be given out a second time
	chores     chores
	stalled    stall
	full       bool // the disk of the journal
}

// block is a block of work that is not over.
type block struct {
	cluster.Block
	seq    []uint64 // in WORK
	began  time.Time
	left   int  // games that are not finished
	sent   bool // WORK has it
	opened bool // the trainer's own workers may play them too, and it has been given out twice
}

// pending is a message whose games are not all durable.
type pending struct {
	left   int
	worker string
	token  string
	whole  bool // it has all games of its block, and nobody else has finished one of them
}

// Open makes the streams on the broker, and receives what workers say from now on.
func Open(ctx context.Context, o Options) (h *Hub, err error) {
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	if o.GamesBytes == 0 {
		o.GamesBytes = 256 << 20
	}
	text, err := o.Config.YAML()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	h = &Hub{
		o: o, text: string(text), endOrder: o.Config.Training.Cycle == configs.CycleAsynchronous,
		rules: cluster.RulesDigest(o.Play.Game), checker: record.NewChecker(o.Play.Game),
		session: random(8),
		early:   map[uint64]*record.Game{}, blocks: map[string]*block{},
		byNumber: map[uint64]*block{},
		acks:     map[uint64][]jetstream.Msg{}, waiting: map[jetstream.Msg]*pending{},
		workers: map[string]*worker{},
		matches: map[uint64]*match{}, matchNets: map[string]int{},
		conduct: map[string]*conduct{}, failed: make(chan error, 1), room: make(chan struct{}, 1),
		notices: make(chan notice, maxNotices),
		opened:  o.Now(), totals: run.Cluster{Refused: map[string]uint64{}},
	}
	if h.secret, err = h.readSecret(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	h.name = runID(h.secret)
	journal := filepath.Join(o.Folder, run.ClusterFolder, "journal")
	if !o.Resume {
		if err := o.FS.RemoveAll(journal); err != nil { // of a run that was removed
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	var games []*record.Game
	var damages []*replay.Damage
	if h.journal, games, damages, err = replay.OpenJournal(o.FS, journal, h.owner()); err != nil {
		if errors.Is(err, runid.ErrOtherRun) {
			err = fmt.Errorf("%w; move the file away to go on without its games", err)
		}
		return nil, fmt.Errorf("cluster: %w", err)
	}
	for _, d := range damages {
		o.Log.Warn(
			"a damaged part of the cluster's journal is passed over: its games are played again",
			"reason", d)
	}
	for _, g := range games {
		h.early[g.Number] = g
	}
	h.link = cluster.Watch(o.Conn)
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop = func() { stop(); h.link.Close() }
	if err := h.openStreams(ctx, inner); err != nil {
		h.stop()
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), h.journal.Close())
	}
	return h, nil
}

// owner is whom the journal belongs to; of a run that has no identity yet, only the seed is known.
func (h *Hub) owner() *replay.Owner {
	owner := &replay.Owner{Seed: h.o.Play.Seed}
	if id, err := run.Folder(h.o.Folder).On(h.o.FS).ReadIdentity(); err == nil && id != nil {
		owner.Run = id.ID
	}
	return owner
}

// runID returns the name of a run among others on a broker.
func runID(s cluster.Secret) string {
	b := &cluster.Block{Run: "the name of the run"}
	return s.Token(b)[:16]
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// readSecret reads the run's secret, or makes it.
func (h *Hub) readSecret() (cluster.Secret, error) {
	dir := filepath.Join(h.o.Folder, run.ClusterFolder)
	path := filepath.Join(dir, "secret")
	b, err := vfs.ReadFile(h.o.FS, path)
	if err == nil && len(b) == cluster.SecretSize {
		return b, nil
	}
	if err == nil {
		return nil, fmt.Errorf("%s has %d bytes; %d are wanted: remove it, games that were given out before then do not count", path, len(b), cluster.SecretSize)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := vfs.MkdirAll(h.o.FS, dir); err != nil {
		return nil, err
	}
	s := make([]byte, cluster.SecretSize)
	_, _ = rand.Read(s) // never fails
	return s, writeSecret(h.o.FS, path, s)
}

func writeSecret(fsys vfs.FS, path string, s []byte) error {
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(s)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Times of Finish.
const (
	finishWait = 5 * time.Second // for workers to leave, at most
	// A trainer that was started anew a moment ago may have workers that have not said Hello yet.
	finishLeast = 3 * time.Second
)

// Finish tells workers that the run is finished, and waits for a few seconds until they have left.
// Those that are cut off then wait for the trainer.
func (h *Hub) Finish(ctx context.Context) {
	h.mu.Lock()
	h.complete = true
	h.mu.Unlock()
	if n := h.present(); n > 0 {
		h.o.Log.Info("workers are told that the run is finished", "workers", n)
	}
	for began := h.o.Now(); ctx.Err() == nil && h.o.Now().Sub(began) < finishWait; {
		h.tell("", cluster.Done{Session: h.session, Finished: h.name})
		if h.present() == 0 && h.o.Now().Sub(h.opened) > finishLeast {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(tick):
		}
	}
	h.flush()
	if err := h.o.Conn.Flush(); err != nil {
		h.o.Log.Debug("workers are not told that the run is finished", "reason", err)
	}
}

// Run returns the name of the run, by which its workers know it.
func (h *Hub) Run() string { return h.name }

// present returns the number of workers that play.
func (h *Hub) present() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	for _, w := range h.workers {
		if w.alive(now) {
			n++
		}
	}
	return n
}

// Close ends the hub. Games that are not durable yet are given out again by another.
func (h *Hub) Close() error {
	h.stop()
	h.group.Wait()
	h.disk.Lock()
	defer h.disk.Unlock()
	return h.journal.Close()
}

// Games implements selfplay.RemoteWorkers.
func (h *Hub) Games() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	for _, w := range h.workers {
		if w.alive(now) {
			n += w.Hello.Games
		}
	}
	return n
}
