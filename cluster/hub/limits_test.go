package hub

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/game"
	"tengen/metrics"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
)

// TestBucket: a burst is let through, then no more than the rate, whatever the time between two.
func TestBucket(t *testing.T) {
	now := time.Unix(1000, 0)
	var b bucket
	l := limit{rate: 2, burst: 10}
	count := func(n int, step time.Duration) (through int) {
		for range n {
			now = now.Add(step)
			if b.take(l, now) {
				through++
			}
		}
		return through
	}
	if n := count(100, 0); n != 10 {
		t.Errorf("%d at once, want 10", n)
	}
	if n := count(1000, 100*time.Millisecond); n < 199 || n > 201 {
		t.Errorf("%d in 100 s at 2 a second", n)
	}
	if n := count(50, time.Second); n != 50 {
		t.Errorf("%d of 50, one a second", n)
	}
	now = now.Add(time.Hour)
	if n := count(100, 0); n != 10 {
		t.Errorf("%d at once after an hour, want 10", n)
	}
	now = now.Add(-time.Hour) // a clock that was put back
	if n := count(1, 0); n != 0 {
		t.Error("a clock that is put back gives a new burst")
	}
}

// fields are a Hub's for tests of what it remembers of workers: it has no broker, and drops what it
// would send.
func fields(t *testing.T) (h *Hub, now *time.Time) {
	t.Helper()
	now = new(time.Time)
	*now = time.Unix(1000, 0)
	names, err := cluster.NewNames("test")
	if err != nil {
		t.Fatal(err)
	}
	return &Hub{
		o: Options{
			Names: names, Play: &selfplay.Settings{
				Game: game.Must(game.New("tictactoe")),
			}, Log: slog.New(slog.DiscardHandler),
			Metrics: metrics.New(nil), Now: func() time.Time { return *now },
			Build: cluster.Build{Build: "b", Records: record.Version, Kernels: "k"},
		},
		rules: "r", workers: map[string]*worker{}, conduct: map[string]*conduct{},
		early:  map[uint64]*record.Game{},
		blocks: map[string]*block{}, byNumber: map[uint64]*block{},
		totals:  run.Cluster{Refused: map[string]uint64{}},
		notices: make(chan notice, 100),
	}, now
}

// TestFloodsBan: after maxFlood messages beyond a limit nothing of an account counts any more,
// which is told once.
func TestFloodsBan(t *testing.T) {
	h, _ := fields(t)
	var banned []string
	h.o.Ban = func(account string) { banned = append(banned, account) }
	for _, id := range []string{"key.1", "key.2", "other"} {
		h.workers[id] = &worker{}
	}
	for n := 1; n <= 2*maxFlood; n++ {
		h.flooded("key.1", "it is loud")
		if want := n / maxFlood; want > 1 && len(banned) != 1 || want <= 1 && len(banned) != want {
			t.Fatalf("after %d messages %v are banned", n, banned)
		}
	}
	for id, w := range h.workers {
		if (w.reason != "") != (id != "other") {
			t.Errorf("%s: %q", id, w.reason)
		}
	}
	if banned[0] != "key" || h.bannedFor("key.3") == "" || h.bannedFor("other") != "" ||
		h.totals.Refused[refusedFlood] != 2*maxFlood {
		t.Errorf("%v are banned, key.3: %q, other: %q; %v",
			banned, h.bannedFor("key.3"), h.bannedFor("other"), h.totals.Refused)
	}
	// Who is banned for a lie is not banned again, for a flood.
	h.conductOf("liar").banned = "it lies"
	for range maxFlood {
		h.flooded("liar", "it is loud")
	}
	if len(banned) != 1 || h.bannedFor("liar") != "it lies" {
		t.Errorf("%v, %q", banned, h.bannedFor("liar"))
	}
}

// TestLiesBan: maxLies refused batches ban an account, one false game of a match does, and messages
// of who is not welcome never do.
func TestLiesBan(t *testing.T) {
	for _, c := range []struct {
		err    error
		worker string
		after  int // 0: never
	}{
		{&refusal{refusedRecord, errors.New("a rule is broken")}, "key.1", maxLies},
		{errors.New("nonsense"), "key.1", maxLies},
		{&refusal{refusedPlay, errors.New("another move")}, "key.1", 1},
		{&refusal{refusedWorker, errors.New("who is it?")}, "key.1", 0},
		{errors.New("nonsense"), "not an id", 0},
	} {
		h, _ := fields(t)
		bans := 0
		h.o.Ban = func(string) { bans++ }
		h.workers[c.worker] = &worker{}
		for n := 1; n <= 3*maxLies; n++ {
			h.refuse(c.worker, nil, c.err)
			if want := c.after > 0 && n >= c.after; (h.bannedFor(c.worker) != "") != want ||
				(h.workers[c.worker].reason != "") != want || (bans == 1) != want {
				t.Fatalf("%v: after %d: %q, %d bans", c.err, n, h.bannedFor(c.worker), bans)
			}
		}
		if w := h.workers[c.worker]; c.after > 0 && w.refused != 3*maxLies {
			t.Errorf("%v: %d batches are refused", c.err, w.refused)
		}
	}
	// The worker is told which block does not count, in at most 500 bytes.
	h, _ := fields(t)
	b := &cluster.Batch{Block: cluster.Block{Token: h.secret.Token(&cluster.Block{})}}
	h.refuse("key.1", b, errors.New(strings.Repeat("x", 600)))
	h.refuse("not an id", b, errors.New("x"))
	h.refuse("key.1", &cluster.Batch{Block: cluster.Block{Token: "no token"}}, errors.New("x"))
	if len(h.notices) != 1 {
		t.Fatalf("%d notices", len(h.notices))
	}
	d := new(cluster.Done)
	if n := <-h.notices; cluster.Decode(n.data, d) != nil ||
		n.subject != h.o.Names.DoneSubject("key.1") || len(d.Refused) != 500 ||
		d.Tokens[0] != b.Block.Token {
		t.Errorf("%s: %+v", n.subject, d)
	}
}

// TestManyAccounts: no more accounts and workers are remembered than maxWorkers; those that were
// silent for an hour make room.
func TestManyAccounts(t *testing.T) {
	h, now := fields(t)
	for n := range maxWorkers {
		id := fmt.Sprintf("w%d", n)
		h.conductOf(id)
		h.workers[id] = &worker{seen: *now}
	}
	delete(h.workers, "w9")
	if reason := h.meet(&cluster.Hello{Worker: "w9", Build: h.o.Build}); reason != "" {
		t.Errorf("the last that there is room for: %s", reason)
	}
	if h.conductOf("more").refused++; len(h.conduct) != maxWorkers ||
		h.conductOf("more").refused > 0 {
		t.Errorf("%d accounts", len(h.conduct))
	}
	*now = now.Add(time.Hour)
	if h.meet(&cluster.Hello{Worker: "more", Build: h.o.Build}) == "" ||
		len(h.workers) != maxWorkers {
		t.Errorf("%d workers", len(h.workers))
	}
	h.workers["w7"].refused, h.workers["w8"].seen = 1, *now
	*now = now.Add(1)
	if reason := h.meet(&cluster.Hello{Worker: "more", Build: h.o.Build}); reason != "" ||
		len(h.workers) != 3 || h.workers["w7"] == nil || h.workers["w8"] == nil {
		t.Errorf("%d workers: %s", len(h.workers), reason)
	}
}

// TestMeeting: a worker that differs from the trainer is refused, and counted once, until it is the
// same; one that leaves is forgotten.
func TestMeeting(t *testing.T) {
	h, _ := fields(t)
	same := cluster.Hello{Worker: "w", Build: h.o.Build, Rules: "r", Session: "s"}
	for _, c := range []struct {
		change  func(*cluster.Hello)
		reason  string
		counted uint64
	}{
		// not known before the first welcome
		{func(x *cluster.Hello) { x.Session, x.Kernels, x.Rules = "", "", "" }, "", 0},
		{func(x *cluster.Hello) { x.Kernels = "" }, "kernel path", 1},
		{func(x *cluster.Hello) { x.Kernels = "" }, "kernel path", 1},
		{func(*cluster.Hello) {}, "", 1},
		{func(x *cluster.Hello) { x.Rules = "" }, "rules", 2},
		{func(x *cluster.Hello) { x.Build.Build = "c" }, "build", 3},
		{func(x *cluster.Hello) { x.Session, x.Rules = "", "q" }, "rules", 4},
		{func(*cluster.Hello) {}, "", 4},
	} {
		x := same
		c.change(&x)
		if got := h.meet(&x); !strings.Contains(got, c.reason) || (got == "") != (c.reason == "") ||
			h.totals.Refused[refusedWorker] != c.counted {
			t.Errorf("%+v: %q, want %q; %v", x, got, c.reason, h.totals.Refused)
		}
	}
	same.Leaving = true
	if h.meet(&same); len(h.workers) > 0 {
		t.Errorf("%d workers after it has left", len(h.workers))
	}
}

// TestHello: who says hello on the subject of another, or nothing that can be read, is counted and
// not remembered.
func TestHello(t *testing.T) {
	h, _ := fields(t)
	hello := func(subject string, data []byte) {
		h.hello(&nats.Msg{Subject: h.o.Names.HelloSubject(subject), Data: data})
	}
	data, err := cluster.Encode(&cluster.Hello{Worker: "w", Build: h.o.Build, Games: 1})
	if err != nil {
		t.Fatal(err)
	}
	hello("v", data)
	hello("w", data[:len(data)-1])
	if len(h.workers) > 0 || h.totals.Refused[refusedMessage] != 2 {
		t.Errorf("%d workers, refused %v", len(h.workers), h.totals.Refused)
	}
	hello("w", data)
	if h.workers["w"] == nil || len(h.workers) > 1 || h.totals.Refused[refusedMessage] != 2 {
		t.Errorf("%d workers, refused %v", len(h.workers), h.totals.Refused)
	}
}

// TestWorkersMaySend: hellos of a worker and of its account are limited, and so are batches of
// which no game counts.
func TestWorkersMaySend(t *testing.T) {
	h, _ := fields(t)
	through := func(times int, may func() bool) (n int) {
		for range times {
			if may() {
				n++
			}
		}
		return n
	}
	hello := func() bool { return h.mayHello("key.1") }
	if n := through(5000, hello); n != int(helloLimitKey.burst) {
		t.Errorf("%d hellos of an account", n)
	}
	h, _ = fields(t)
	h.workers["key.1"] = &worker{}
	if n := through(200, hello); n != int(helloLimit.burst) || h.conduct["key"].floods != 100 {
		t.Errorf("%d hellos of a worker, %d too many", n, h.conduct["key"].floods)
	}
	vain := func() bool { return h.mayBeVain("key.1") }
	if n := through(5000, vain); n != int(vainLimit.burst) || h.conduct["key"].vain.used > 0 {
		t.Errorf("%d vain batches of a worker", n)
	}
	delete(h.workers, "key.1")
	if n := through(5000, vain); n != int(vainLimit.burst) {
		t.Errorf("%d vain batches of an account", n)
	}
}
