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

// hand is a record encoded by hand, as in docs/formats/replay-segment.md: the bytes of its head in
// hexadecimal digits, and the bits of its columns in their order.
type hand struct {
	head    []string
	columns []string
}

func (h hand) bytes(t testing.TB) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.Join(h.head, ""))
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Join(h.columns, "")
	for len(body)%8 != 0 {
		body += "0"
	}
	for ; len(body) > 0; body = body[8:] {
		b := byte(0)
		for i := range 8 {
			b |= (body[i] - '0') << i
		}
		data = append(data, b)
	}
	return data
}

// number returns a number in bits, the least significant first.
func number(x uint64, width int) (bits string) {
	for range width {
		bits += string('0' + byte(x&1))
		x >>= 1
	}
	return bits
}

func numbers(width int, list ...uint64) (bits string) {
	for _, x := range list {
		bits += number(x, width)
	}
	return bits
}

func floats(list ...float32) (bits string) {
	for _, x := range list {
		bits += number(uint64(math.Float32bits(x)), 32)
	}
	return bits
}

// The parts of a hand's head and columns.
const (
	hVersion = iota
	hNumber
	hName
	hSeed
	hIteration
	hSeats
	hFacts
	hFactValues
	hScores
	hReturns
	hOutcome
	hMoves
	hWidth
	hTargets
	hTrees
	heads

	cChoices = iota - heads - 1
	cVisits
	cPolicies
	cValues
	cMovers
	cActions
	cLengths
	cFound
	cTargets
	cTrees
	columns
)

// handPlain is handRecord.
func handPlain() hand {
	return hand{
		head: []string{
			hVersion: "06",
			hNumber:  "ac02", // 300
			hName:    "05" + "7061697273", hSeed: "0807060504030201", hIteration: "05",
			hSeats: "02" + "01" + "2a" + "0200", // network at step 42, UCT
			hFacts: "20", hFactValues: "",       // targets
			hScores:  "00000000" + "00000000",
			hReturns: "0000003f" + "0000003f",
			hOutcome: "",
			hMoves:   "08",
			hWidth:   "03",               // of actions up to 6
			hTargets: "06" + "05" + "20", // below 6; lengths up to 19; 32 bits
			hTrees:   "",
		},
		columns: []string{
			cChoices: "01111100", cVisits: "01010000", cPolicies: "00000000", cValues: "01001000",
			cMovers:  numbers(2, 2, 1, 0, 1, 0, 1, 0, 1), // chance first
			cActions: numbers(3, 1, 0, 1, 2, 3, 4, 5, 6),
			cLengths: numbers(5, 13, 19),
			cFound:   floats(0.25, 0.75, 0.5, 0.5),
			// A mask of 0 and 5, 3 and 1 visits in codes of order 1; a list of one, 2, with 200
			// visits in a code of order 1: 101 in seven bits, and the last bit of 200.
			cTargets: "0" + "100001" + "010" + "1" + "1" + "1" +
				"1" + "1" + "010" + "0000001" + "101001" + "0",
			cTrees: "",
		},
	}
}

// handTrees is handTreeRecord.
func handTrees() hand {
	h := handPlain()
	h.head[hFacts] = "70"
	h.head[hOutcome] = "0000c0bf" + "00004040" // -1.5 and 3
	// Two trees, of one state and of five, in 412 bits and a table of 8 bytes.
	h.head[hTrees] = "02" + "03" + "9c03" + "08" + "01010100" + "04050508"
	h.columns[cTrees] = floats(0.25, 0.75) + "0110" + "1111" + // forced moves, new values
		numbers(3, 3, 4, 5, 5) + "1" + "1" + "010" + "011" + // 0, 0, 1 and 2 levels above a child
		floats(1, 0, 0.5, 0.5, 0, 1, 2, -1, 0.25, 0.25)
	return h
}

// handPolicy is handPolicyRecord.
func handPolicy() hand {
	h := handPlain()
	h.head[hTargets] = "06" + "07" + "63"
	h.columns[cPolicies] = "01010000"
	h.columns[cLengths] = numbers(7, 64, 35)
	h.columns[cTargets] = "0" + "110001" + "010" + "1" + "1" + "0" + "010" +
		numbers(16, 65535, 32768, 4369) +
		"1" + "1" + "010" + "0000001" + "101001" + "0" + number(65535, 16)
	return h
}

// handFacts is handFactsRecord.
func handFacts() hand {
	h := handPolicy()
	h.head[hFacts], h.head[hFactValues] = "21", "ac02"
	return h
}

// handOpening is handOpeningRecord.
func handOpening() hand {
	h := handPlain()
	h.head[hFacts], h.head[hFactValues] = "22", "03"
	h.head[hTargets] = "03" + "05" + "12" // a mask is shorter then
	h.columns[cVisits], h.columns[cValues] = "00010000", "00001000"
	h.columns[cLengths], h.columns[cFound] = numbers(5, 18), floats(0.5, 0.5)
	h.columns[cTargets] = "0" + "001" + "0000001" + "101001" + "0"
	return h
}

// handAsynchronous is handAsynchronousRecord.
func handAsynchronous() hand {
	h := handPlain()
	h.head[hFacts], h.head[hFactValues] = "24", "ac02"
	return h
}

// handResign is handResignRecord.
func handResign() hand {
	h := handPlain()
	h.head[hFacts], h.head[hFactValues] = "28", "0000803e"+"01"
	h.head[hReturns] = "00000000" + "0000803f"
	h.head[hMoves], h.head[hWidth] = "05", "02"
	h.columns[cChoices], h.columns[cVisits], h.columns[cPolicies] = "01111", "01010", "00000"
	h.columns[cValues], h.columns[cFound] = "01001", floats(0.25, 0.75, 0.125, 0.75)
	h.columns[cMovers], h.columns[cActions] = numbers(2, 2, 1, 0, 1, 0), numbers(2, 1, 0, 1, 2, 3)
	return h
}

// hands returns the records written by hand.
func hands() []hand {
	return []hand{
		handPlain(), handTrees(), handPolicy(), handFacts(), handOpening(), handAsynchronous(),
		handResign(),
	}
}

func TestEncodedByHand(t *testing.T) {
	for i, g := range []*record.Game{
		recordtest.HandRecord(), recordtest.HandTreeRecord(), recordtest.HandPolicyRecord(),
		recordtest.HandFactsRecord(), recordtest.HandOpeningRecord(),
		recordtest.HandAsynchronousRecord(), recordtest.HandResignRecord(),
	} {
		want := hands()[i].bytes(t)
		got, err := record.AppendEncoded([]byte("before"), g)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hex.EncodeToString(append([]byte("before"), want...)),
			hex.EncodeToString(got)); diff != "" {
			t.Errorf("record %d, encoded (-want +got):\n%s", i, diff)
		}
		back, err := record.Decode(want)
		if err != nil {
			t.Fatal(err)
		}
		recordtest.Same(t, back, g)
	}
}

// anyRecord generates records that pass Check.
func anyRecord() *rapid.Generator[*record.Game] {
	float := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
	action := rapid.Map(rapid.OneOf(rapid.Int32Range(0, math.MaxInt32), rapid.Int32Range(0, 70)),
		func(a int32) game.Action { return game.Action(a) })
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
				m.Choice = rapid.Bool().Draw(t, "choice")
				for range rapid.IntRange(0, 40).Draw(t, "visits") {
					m.Visits = append(m.Visits, record.Visit{
						Action: action.Draw(t, "visited"), N: rapid.Uint32Min(1).Draw(t, "n"),
					})
				}
				slices.SortFunc(m.Visits, func(a, b record.Visit) int {
					return int(a.Action) - int(b.Action)
				})
				m.Visits = slices.CompactFunc(m.Visits, func(a, b record.Visit) bool {
					return a.Action == b.Action
				})
				if n := len(m.Visits); n > 0 && rapid.Bool().Draw(t, "policy") {
					m.Policy = rapid.SliceOfN(rapid.Uint16(), n, n).Draw(t, "policies")
					m.Policy[rapid.IntRange(0, n-1).Draw(t, "best")] = record.MaxWeight
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
					Actions: []game.Action{game.NoAction}, Forced: []bool{false},
				}
				for i := range rapid.IntRange(0, 20).Draw(t, "states") {
					tree.Depths = append(tree.Depths,
						rapid.Int32Range(1, tree.Depths[i]+1).Draw(t, "depth"))
					tree.Actions = append(tree.Actions, action.Draw(t, "action"))
					tree.Forced = append(tree.Forced, rapid.Bool().Draw(t, "forced"))
				}
				tree.Values = rapid.SliceOfN(float, players*len(tree.Depths),
					players*len(tree.Depths)).Draw(t, "state values")
				for i := players; i < len(tree.Values); i += players {
					if rapid.Bool().Draw(t, "same") {
						copy(tree.Values[i:i+players], tree.Values[i-players:i])
					}
				}
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
	for i, h := range hands() {
		good := h.bytes(t)
		for n := range good {
			if _, err := record.Decode(good[:n]); err == nil {
				t.Errorf("record %d cut to %d of %d bytes is accepted", i, n, len(good))
			}
		}
		if _, err := record.Decode(append(good, 0)); err == nil ||
			!strings.Contains(err.Error(), "1 bytes follow the record's end") {
			t.Errorf("record %d with a byte more: %v", i, err)
		}
	}
	head := func(part int, digits string) func(*hand) {
		return func(h *hand) { h.head[part] = digits }
	}
	column := func(part int, bits string) func(*hand) {
		return func(h *hand) { h.columns[part] = bits }
	}
	both := func(list ...func(*hand)) func(*hand) {
		return func(h *hand) {
			for _, f := range list {
				f(h)
			}
		}
	}
	nan := float32(math.NaN())
	const absurd = "ffffffff0f"
	second := "1" + "1" + "010" + "0000001" + "101001" + "0" // the second target of handPlain
	values := floats(1, 0, 0.5, 0.5, 0, 1, 2, -1, 0.25, 0.25)
	for _, c := range []struct {
		from   func() hand
		change func(*hand)
		want   string
	}{
		{handPlain, head(hVersion, "05"), "record version 5; this program reads version 6"},
		{handPlain, head(hNumber, "8000"), "the game's number is not in its shortest form"},
		{handPlain, head(hName, absurd), "the length of the game's name is greater than 1024"},
		{handPlain, head(hName, "00"), "the game has no name"},
		{handPlain, head(hSeats, "00"), "0 seats; must be 1 to 8"},
		{handPlain, head(hSeats, "02"+"01"+"2a"+"0201"), "seat 1: kind 2 with network step 1"},
		{handPlain, head(hFacts, "a001"), "the number of the facts is greater than 127"},
		{handPlain, head(hMoves, "818004"), "the number of moves is greater than 65536"},
		{handPlain, head(hMoves, "ffff03"), "the record ends too early"},
		{handPlain, head(hWidth, "20"), "an action has 32 bits; the maximum is 31"},
		{handPlain, both(head(hWidth, "04"), column(cActions, numbers(4, 1, 0, 1, 2, 3, 4, 5, 6))),
			"actions have 4 bits, but take 3"},
		{handPlain, head(hReturns, "0000003f"+"0000c07f"),
			"player 1 has the score, utility or outcome NaN"},
		{handPlain, head(hReturns, "0000003f"+"00000040"),
			"player 1 has the score, utility or outcome 2"},
		{handPlain, head(hScores, "0000807f"+"00000000"),
			"player 0 has the score, utility or outcome +Inf"},
		{handTrees, head(hOutcome, "0000807f"+"00000000"),
			"player 0 has the score, utility or outcome +Inf"},
		{handPlain, column(cChoices, "11111100"),
			"ply 0: an outcome of chance has visits, a value or a choice"},
		{handPlain, column(cMovers, numbers(2, 2, 1, 0, 1, 3, 1, 0, 1)), "ply 4: the mover is 3"},
		{handPlain, column(cPolicies, "00000001"), "ply 7: a policy without visits"},
		{handPlain, column(cFound, floats(0.25, nan, 0.5, 0.5)),
			"ply 1: player 1 has the value NaN"},
		{handPlain, both(head(hTargets, ""), head(hFacts, "00"), column(cLengths, ""),
			column(cTargets, "")), "2 policy targets; its facts say otherwise"},
		{handPlain, both(column(cVisits, "00000000"), column(cLengths, "")),
			"0 policy targets; its facts say otherwise"},
		{handPlain, head(hTargets, "00"+"05"+"20"), "the limit of the visited actions is 0"},
		{handPlain, head(hTargets, absurd+"05"+"20"),
			"the limit of the visited actions is greater than 2147483648"},
		{handPlain, head(hTargets, "06"+"05"+absurd),
			"the length of the targets is greater than 536870912"},
		{handPlain, both(head(hTargets, "06"+"06"+"20"), column(cLengths, numbers(6, 13, 19))),
			"the targets' lengths have 6 bits, but take 5"},
		{handPlain, column(cLengths, numbers(5, 13, 20)),
			"ply 3: a policy target of 20 bits, of 19"},
		{handPlain, column(cLengths, numbers(5, 14, 18)), "ply 1: its bits are no policy target"},
		{handPlain, both(head(hTargets, "06"+"05"+"21"),
			column(cTargets, handPlain().columns[cTargets]+"0")),
			"1 bits follow the policy targets"},
		{handPlain, both(head(hTargets, "07"+"05"+"21"), column(cLengths, numbers(5, 14, 19)),
			column(cTargets, "0"+"1000010"+"010"+"1"+"1"+"1"+second)),
			"visited actions are below 6, but their limit is 7"},
		// A list where a mask takes less, no action, and actions that do not ascend.
		{handPlain, both(head(hTargets, "06"+"05"+"23"), column(cLengths, numbers(5, 16, 19)),
			column(cTargets, "1"+"010"+numbers(3, 0, 5)+"010"+"1"+"1"+"1"+second)),
			"ply 1: its bits are no policy target"},
		{handPlain, column(cTargets, "0"+"000000"+"010"+"1"+"1"+"1"+second),
			"ply 1: its bits are no policy target"},
		{handPlain, column(cTargets, "0"+"100001"+"10"+"10"+"00"+second),
			"ply 1: its bits are no policy target"},
		{handPlain, column(cTargets, "0"+"100001"+"010"+"1"+"1"+"1"+
			"1"+"1"+"011"+"0000001"+"101001"+"0"),
			"ply 3: the visited action 6 follows action -1; must be above it and below 6"},
		{handPlain, both(head(hTargets, "06"+"05"+"14"), column(cVisits, "01010000"),
			column(cLengths, numbers(4, 13, 7)), head(hTargets, "06"+"04"+"14"),
			column(cTargets, "0"+"100001"+"010"+"1"+"1"+"1"+"1"+"1"+"010"+"1"+"0")),
			"ply 3: all visit counts are 0"},
		{handPolicy, column(cTargets, strings.Replace(handPolicy().columns[cTargets],
			number(65535, 16), number(65534, 16), 1)), "ply 1: the greatest weight is 65534"},
		{handTrees, head(hTrees, absurd), "the number of trees is greater than 65536"},
		{handTrees, head(hTrees, "00"+"03"+"9c03"+"00"), "0 trees of 8 moves"},
		{handTrees, head(hTrees, "09"+"03"+"9c03"+"24"+strings.Repeat("01010100", 9)),
			"9 trees of 8 moves"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"08"+"08010100"+"04050508"),
			"tree 0: 1 values of 1 states at ply 8 of a game of 8"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"08"+"01000000"+"04050508"),
			"tree 0: 0 values of 0 states"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"08"+"01010200"+"04050508"),
			"tree 0: 2 values of 1 states"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"0c"+"01"+absurd+"0100"+"04050508"),
			"the number of a tree's states is greater than 16777216"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"07"+"010101"+"04050508"),
			"the record ends too early"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"09"+"01010100"+"0405050800"),
			"by their table they have 412, and 1 bytes follow it"},
		{handTrees, head(hTrees, "02"+"03"+"9c03"+"08"+"01010100"+"04050507"),
			"the trees have 412 bits; by their table they have 411"},
		{handTrees, head(hTrees, "02"+"03"+"ffffffff0f"+"08"+"01010100"+"04050508"),
			"the length of the trees is greater than 536870912"},
		{handTrees, both(head(hTrees, "02"+"04"+"a003"+"08"+"01010100"+"04050508"), column(cTrees,
			floats(0.25, 0.75)+"0110"+"1111"+numbers(4, 3, 4, 5, 5)+"11010011"+values)),
			"actions of states have 4 bits, but take 3"},
		{handTrees, column(cTrees, floats(0.25, 0.75)+"0110"+"1101"+numbers(3, 3, 4, 5, 5)+
			"11010011"+values), "tree 1: 4 values are listed, but it has 5"},
		{handTrees, column(cTrees, floats(0.25, 0.75)+"0110"+"1111"+numbers(3, 3, 4, 5, 5)+
			"11010011"+floats(1, 0, 0.5, 0.5, 0.5, 0.5, 2, -1, 0.25, 0.25)),
			"tree 1: value 2 is that before it"},
		{handTrees, column(cTrees, floats(0.25, 0.75)+"0110"+"1111"+numbers(3, 3, 4, 5, 5)+
			"11010011"+floats(1, 0, 0.5, nan, 0.5, 0.5, 2, -1, 0.25, 0.25)),
			"tree 1: player 1 has the value NaN"},
		{handTrees, column(cTrees, floats(0.25, 0.75)+"0110"+"1111"+numbers(3, 3, 4, 5, 5)+
			"01001011"+values), "tree 1, state 1: 1 levels above a child of one of depth 0"},
		{handTrees, column(cTrees, floats(0.25, 0.75)+"0110"+"1111"+numbers(3, 3, 4, 5, 5)+
			"11111111"+values), "tree 1: 4 bits follow its levels"},
		{handResign, head(hFactValues, "00000000"+"00"),
			"players resign below a utility of 0; must be above 0 and at most 0.5"},
		{handResign, head(hFactValues, "0000c07f"+"00"), "players resign below a utility of NaN"},
		{handResign, head(hFactValues, "0000403f"+"00"), "players resign below a utility of 0.75"},
		{handResign, head(hFactValues, "0000803e"+"02"), "the flag of a resignation is 2"},
		{handResign, head(hFactValues, "cdcccc3d"+"01"),
			"the game ended by resignation, but two players at least"},
		{handOpening, head(hFactValues, "00"),
			"a number of moves before the players' own is recorded that is 0"},
		{handOpening, head(hFactValues, "04"),
			"ply 3: a move before the players' own has visits or a value"},
		{handOpening, head(hFactValues, "09"),
			"9 moves before the players' own; the game has 8"},
		{handFacts, head(hFactValues, "00"), "a number of evaluations is recorded that is 0"},
	} {
		h := c.from()
		c.change(&h)
		if _, err := record.Decode(h.bytes(t)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want %q", h, err, c.want)
		}
	}
	// The bits that fill the last byte are 0.
	h := handOpening()
	data := h.bytes(t)
	n := 0
	for _, c := range h.columns {
		n += len(c)
	}
	if n%8 == 0 {
		t.Fatal("no bit fills the last byte")
	}
	data[len(data)-1] |= 0x80
	if _, err := record.Decode(data); err == nil ||
		!strings.Contains(err.Error(), "the bits after the record's end are not 0") {
		t.Errorf("a bit after the end: %v", err)
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
		"short policy":         func(g *record.Game) { g.Moves[1].Policy = []uint16{65535} },
		"policy alone":         func(g *record.Game) { g.Moves[2].Policy = []uint16{65535} },
		"small weights":        func(g *record.Game) { g.Moves[3].Policy = []uint16{65534} },
		"chance with a policy": func(g *record.Game) { g.Moves[0].Policy = []uint16{65535} },
		"chance with a choice": func(g *record.Game) { g.Moves[0].Choice = true },
		"visits out of order": func(g *record.Game) {
			slices.Reverse(g.Moves[1].Visits)
		},
		"a visit listed twice": func(g *record.Game) {
			g.Moves[1].Visits[1].Action = 0
		},
		"moves before a root":  func(g *record.Game) { g.Trees[0].Forced[0] = true },
		"moves before states":  func(g *record.Game) { g.Trees[1].Forced = g.Trees[1].Forced[:4] },
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
		// Five bits may become a Move of 88 bytes.
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(200*len(damaged)) {
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
