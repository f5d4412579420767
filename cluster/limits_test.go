package cluster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/replay/record"
)

// limit is a change of a message that is sound, and whether the message is sound after it.
type limit[M any] struct {
	name   string
	ok     bool
	change func(m *M)
}

func checkLimits[M any, P interface {
	*M
	message
}](t *testing.T, sound func() P, limits []limit[M]) {
	t.Helper()
	if err := sound().check(); err != nil {
		t.Fatal(err)
	}
	for _, l := range limits {
		m := sound()
		l.change(m)
		if err := m.check(); (err == nil) != l.ok {
			t.Errorf("%v: %s: %v", m.kind(), l.name, err)
		}
	}
}

// TestMessageLimits: each end of a range is allowed, and what is beyond it is not.
func TestMessageLimits(t *testing.T) {
	longest := strings.Repeat("x", maxText)
	ascending := func(n int) (list []uint64) {
		for i := range n {
			list = append(list, uint64(i))
		}
		return list
	}
	checkLimits(t, block, []limit[Block]{
		{"a game", true, func(b *Block) { b.Numbers = ascending(1) }},
		{"most games", true, func(b *Block) { b.Numbers = ascending(MaxBlock) }},
		{"a game more", false, func(b *Block) { b.Numbers = ascending(MaxBlock + 1) }},
		{"a game twice", false, func(b *Block) { b.Numbers = []uint64{3, 3} }},
		{"the first iteration", true, func(b *Block) { b.Iteration = 0 }},
		{"the last iteration", true, func(b *Block) { b.Iteration = math.MaxInt32 }},
		{"an iteration more", false, func(b *Block) { b.Iteration = math.MaxInt32 + 1 }},
		{"no noise", true, func(b *Block) { b.Epsilon = 0 }},
		{"noise alone", true, func(b *Block) { b.Epsilon = 1 }},
		{"less than no noise", false, func(b *Block) { b.Epsilon = -0.1 }},
		{"more than noise alone", false, func(b *Block) { b.Epsilon = 1.1 }},
		{"noise of no number", false, func(b *Block) { b.Epsilon = math.NaN() }},
		{"exploration of no number", false, func(b *Block) { b.Exploration = math.NaN() }},
		{"infinite exploration", false, func(b *Block) { b.Exploration = math.Inf(-1) }},
		{"nobody resigns", true, func(b *Block) { b.Resign = 0 }},
		{"highest threshold", true, func(b *Block) { b.Resign = record.MaxResign }},
		{"a higher threshold", false, func(b *Block) {
			b.Resign = math.Nextafter32(record.MaxResign, 2)
		}},
		{"a lower threshold", false, func(b *Block) { b.Resign = -0.01 }},
		{"long names", true, func(b *Block) { b.Run, b.Session = longest, longest }},
		{"a longer run", false, func(b *Block) { b.Run = longest + "x" }},
		{"a longer session", false, func(b *Block) { b.Session = longest + "x" }},
		{"no session", false, func(b *Block) { b.Session = "" }},
	})
	checkLimits(t, func() *Batch {
		return &Batch{Worker: "w0", Block: *block(), Count: 2}
	}, []limit[Batch]{
		{"a game", true, func(b *Batch) { b.Count = 1 }},
		{"all games", true, func(b *Batch) { b.Count = len(b.Block.Numbers) }},
		{"no game", false, func(b *Batch) { b.Count = 0 }},
		{"a game more", false, func(b *Batch) { b.Count = len(b.Block.Numbers) + 1 }},
		{"no worker", false, func(b *Batch) { b.Worker = "" }},
		{"a block without a token", false, func(b *Batch) { b.Block.Token = "" }},
	})
	tokens := func(n int) func(*Done) {
		return func(d *Done) { d.Tokens = slices.Repeat([]string{block().Token}, n) }
	}
	checkLimits(t, func() *Done {
		return &Done{Session: "session", Tokens: []string{block().Token}}
	}, []limit[Done]{
		{"no block", false, tokens(0)},
		{"most blocks", true, tokens(maxDone)},
		{"a block more", false, tokens(maxDone + 1)},
		{"a finished run without a block", true, func(d *Done) {
			d.Tokens, d.Finished = nil, longest
		}},
		{"a run with a longer name", false, func(d *Done) { d.Finished = longest + "x" }},
		{"a short token", false, func(d *Done) { d.Tokens[0] = d.Tokens[0][2:] }},
		{"another letter", false, func(d *Done) { d.Tokens[0] = "x" + d.Tokens[0][1:] }},
		{"a long reason", true, func(d *Done) { d.Refused = strings.Repeat("x", 4*maxText) }},
		{"a longer reason", false, func(d *Done) {
			d.Refused = strings.Repeat("x", 4*maxText+1)
		}},
	})
	checkLimits(t, matchBlock, []limit[MatchBlock]{
		{"a game", true, func(b *MatchBlock) { b.Games, b.Numbers = 1, []int{0} }},
		{"most games of a match", true, func(b *MatchBlock) { b.Games = math.MaxInt32 }},
		{"a game of a match more", false, func(b *MatchBlock) { b.Games = math.MaxInt32 + 1 }},
		{"no opening", true, func(b *MatchBlock) { b.Opening = 0 }},
		{"less than no opening", false, func(b *MatchBlock) { b.Opening = -1 }},
		{"the longest opening", true, func(b *MatchBlock) { b.Opening = math.MaxInt32 }},
		{"a longer opening", false, func(b *MatchBlock) { b.Opening = math.MaxInt32 + 1 }},
		{"most games of a block", true, func(b *MatchBlock) {
			b.Games, b.Numbers = MaxGames, nil
			for i := range MaxGames {
				b.Numbers = append(b.Numbers, i)
			}
		}},
		{"a game of a block more", false, func(b *MatchBlock) {
			b.Games, b.Numbers = MaxGames+1, nil
			for i := range MaxGames + 1 {
				b.Numbers = append(b.Numbers, i)
			}
		}},
		{"no game", false, func(b *MatchBlock) { b.Numbers = nil }},
		{"as many simulations as usual", true, func(b *MatchBlock) {
			b.Players[0].Simulations = 0
		}},
		{"less than no simulation", false, func(b *MatchBlock) { b.Players[0].Simulations = -1 }},
		{"a digest of no network", false, func(b *MatchBlock) { b.Players[0].Weights = "x" }},
		{"a long player", true, func(b *MatchBlock) {
			b.Players[1].Player = strings.Repeat("x", 4*maxText)
		}},
		{"a longer player", false, func(b *MatchBlock) {
			b.Players[1].Player = strings.Repeat("x", 4*maxText+1)
		}},
		{"a longer run", false, func(b *MatchBlock) { b.Run = longest + "x" }},
		{"no session", false, func(b *MatchBlock) { b.Session = "" }},
	})
	checkLimits(t, func() *Results {
		return &Results{Worker: "w0", Block: *matchBlock()}
	}, []limit[Results]{
		{"no worker", false, func(r *Results) { r.Worker = "" }},
		{"a block without games", false, func(r *Results) { r.Block.Numbers = nil }},
	})
	checkLimits(t, func() *Welcome {
		return &Welcome{Run: "run", Session: "session"}
	}, []limit[Welcome]{
		{"all empty", true, func(w *Welcome) { *w = Welcome{} }},
		{"long names", true, func(w *Welcome) {
			w.Run, w.Session, w.Rules = longest, longest, longest
		}},
		{"a longer digest", false, func(w *Welcome) { w.Rules = longest + "x" }},
	})
}

// TestMessageSizes: the longest head and the longest message come back, and longer ones are
// neither encoded nor decoded.
func TestMessageSizes(t *testing.T) {
	encoded := func(w *Welcome) []byte {
		t.Helper()
		data, err := Encode(w)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	empty := len(encoded(&Welcome{})) - headSize
	w := &Welcome{Config: strings.Repeat("x", MaxHead-empty)}
	data := encoded(w)
	var back Welcome
	if err := Decode(data, &back); err != nil || back != *w || len(data) != headSize+MaxHead {
		t.Errorf("a head of %d bytes: %v", len(data)-headSize, err)
	}
	w.Config += "x"
	if _, err := Encode(w); err == nil || !strings.Contains(err.Error(), "at most 262144") {
		t.Errorf("a longer head: %v", err)
	}
	seal := func(data []byte, length int) []byte {
		data = bytes.Clone(data)
		binary.LittleEndian.PutUint32(data[headSize-8:], uint32(length))
		sum := crc32.Checksum(data[:headSize-4], castagnoli)
		sum = crc32.Update(sum, castagnoli, data[headSize:headSize+length])
		binary.LittleEndian.PutUint32(data[headSize-4:], sum)
		return data
	}
	// JSON may end with spaces.
	if err := Decode(seal(append(data, ' '), MaxHead+1), &back); err == nil ||
		!strings.Contains(err.Error(), "at most 262144") {
		t.Errorf("a longer head: %v", err)
	}
	if err := Decode(seal(data[:headSize], 0), &back); !errors.Is(err, io.EOF) {
		t.Errorf("no head: %v", err)
	}
	if err := Decode(data[:headSize-1], &back); err == nil ||
		!strings.HasSuffix(err.Error(), "not a message of this protocol") {
		t.Errorf("less than is before a head: %v", err)
	}
	if full, less := KindOf(data[:headSize]), KindOf(data[:headSize-1]); full != KindWelcome ||
		less != 0 {
		t.Errorf("what is before a head is of kind %d, less of it of kind %d", full, less)
	}

	b := &Batch{Worker: "w0", Block: *block(), Count: 1}
	head, err := encode(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, MaxMessage-len(head))
	longest, err := encode(b, body)
	if err != nil || len(longest) != MaxMessage {
		t.Fatalf("%d bytes: %v", len(longest), err)
	}
	if got, err := decode(longest, new(Batch)); err != nil || len(got) != len(body) {
		t.Errorf("%d bytes of %d: %v", len(got), len(body), err)
	}
	if _, err := encode(b, append(body, 0)); err == nil ||
		!strings.Contains(err.Error(), "at most 8388608") {
		t.Errorf("a longer message: %v", err)
	}
}

// TestActions: the greatest action and the longest game of a match come back, and greater or longer
// ones are refused.
func TestActions(t *testing.T) {
	b := matchBlock()
	b.Numbers = b.Numbers[:1]
	for _, c := range []struct {
		name    string
		actions []game.Action
		ok      bool
	}{
		{"small actions", []game.Action{1, 2, 3}, true},
		{"the greatest action", []game.Action{math.MaxInt32}, true},
		{"a greater action", []game.Action{-1}, false},
		{"the longest game", make([]game.Action, MaxActions), true},
		{"a longer game", make([]game.Action, MaxActions+1), false},
	} {
		data, err := EncodeResults("w0", b, [][]game.Action{c.actions})
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := DecodeResults(data)
		if c.ok && (err != nil || len(got) != 1 || !slices.Equal(got[0], c.actions)) ||
			!c.ok && err == nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
