package record_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tengen/game"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// handPlain is handRecord up to the utilities, encoded by hand as in
// docs/formats/replay-segment.md.
var handPlain = strings.Join([]string{
	"05",                        // version
	"ac02",                      // number 300
	"05" + "7061697273",         // name "pairs"
	"0807060504030201",          // seed
	"05",                        // iteration
	"02" + "01" + "2a" + "0200", // two seats: network at step 42, UCT
	"08",                        // eight moves
	"0f" + "01",                 // chance: 1
	// player 1: 0, two visited actions, values 0.25 and 0.75
	"31" + "00" + "02" + "0003" + "0501" + "0000803e" + "0000403f",
	"00" + "01",
	"11" + "02" + "01" + "02c801", // player 1: 2, visited 200 times
	"20" + "03" + "0000003f" + "0000003f",
	"01" + "04",
	"00" + "05",
	"01" + "06",
	"00000000" + "00000000", // scores
	"0000003f" + "0000003f", // utilities
}, "")

// handEncoded is handRecord: there are neither an outcome nor trees nor facts.
var handEncoded = handPlain + "00" + "00" + "00"

// handTreesEncoded is handTreeRecord, encoded by hand.
var handTreesEncoded = strings.Join([]string{
	handPlain,
	"01" + "0000c0bf" + "00004040", // an outcome, of -1.5 and 3
	"02" + "0101" + "0405",         // two trees: at ply 1, with one state; at ply 4, with five
	"00" + "00" + "01" + "02",      // depths 1 and 2, a level above 3, two levels above 3
	"03" + "04" + "05" + "05",      // actions
	"0000803e" + "0000403f",        // values of the first tree
	"0000803f" + "00000000" + "0000003f" + "0000003f" + "00000000" + "0000803f" + "00000040" +
		"000080bf" + "0000803e" + "0000803e",
	"00", // no facts
}, "")

// handPolicyEncoded is handPolicyRecord, encoded by hand: the policies follow the visits, and
// there are neither an outcome nor trees.
var handPolicyEncoded = strings.NewReplacer(
	"31"+"00"+"02"+"0003"+"0501",
	"71"+"00"+"03"+"0003"+"0100"+"0501"+"0000003f"+"0000803e"+"0000803e",
	"11"+"02"+"01"+"02c801", "51"+"02"+"01"+"02c801"+"0000803f",
).Replace(handPlain) + "00" + "00" + "00"

// handFactsEncoded is handFactsRecord, encoded by hand.
var handFactsEncoded = strings.TrimSuffix(handPolicyEncoded, "00") + "01" + "ac02"

// handOpeningEncoded is handOpeningRecord, encoded by hand: the second move without a search,
// neither an outcome nor trees, and 3 moves of an opening.
var handOpeningEncoded = strings.NewReplacer(
	"31"+"00"+"02"+"0003"+"0501"+"0000803e"+"0000403f", "01"+"00",
).Replace(handPlain) + "00" + "00" + "02" + "03"

// handAsynchronousEncoded is handAsynchronousRecord, encoded by hand: the random streams have the
// number 300.
var handAsynchronousEncoded = handPlain + "00" + "00" + "04" + "ac02"

// handResignEncoded is handResignRecord, encoded by hand: five moves, the utilities 0 and 1, the
// threshold of 1/4, and that the game ended by resignation.
var handResignEncoded = strings.NewReplacer(
	"08"+"0f", "05"+"0f",
	"0000003f"+"0000003f"+"01"+"04"+"00"+"05"+"01"+"06", "0000003e"+"0000403f",
	"0000000000000000"+"0000003f"+"0000003f", "0000000000000000"+"00000000"+"0000803f",
).Replace(handPlain) + "00" + "00" + "08" + "0000803e" + "01"

func TestEncodedByHand(t *testing.T) {
	for _, c := range []struct {
		encoded string
		record  *record.Game
	}{
		{handEncoded, recordtest.HandRecord()}, {handTreesEncoded, recordtest.HandTreeRecord()},
		{handPolicyEncoded, recordtest.HandPolicyRecord()},
		{handFactsEncoded, recordtest.HandFactsRecord()},
		{handOpeningEncoded, recordtest.HandOpeningRecord()},
		{handAsynchronousEncoded, recordtest.HandAsynchronousRecord()},
		{handResignEncoded, recordtest.HandResignRecord()},
	} {
		want, err := hex.DecodeString(c.encoded)
		if err != nil {
			t.Fatal(err)
		}
		got, err := record.AppendEncoded([]byte("before"), c.record)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hex.EncodeToString(append([]byte("before"), want...)),
			hex.EncodeToString(got)); diff != "" {
			t.Errorf("encoded (-want +got):\n%s", diff)
		}
		g, err := record.Decode(want)
		if err != nil {
			t.Fatal(err)
		}
		recordtest.Same(t, g, c.record)
	}
}

// anyRecord generates records that pass Check.
func anyRecord() *rapid.Generator[*record.Game] {
	float := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
	action := rapid.Map(rapid.Int32Range(0, math.MaxInt32), func(a int32) game.Action {
		return game.Action(a)
	})
	return rapid.Custom(func(t *rapid.T) *record.Game {
		players := rapid.IntRange(1, game.MaxPlayers).Draw(t, "players")
		g := &record.Game{
			Number:    rapid.Uint64().Draw(t, "number"),
			Name:      rapid.StringN(1, 20, record.MaxName).Draw(t, "name"),
			Seed:      rapid.Uint64().Draw(t, "seed"),
			Iteration: int(rapid.Int32Range(0, math.MaxInt32).Draw(t, "iteration")),
			Scores:    rapid.SliceOfN(float, players, players).Draw(t, "scores"),
			Returns: rapid.SliceOfN(rapid.Float32Range(0, 1), players,
				players).Draw(t, "returns"),
		}
		for range players {
			s := record.SeatRecord{
				Kind: record.SeatKind(rapid.IntRange(int(record.Network),
					int(record.Random)).Draw(t, "kind")),
			}
			if s.Kind == record.Network {
				s.Step = rapid.Uint64().Draw(t, "step")
			}
			g.Seats = append(g.Seats, s)
		}
		for range rapid.IntRange(0, 20).Draw(t, "moves") {
			m := record.Move{Action: action.Draw(t, "action"), Mover: game.Chance}
			if rapid.Bool().Draw(t, "player") {
				m.Mover = game.Player(rapid.IntRange(0, players-1).Draw(t, "mover"))
				for range rapid.IntRange(0, 5).Draw(t, "visits") {
					m.Visits = append(m.Visits, record.Visit{
						Action: action.Draw(t, "visited"), N: rapid.Uint32Min(1).Draw(t, "n"),
					})
				}
				if n := len(m.Visits); n > 0 && rapid.Bool().Draw(t, "policy") {
					m.Policy = rapid.SliceOfN(rapid.Float32Range(1e-30, 1), n,
						n).Draw(t, "policies")
					m.Visits[0].N = rapid.Uint32().Draw(t, "first")
				}
				if rapid.Bool().Draw(t, "value") {
					m.Value = rapid.SliceOfN(float, players, players).Draw(t, "values")
				}
			}
			g.Moves = append(g.Moves, m)
		}
		if rapid.Bool().Draw(t, "from") {
			g.Prefix = rapid.IntRange(0, len(g.Moves)).Draw(t, "prefix")
			for i := range g.Prefix {
				m := &g.Moves[i]
				m.Visits, m.Policy, m.Value = nil, nil, nil
			}
		}
		if g.EndOrder = rapid.Bool().Draw(t, "order"); g.EndOrder {
			g.Stream = rapid.Uint64().Draw(t, "stream")
		}
		if rapid.Bool().Draw(t, "resigning") && players > 1 {
			resigning(t, g)
		}
		g.Evaluations = rapid.Uint64Range(0, 300).Draw(t, "evaluations")
		if !g.Resigned && rapid.Bool().Draw(t, "outcome") {
			g.Outcome = rapid.SliceOfN(float, players, players).Draw(t, "outcomes")
		}
		if len(g.Moves) > 0 && !g.Resigned {
			for range rapid.IntRange(0, min(3, len(g.Moves))).Draw(t, "trees") {
				tree := record.Tree{
					Ply: rapid.IntRange(0, len(g.Moves)-1).Draw(t, "root"), Depths: []int32{0},
					Actions: []game.Action{game.NoAction},
				}
				for i := range rapid.IntRange(0, 20).Draw(t, "states") {
					tree.Depths = append(tree.Depths,
						rapid.Int32Range(1, tree.Depths[i]+1).Draw(t, "depth"))
					tree.Actions = append(tree.Actions, action.Draw(t, "action"))
				}
				tree.Values = rapid.SliceOfN(float, players*len(tree.Depths),
					players*len(tree.Depths)).Draw(t, "state values")
				g.Trees = append(g.Trees, tree)
			}
		}
		return g
	})
}

// resigning lets players resign in a game, which may end it earlier.
func resigning(t *rapid.T, g *record.Game) {
	g.Resign = rapid.Float32Range(1e-3, record.MaxResign).Draw(t, "resign")
	for i := range g.Moves {
		for p := range g.Moves[i].Value {
			g.Moves[i].Value[p] = rapid.Float32Range(0, 1).Draw(t, "utility")
		}
	}
	g.Hopes(func(ply int, level float32, winner game.Player) bool {
		if level >= g.Resign {
			return true
		}
		g.Moves, g.Resigned = g.Moves[:ply+1], true
		clear(g.Scores)
		clear(g.Returns)
		g.Returns[winner] = 1
		return false
	})
	g.Prefix = min(g.Prefix, len(g.Moves))
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyRecord().Draw(t, "record")
		data, err := record.AppendEncoded(nil, g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := record.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Fatalf("the record differs (-want +got):\n%s", diff)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	good, err := record.AppendEncoded(nil, recordtest.HandRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := record.Decode(good[:n]); err == nil {
			t.Errorf("a record cut to %d of %d bytes is accepted", n, len(good))
		}
	}
	trees, err := record.AppendEncoded(nil, recordtest.HandTreeRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range trees {
		if _, err := record.Decode(trees[:n]); err == nil {
			t.Errorf("a record with trees cut to %d of %d bytes is accepted", n, len(trees))
		}
	}
	policies, err := record.AppendEncoded(nil, recordtest.HandPolicyRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range policies {
		if _, err := record.Decode(policies[:n]); err == nil {
			t.Errorf("a record with policies cut to %d of %d bytes is accepted", n, len(policies))
		}
	}
	facts, err := record.AppendEncoded(nil, recordtest.HandFactsRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range facts {
		if _, err := record.Decode(facts[:n]); err == nil {
			t.Errorf("a record with facts cut to %d of %d bytes is accepted", n, len(facts))
		}
	}
	opening, err := record.AppendEncoded(nil, recordtest.HandOpeningRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range opening {
		if _, err := record.Decode(opening[:n]); err == nil {
			t.Errorf("a record with an opening cut to %d of %d bytes is accepted", n, len(opening))
		}
	}
	asynchronous, err := record.AppendEncoded(nil, recordtest.HandAsynchronousRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range asynchronous {
		if _, err := record.Decode(asynchronous[:n]); err == nil {
			t.Errorf("a record of an asynchronous cycle cut to %d of %d bytes is accepted",
				n, len(asynchronous))
		}
	}
	resign, err := record.AppendEncoded(nil, recordtest.HandResignRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range resign {
		if _, err := record.Decode(resign[:n]); err == nil {
			t.Errorf("a record with a resignation cut to %d of %d bytes is accepted",
				n, len(resign))
		}
	}
	const beforeMoves = 23 // bytes: see handEncoded
	head := good[:beforeMoves]
	// Of the record with trees: all up to the utilities, all up to the number of trees, and its
	// values.
	common, outcome, values := trees[:len(good)-3], trees[:len(good)+6],
		trees[len(trees)-49:len(trees)-1]
	// of a record without trees and facts: scores, utilities, and what there is not
	tail := good[len(good)-19:]
	room := make([]byte, 100)
	absurd := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		data []byte
		want string
	}{
		{join([]byte{4}, good[1:]), "record version 4; this program reads version 5"},
		{join(head, []byte{1, 0x41, 0}, room), "ply 0: a policy without visits"},
		{join(head, []byte{1, 0x51, 0, 1, 2, 3, 0, 0, 0, 0x40}, tail),
			"ply 0: probability 0 is 2, outside [0, 1]"},
		{join(head, []byte{1, 0x51, 0, 1, 2, 3, 0, 0, 0, 0}, tail),
			"ply 0: all probabilities are 0"},
		{join(good, []byte{0}), "1 bytes follow the record's end"},
		{[]byte{5, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
			"the length of the game's name is greater than 1024"},
		{join(head, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}),
			"the number of moves is 4294967295, more than fit in the record"},
		{join(head, []byte{1, 0x11, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1}, tail),
			"the number of visited actions is 4294967295, more than"},
		{join(head, []byte{1, 0x11, 0, 0, 0}, tail),
			"the flag of visits is set, but there are none"},
		{join(head, []byte{1, 0x80, 0}, tail), "unknown flags 0x80"},
		{join(head, []byte{1, 0x02, 0}, tail), "the mover is 2; must be 0 to 1"},
		{join(head, []byte{1, 0x00, 0x80, 0x00}, tail), "an action is not in its shortest form"},
		{join(head, []byte{1, 0x00, 0xff, 0xff, 0xff, 0xff, 0x0f}, tail),
			"an action is greater than 2147483647"},
		{join(head, []byte{0}, tail[:12], []byte{0, 0, 0xc0, 0x7f, 0, 0, 0}),
			"player 1 has the utility NaN, outside [0, 1]"},
		{join(head, []byte{0}, tail[:12], []byte{0, 0, 0, 0x40, 0, 0, 0}),
			"player 1 has the utility 2, outside [0, 1]"},
		{join(common, []byte{2}, room), "the flag of an outcome is 2"},
		{join(common, []byte{1}, []byte{0, 0, 0x80, 0x7f, 0, 0, 0, 0, 0, 0}),
			"player 0 has the outcome +Inf"},
		{join(outcome, absurd, room), "the number of trees is 4294967295, more than"},
		{join(outcome, []byte{11}, room), "the number of trees is 11, more than"},
		{join(outcome, []byte{1, 1}, absurd, room),
			"the number of a tree's states is 4294967295, more than"},
		{join(outcome, []byte{2, 1, 7, 1, 7}, room),
			"tree 1 has 7 states; must be at least 1 and fit in the record"},
		{join(outcome, []byte{1, 1, 0}, room), "tree 0 has 0 states"},
		{join(outcome, []byte{1}, absurd, []byte{1}, room),
			"the ply of a tree is greater than 2147483647"},
		{join(facts[:len(facts)-3], []byte{16}), "the number of the facts is greater than 15"},
		{join(facts[:len(facts)-3], []byte{8}, make([]byte, 5)),
			"players resign below a utility of 0; must be above 0"},
		{join(facts[:len(facts)-3], []byte{8, 0, 0, 0xc0, 0x7f, 0}),
			"players resign below a utility of NaN; must be above 0"},
		{join(facts[:len(facts)-3], []byte{8, 0, 0, 0x40, 0x3f, 0}),
			"players resign below a utility of 0.75; must be above 0 and at most 0.5"},
		{join(facts[:len(facts)-3], []byte{8, 0, 0, 0x80, 0x3e, 2}),
			"the flag of a resignation is 2"},
		{join(facts[:len(facts)-3], []byte{8, 0, 0, 0x80, 0x3e, 1}),
			"the game ended by resignation, but two players at least"},
		{join(facts[:len(facts)-3], []byte{2, 0}),
			"a number of moves before the players' own is recorded that is 0"},
		{join(facts[:len(facts)-3], []byte{2, 2}),
			"ply 1: a move before the players' own has visits or a value"},
		{join(facts[:len(facts)-3], []byte{2, 9}),
			"9 moves before the players' own; the game has 8"},
		{join(facts[:len(facts)-2], []byte{0}), "a number of evaluations is recorded that is 0"},
		{join(outcome, []byte{1, 8, 1}, values[:8], []byte{0}),
			"tree 0: its root is at ply 8 of a game of 8"},
		{join(outcome, []byte{1, 4, 3, 1, 0, 3, 4}, values[:24]),
			"a state's levels above a child is greater than 0"},
		{join(outcome, []byte{1, 4, 3, 0, 2, 3, 4}, values[:24]),
			"a state's levels above a child is greater than 1"},
		{join(outcome, []byte{1, 4, 2, 0, 0x83, 0}, values[:16]),
			"an action is not in its shortest form"},
		{join(outcome, []byte{1, 4, 2, 0, 3}, values[:12], []byte{0, 0, 0xc0, 0x7f, 0}),
			"tree 0: state 1 has the value NaN for player 1"},
		{join(outcome, []byte{1, 4, 2, 0, 3}, values[:16], []byte{0, 0}),
			"1 bytes follow the record's end"},
	} {
		if _, err := record.Decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%x: got error %v, want %q", c.data, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, damage := range map[string]func(g *record.Game){
		"a stream":        func(g *record.Game) { g.Stream = 5 },
		"no seats":        func(g *record.Game) { g.Seats = nil },
		"nine seats":      func(g *record.Game) { g.Seats = make([]record.SeatRecord, 9) },
		"unknown kind":    func(g *record.Game) { g.Seats[0].Kind = 9 },
		"UCT with a step": func(g *record.Game) { g.Seats[1].Step = 1 },
		"no name":         func(g *record.Game) { g.Name = "" },
		"long name": func(g *record.Game) {
			g.Name = strings.Repeat("x", record.MaxName+1)
		},
		"iteration":            func(g *record.Game) { g.Iteration = -1 },
		"scores":               func(g *record.Game) { g.Scores = g.Scores[:1] },
		"infinite score":       func(g *record.Game) { g.Scores[0] = inf },
		"returns":              func(g *record.Game) { g.Returns = nil },
		"negative action":      func(g *record.Game) { g.Moves[1].Action = -1 },
		"mover":                func(g *record.Game) { g.Moves[1].Mover = game.Nobody },
		"chance with visits":   func(g *record.Game) { g.Moves[0].Visits = g.Moves[1].Visits },
		"one value":            func(g *record.Game) { g.Moves[1].Value = g.Moves[1].Value[:1] },
		"infinite value":       func(g *record.Game) { g.Moves[1].Value[1] = inf },
		"no visits at all":     func(g *record.Game) { g.Moves[3].Visits[0].N = 0 },
		"short policy":         func(g *record.Game) { g.Moves[1].Policy = []float32{1} },
		"policy alone":         func(g *record.Game) { g.Moves[2].Policy = []float32{1} },
		"negative probability": func(g *record.Game) { g.Moves[3].Policy = []float32{-0.5} },
		"probability of NaN": func(g *record.Game) {
			g.Moves[3].Policy = []float32{float32(math.NaN())}
		},
		"no probability":       func(g *record.Game) { g.Moves[3].Policy = []float32{0} },
		"chance with a policy": func(g *record.Game) { g.Moves[0].Policy = []float32{1} },
		"negative visited one": func(g *record.Game) { g.Moves[3].Visits[0].Action = -1 },
		"one outcome":          func(g *record.Game) { g.Outcome = g.Outcome[:1] },
		"infinite outcome":     func(g *record.Game) { g.Outcome[1] = inf },
		"no states":            func(g *record.Game) { g.Trees[0] = record.Tree{Ply: 1} },
		"ply of a tree":        func(g *record.Game) { g.Trees[0].Ply = 8 },
		"negative ply":         func(g *record.Game) { g.Trees[0].Ply = -1 },
		"deep root":            func(g *record.Game) { g.Trees[0].Depths[0] = 1 },
		"action of a root":     func(g *record.Game) { g.Trees[1].Actions[0] = 0 },
		"two roots":            func(g *record.Game) { g.Trees[1].Depths[3] = 0 },
		"depth skipped":        func(g *record.Game) { g.Trees[1].Depths[2] = 3 },
		"actions of states": func(g *record.Game) {
			g.Trees[1].Actions = g.Trees[1].Actions[:4]
		},
		"values of states":     func(g *record.Game) { g.Trees[1].Values = g.Trees[1].Values[:9] },
		"state without action": func(g *record.Game) { g.Trees[1].Actions[2] = game.NoAction },
		"infinite state value": func(g *record.Game) { g.Trees[1].Values[3] = -inf },
	} {
		g := recordtest.HandTreeRecord()
		damage(g)
		if _, err := record.AppendEncoded(nil, g); err == nil {
			t.Errorf("%s: the record is encoded", name)
		}
	}
}

// Decoding a damaged record allocates little memory, whichever bytes are damaged.
func TestDecodeTakesLittleMemory(t *testing.T) {
	data, err := record.AppendEncoded(nil, recordtest.HandTreeRecord())
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, make([]byte, 2000)...)
	var before, after runtime.MemStats
	for i := range data[:len(data)-2000] {
		damaged := slices.Concat(data[:i], []byte{0xff, 0xff, 0xff, 0x07}, data[i:])
		runtime.ReadMemStats(&before)
		_, _ = record.Decode(damaged)
		runtime.ReadMemStats(&after)
		// Two bytes may become a Move of 80 bytes, and slices grow by doubling.
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(100*len(damaged)) {
			t.Errorf("byte %d of %d: %d bytes of memory", i, len(damaged), n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	good, err := record.AppendEncoded(nil, recordtest.HandRecord())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, g := range append(recordtest.PlayManyTrees(3, 1),
		append(recordtest.PlayMany(3, 1), recordtest.HandTreeRecord(),
			recordtest.HandPolicyRecord(), recordtest.HandFactsRecord(),
			recordtest.HandOpeningRecord(), recordtest.HandAsynchronousRecord(),
			recordtest.HandResignRecord())...) {
		data, _ := record.AppendEncoded(nil, g)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := record.Decode(data)
		if err != nil {
			return
		}
		back, err := record.AppendEncoded(nil, g)
		if err != nil {
			t.Fatalf("a decoded record can't be encoded: %v", err)
		}
		if !bytes.Equal(back, data) {
			t.Fatalf("decoded and encoded again, %x becomes %x", data, back)
		}
	})
}
