package hub

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/replay/record"
)

// TestWantedAfterARestart: without a queue, games from the first on that is not given out yet are
// kept, once each, unless they are numbered as they end.
func TestWantedAfterARestart(t *testing.T) {
	h, _ := fields(t)
	h.given = 5
	h.early[6] = &record.Game{}
	for number, want := range map[uint64]bool{4: false, 5: true, 6: false, 7: true} {
		if got := h.wants(&cluster.Batch{}, &record.Game{Number: number}); got != want {
			t.Errorf("game %d: %t", number, got)
		}
	}
	for n := range uint64(maxEarly - 1) {
		h.early[1000+n] = nil
	}
	if h.wants(&cluster.Batch{}, &record.Game{Number: 7}) {
		t.Error("more games are kept than there is room for")
	}
	delete(h.early, 1000)
	if !h.wants(&cluster.Batch{}, &record.Game{Number: 7}) {
		t.Error("a game is not kept for which there is room")
	}
	h.endOrder = true
	if h.wants(&cluster.Batch{}, &record.Game{Number: 7}) {
		t.Error("a game without order is kept")
	}
}

// TestFinishedBlocks: a block is over with its last game; how long blocks take is a mean that moves
// by a twentieth.
func TestFinishedBlocks(t *testing.T) {
	h, now := fields(t)
	for i, took := range []time.Duration{10 * time.Second, 30 * time.Second} {
		b := &block{
			Block: cluster.Block{Token: fmt.Sprint(i), Numbers: []uint64{1, 2}},
			began: *now, left: 2,
		}
		h.blocks[b.Token], h.byNumber[1], h.byNumber[2] = b, b, b
		*now = now.Add(took)
		if h.finished(3) != nil || h.finished(1) != nil || h.finished(1) != nil {
			t.Error("a block is over before its last game")
		}
		if h.finished(2) != b || len(h.blocks) > 0 || len(h.byNumber) > 0 {
			t.Errorf("%d blocks and %d games are left", len(h.blocks), len(h.byNumber))
		}
	}
	if math.Abs(h.tookMean-11) > 1e-9 {
		t.Errorf("a block takes %v s", h.tookMean)
	}
}

// TestLateGamesAreCounted, of a worker that is known and of one that is not.
func TestLateGamesAreCounted(t *testing.T) {
	h, _ := fields(t)
	h.workers["w"] = &worker{}
	h.countLate("w", 3)
	h.countLate("w", 0)
	h.countLate("gone", 2)
	if h.totals.Late != 5 || h.workers["w"].late != 3 {
		t.Errorf("%d, %d of w", h.totals.Late, h.workers["w"].late)
	}
}

// delivered is a message that the broker has delivered a number of times.
type delivered struct {
	jetstream.Msg
	subject string
	times   uint64
}

func (d delivered) Subject() string { return d.subject }

func (d delivered) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: d.times}, nil
}

// TestProbesAreTakenOut, and messages that come again are counted.
func TestProbesAreTakenOut(t *testing.T) {
	h, _ := fields(t)
	subject := h.o.Names.GamesSubject(probe)
	for times := range uint64(3) {
		if err := h.enter(t.Context(), []jetstream.Msg{
			delivered{nil, subject, times + 1},
		}); err != nil {
			t.Fatal(err)
		}
		if h.totals.Redelivered != times || len(h.notices) != int(times)+1 ||
			len(h.totals.Refused) > 0 {
			t.Errorf("delivered %d times: %d come again, %d acknowledged, refused %v",
				times+1, h.totals.Redelivered, len(h.notices), h.totals.Refused)
		}
	}
}

// sent returns the messages that are acknowledged and what workers are told, since the last call.
func sent(t *testing.T, h *Hub) (acks []jetstream.Msg, told []cluster.Done) {
	t.Helper()
	for len(h.notices) > 0 {
		n := <-h.notices
		if n.ack != nil {
			acks = append(acks, n.ack)
			continue
		}
		var d cluster.Done
		if err := cluster.Decode(n.data, &d); err != nil {
			t.Fatal(err)
		}
		told = append(told, d)
	}
	return acks, told
}

// batchOf is a batch of a block with these numbers, as it arrives from worker w.
func batchOf(block string, numbers ...uint64) *arrival {
	a := &arrival{
		m: delivered{subject: block, times: 1}, batch: &cluster.Batch{
			Worker: "w", Block: cluster.Block{Token: strings.Repeat(block, 32), Numbers: numbers},
		},
	}
	for _, n := range numbers {
		a.games = append(a.games, &record.Game{Number: n})
	}
	return a
}

// TestGamesThatAreEarly: games that are on disk count before they are given out, and their
// worker is told so; those below are kept to be removed.
func TestGamesThatAreEarly(t *testing.T) {
	h, _ := fields(t)
	h.workers["w"], h.given = &worker{}, 5
	h.handIn(batchOf("a", 5, 7))
	acks, told := sent(t, h)
	if len(acks) != 1 || len(told) != 1 || !told[0].Counted || len(h.early) != 2 ||
		h.totals.Counted != 2 || h.workers["w"].games != 2 {
		t.Errorf("%d acknowledged, told %+v; %d early, %d count", len(acks), told, len(h.early),
			h.totals.Counted)
	}
	h.handIn(batchOf("b", 4, 8))
	if acks, told := sent(t, h); len(acks) != 1 || len(told) != 1 || told[0].Counted ||
		len(h.stale) != 1 || h.totals.Counted != 3 {
		t.Errorf("%d acknowledged, told %+v; %d stale, %d count", len(acks), told, len(h.stale),
			h.totals.Counted)
	}
	open := batchOf("c", 9)
	h.blocks[open.batch.Block.Token] = &block{}
	h.handIn(open)
	if acks, told := sent(t, h); len(acks) != 1 || len(told) != 0 {
		t.Errorf("%d acknowledged, told %+v of a block that is not over", len(acks), told)
	}
}

// TestGamesWithoutOrder: a batch is acknowledged, and its worker told, once all games of it that
// count are durable, and at once if none counts.
func TestGamesWithoutOrder(t *testing.T) {
	h, _ := fields(t)
	h.endOrder = true
	h.acks, h.waiting = map[uint64][]jetstream.Msg{}, map[jetstream.Msg]*pending{}
	h.handIn(batchOf("a", 1, 2))
	if acks, told := sent(t, h); len(acks) != 1 || len(told) != 1 || told[0].Counted ||
		len(h.acks)+len(h.waiting) > 0 {
		t.Errorf("%d acknowledged, told %+v; %d games wait", len(acks), told, len(h.acks))
	}
	b := batchOf("b", 3, 4)
	h.waiting[b.m] = &pending{left: 2, worker: "w", token: b.batch.Block.Token, whole: true}
	h.acks[3], h.acks[4] = []jetstream.Msg{b.m}, []jetstream.Msg{b.m}
	h.Durable([]*record.Game{{EndOrder: true, Number: 90, Stream: 3}})
	if acks, told := sent(t, h); len(acks)+len(told) > 0 {
		t.Errorf("%d acknowledged, told %+v with a game that is not durable", len(acks), told)
	}
	h.Durable([]*record.Game{{EndOrder: true, Number: 91, Stream: 4}})
	if acks, told := sent(t, h); len(acks) != 1 || acks[0] != b.m || len(told) != 1 ||
		!told[0].Counted || told[0].Tokens[0] != b.batch.Block.Token ||
		len(h.acks)+len(h.waiting) > 0 {
		t.Errorf("%v acknowledged, told %+v; %d games wait", acks, told, len(h.acks))
	}
}
