package cluster

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/replay/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func block() *Block {
	b := &Block{
		Run: "run", Session: "session", Iteration: 3, Step: 600, Epsilon: 0.1, Exploration: 0.7,
		Resign: 0.043, Weights: digest,
		Numbers: []uint64{40, 41, 43},
	}
	b.Token = Secret("golden").Token(b)
	return b
}

func matchBlock() *MatchBlock {
	b := &MatchBlock{
		Run: "run", Session: "session", Match: 7,
		Players: []Contestant{
			{Weights: digest, Simulations: 32}, {Player: "uct:simulations=8"},
			{Player: "az:network", Weights: digest, Config: digest},
		},
		Seatings: [][]int{{0, 1}, {1, 0}}, Games: 20, Paired: true, Drawn: true, Seed: 9,
		Opening: 3, Numbers: []int{4, 5, 19},
	}
	b.Token = Secret("golden").MatchToken(b)
	return b
}

// TestResults: games of a match come back as they were; damaged ones are refused.
func TestResults(t *testing.T) {
	b := matchBlock()
	games := [][]game.Action{{0, 4, 300}, {}, {1 << 30}}
	data, err := EncodeResults("w0", b, games)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "results", data)
	r, got, err := DecodeResults(data)
	if err != nil || !reflect.DeepEqual(got, games) || !reflect.DeepEqual(&r.Block, b) ||
		r.Worker != "w0" || KindOf(data) != KindResults {
		t.Errorf("%v: %v", err, got)
	}
	if !Secret("golden").GivenMatch(&r.Block) {
		t.Error("the token does not fit")
	}
	r.Block.Seed++
	if Secret("golden").GivenMatch(&r.Block) {
		t.Error("another block has the same token")
	}
	for n := range data {
		if _, _, err := DecodeResults(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken", n, len(data))
		}
	}
	if _, _, err := DecodeResults(append(data[:len(data):len(data)], 0)); err == nil {
		t.Error("a byte too many is taken")
	}
	if _, err := EncodeResults("w0", b, games[:2]); err == nil {
		t.Error("two games of three are encoded")
	}
	for what, change := range map[string]func(*MatchBlock){
		"no players":     func(b *MatchBlock) { b.Players = nil },
		"seat of nobody": func(b *MatchBlock) { b.Seatings = [][]int{{0, 3}} },
		"number":         func(b *MatchBlock) { b.Numbers = []int{20} },
		"order":          func(b *MatchBlock) { b.Numbers = []int{3, 3} },
		"player":         func(b *MatchBlock) { b.Players = []Contestant{{}, {}} },
		"config":         func(b *MatchBlock) { b.Players[1].Config = digest },
		"config's name":  func(b *MatchBlock) { b.Players[2].Config = "x" },
		"token":          func(b *MatchBlock) { b.Token = "" },
		"run":            func(b *MatchBlock) { b.Run = "" },
	} {
		b := matchBlock()
		change(b)
		if _, err := Encode(b); err == nil {
			t.Errorf("%s: encoded", what)
		}
	}
}

// messages are one of each kind.
func messages() map[string]message {
	return map[string]message{
		"hello": &Hello{
			Worker: "w0", Host: "box", Build: Build{"tengen 1", 4, "avx512"}, Rules: "r",
			Session: "s", Games: 24, Finished: 7, Evaluations: 9, Rate: 100,
		},
		"welcome": &Welcome{
			Run: "run", Session: "session", Config: "game: tictactoe\n", Rules: "r",
		},
		"block":  block(),
		"done":   &Done{Session: "session", Tokens: []string{block().Token}},
		"match":  matchBlock(),
		"finish": &Done{Session: "session", Finished: "run"},
	}
}

// played returns a random game.
func played(t testing.TB, number uint64) *record.Game {
	t.Helper()
	g := game.Must(game.New("tictactoe"))
	rng := random.New(number, random.Test)
	state := g.NewState()
	r := &record.Game{
		Number: number, Name: g.Name(), Seed: 1, Iteration: 3,
		Seats: []record.SeatRecord{{Kind: record.Network, Step: 600}, {Kind: record.UCT}},
	}
	for state.CurrentPlayer() >= 0 {
		legal := state.LegalActions(nil)
		a := legal[rng.IntN(len(legal))]
		r.Moves = append(r.Moves, record.Move{
			Action: a, Mover: state.CurrentPlayer(), Choice: len(legal) > 1,
			Value:  []float32{0.5, 0.5},
			Visits: []record.Visit{{Action: a, N: 8}},
		})
		state.Apply(a)
	}
	r.Returns, r.Scores = make([]float32, 2), make([]float32, 2)
	state.Returns(r.Returns)
	game.Scores(state, r.Scores)
	return r
}

// golden compares with a golden file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %v; the encoding has changed: a new version of the protocol is wanted",
			path, err)
	}
}

func TestGolden(t *testing.T) {
	for name, m := range messages() {
		data, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, data)
		back := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
		if err := Decode(data, back); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s: %v, %+v", name, err, back)
		}
	}
}

// TestBatches: games come back as they were, in batches within the limit.
func TestBatches(t *testing.T) {
	b := block()
	games := []*record.Game{played(t, 40), played(t, 41), played(t, 43)}
	list, err := EncodeBatches("w0", b, games)
	if err != nil || len(list) != 1 {
		t.Fatal(err, len(list))
	}
	head, got, err := DecodeBatch(list[0])
	if err != nil || !reflect.DeepEqual(got, games) || !reflect.DeepEqual(&head.Block, b) {
		t.Errorf("%v: the games differ", err)
	}
	var body []byte
	for _, g := range games[:2] {
		if body, err = record.Append(body, g); err != nil {
			t.Fatal(err)
		}
	}
	short, err := encode(&Batch{Worker: "w0", Block: *b, Count: 3}, body)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := DecodeBatch(short); err == nil || !strings.Contains(err.Error(), "2 games") {
		t.Errorf("a batch that lacks a game: %v", err)
	}
	var numbers []uint64
	var long []*record.Game
	rng := random.New(1, random.Test)
	for n := range uint64(300) {
		g := played(t, n)
		for i := range g.Moves { // numbers that take many bits
			g.Moves[i].Visits = nil
			for a := range game.Action(150) {
				g.Moves[i].Visits = append(g.Moves[i].Visits, record.Visit{
					Action: a, N: rng.Uint32(),
				})
			}
		}
		numbers, long = append(numbers, n), append(long, g)
	}
	b.Numbers = numbers
	if list, err = EncodeBatches("w0", b, long); err != nil || len(list) < 2 {
		t.Fatalf("%d batches: %v", len(list), err)
	}
	all := 0
	for _, m := range list {
		if len(m) > MaxBatch {
			t.Errorf("a batch of %d bytes", len(m))
		}
		_, got, err := DecodeBatch(m)
		if err != nil {
			t.Fatal(err)
		}
		all += len(got)
	}
	if all != 300 {
		t.Errorf("%d games in the batches, want 300", all)
	}
}

// TestRefusesMessages: each kind of damage is refused, with a reason.
func TestRefusesMessages(t *testing.T) {
	good, err := Encode(block())
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func([]byte) []byte) []byte { return f(bytes.Clone(good)) }
	for want, data := range map[string][]byte{
		"not a message":   []byte("hello"),
		"another version": change(func(b []byte) []byte { b[5]++; return b }),
		"it is a welcome": change(func(b []byte) []byte {
			b[6] = byte(KindWelcome)
			return b
		}),
		"its checksum":          change(func(b []byte) []byte { b[len(b)-2] ^= 1; return b }),
		"its head has":          change(func(b []byte) []byte { return b[:len(b)-1] }),
		"bytes follow its end":  change(func(b []byte) []byte { return append(b, 0) }),
		"bytes; at most 838860": make([]byte, MaxMessage+1),
	} {
		if err := Decode(data, new(Block)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := Decode(change(func(b []byte) []byte {
		b[5]++
		return b
	}), new(Block)); !errors.Is(err, ErrVersion) {
		t.Errorf("%v is no ErrVersion", err)
	}
	for want, f := range map[string]func(*Block){
		"0 games":         func(b *Block) { b.Numbers = nil },
		"game 40 follows": func(b *Block) { b.Numbers = []uint64{41, 40} },
		"network":         func(b *Block) { b.Weights = "x" },
		"token":           func(b *Block) { b.Token = "" },
		"iteration":       func(b *Block) { b.Iteration = -1 },
		"epsilon 2":       func(b *Block) { b.Epsilon = 2 },
		"the run has 0":   func(b *Block) { b.Run = "" },
	} {
		b := block()
		f(b)
		if _, err := Encode(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestMatchBlocks: the bounds of a match's players, seatings, seats and games.
func TestMatchBlocks(t *testing.T) {
	seatings := func(n, seats int) func(*MatchBlock) {
		return func(b *MatchBlock) {
			b.Seatings = slices.Repeat([][]int{make([]int, seats)}, n)
		}
	}
	numbers := func(list ...int) func(*MatchBlock) {
		return func(b *MatchBlock) { b.Numbers = list }
	}
	players := func(n int) func(*MatchBlock) {
		return func(b *MatchBlock) {
			b.Players, b.Seatings = slices.Repeat(b.Players[:1], n), [][]int{{0}}
		}
	}
	for name, c := range map[string]struct {
		change func(*MatchBlock)
		ok     bool
	}{
		"a seating of one": {seatings(1, 1), true},
		"most seatings":    {seatings(maxSeatings, 2), true},
		"no seating":       {seatings(0, 2), false},
		"a seating more":   {seatings(maxSeatings+1, 2), false},
		"most seats":       {seatings(1, maxSeats), true},
		"no seat":          {seatings(1, 0), false},
		"a seat more":      {seatings(1, maxSeats+1), false},
		"most players":     {players(maxContestants), true},
		"a player more":    {players(maxContestants + 1), false},
		"no player":        {players(0), false},
		"another player": {
			func(b *MatchBlock) { b.Seatings[1][1] = len(b.Players) }, false,
		},
		"first and last": {numbers(0, 19), true},
		"a game twice":   {numbers(4, 4), false},
		"beyond":         {numbers(20), false},
		"before":         {numbers(-1, 3), false},
	} {
		b := matchBlock()
		if c.change(b); (b.check() == nil) != c.ok {
			t.Errorf("%s: %v", name, b.check())
		}
	}
}

// TestTokens: a token fits its block alone.
func TestTokens(t *testing.T) {
	secret := Secret("some secret")
	b := block()
	b.Token = secret.Token(b)
	if !secret.Given(b) || Secret("another").Given(b) {
		t.Error("the token does not tell who made it")
	}
	for _, f := range []func(*Block){
		func(b *Block) { b.Numbers = append(b.Numbers, 99) }, func(b *Block) {
			b.Step++
		}, func(b *Block) { b.Iteration++ },
		func(b *Block) { b.Weights = strings.Repeat("a", 64) }, func(b *Block) {
			b.Session = "x"
		}, func(b *Block) { b.Epsilon = 0 },
		func(b *Block) { b.Resign = 0 },
	} {
		c := *b
		f(&c)
		if secret.Given(&c) {
			t.Errorf("the token fits %+v too", c)
		}
	}
}

// TestRulesDigest: games that differ have different digests, and the same game the same.
func TestRulesDigest(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"tictactoe", "go:size=3,players=3", "go:size=3,players=2", "go:size=4,players=3",
	} {
		g := game.Must(game.New(name))
		d := RulesDigest(g)
		if d != RulesDigest(g) || seen[d] != "" {
			t.Errorf("%s has the digest %s, as %s", name, d, seen[d])
		}
		seen[d] = name
	}
	for _, what := range []string{"returns", "observation"} {
		d := RulesDigest(otherRules{game.Must(game.New("tictactoe")), what})
		if seen[d] != "" {
			t.Errorf("a game with another %s has the digest of %s", what, seen[d])
		}
		seen[d] = what
	}
}

// otherRules is a game that differs in one thing.
type otherRules struct {
	game.Game
	what string
}

type otherState struct {
	game.State
	what string
}

func (g otherRules) NewState() game.State { return otherState{g.Game.NewState(), g.what} }

func (s otherState) CopyFrom(src game.State) { s.State.CopyFrom(src.(otherState).State) }

func (s otherState) Returns(dst []float32) {
	if s.State.Returns(dst); s.what == "returns" {
		dst[0]++
	}
}

func (s otherState) Observation(dst []float32) {
	if s.State.Observation(dst); s.what == "observation" {
		dst[0]++
	}
}

// FuzzDecode: whatever comes is refused or encodes to the same.
func FuzzDecode(f *testing.F) {
	for _, m := range messages() {
		data, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	batch, err := EncodeBatches("w0", block(), []*record.Game{played(f, 40)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(batch[0])
	results, err := EncodeResults("w0", matchBlock(), [][]game.Action{{0, 4}, {1}, {8}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(results)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range []message{
			new(Hello), new(Welcome), new(Block), new(Done), new(MatchBlock),
		} {
			if Decode(data, m) != nil {
				continue
			}
			again, err := Encode(m)
			if err != nil {
				t.Fatalf("a %v that was decoded: %v", m.kind(), err)
			}
			back := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
			if err := Decode(again, back); err != nil {
				t.Fatal(err)
			}
		}
		if r, games, err := DecodeResults(data); err == nil {
			again, err := EncodeResults(r.Worker, &r.Block, games)
			if err != nil {
				t.Fatal(err)
			}
			if _, back, err := DecodeResults(again); err != nil || !reflect.DeepEqual(back, games) {
				t.Fatalf("results that come back otherwise: %v", err)
			}
		}
		_, games, err := DecodeBatch(data)
		if err == nil && len(games) == 0 {
			t.Error("a batch without games")
		}
	})
}

// TestHelloLimits: each end of a range is allowed, and what is beyond it is not.
func TestHelloLimits(t *testing.T) {
	hello := func(change func(h *Hello)) error {
		h := &Hello{Worker: "w", Games: 8, Build: Build{Build: "b"}}
		change(h)
		return h.check()
	}
	for _, games := range []int{1, 1 << 20} {
		if err := hello(func(h *Hello) { h.Games = games }); err != nil {
			t.Error(err)
		}
	}
	for _, games := range []int{-1, 0, 1<<20 + 1} {
		if hello(func(h *Hello) { h.Games = games }) == nil {
			t.Errorf("a worker with %d games at a time is welcome", games)
		}
	}
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		if hello(func(h *Hello) { h.Rate = rate }) == nil {
			t.Errorf("a worker with rate %g is welcome", rate)
		}
	}
	if hello(func(h *Hello) { h.Build.Build = "" }) == nil {
		t.Error("a worker of no build is welcome")
	}
}
