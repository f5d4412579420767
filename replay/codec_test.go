package replay

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tengen/game"
)

// handEncoded is handRecord in bytes, put together by hand from
// docs/formats/replay-segment.md.
var handEncoded = strings.Join([]string{
	"01",                        // version
	"ac02",                      // number 300
	"05" + "7061697273",         // name "pairs"
	"0807060504030201",          // seed
	"05",                        // iteration
	"02" + "01" + "2a" + "0200", // two seats: network at step 42, UCT
	"08",                        // eight moves
	"0f" + "01",                 // chance: 1
	"31" + "00" + "02" + "0003" + "0501" + "0000803e" + "0000403f", // player 1: 0, two visited actions, values 0.25 and 0.75
	"00" + "01",
	"11" + "02" + "01" + "02c801", // player 1: 2, visited 200 times
	"20" + "03" + "0000003f" + "0000003f",
	"01" + "04",
	"00" + "05",
	"01" + "06",
	"00000000" + "00000000", // scores
	"0000003f" + "0000003f", // utilities
}, "")

func TestEncodedByHand(t *testing.T) {
	want, err := hex.DecodeString(handEncoded)
	if err != nil {
		t.Fatal(err)
	}
	got, err := AppendEncoded([]byte("before"), handRecord())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hex.EncodeToString(append([]byte("before"), want...)), hex.EncodeToString(got)); diff != "" {
		t.Errorf("encoded (-want +got):\n%s", diff)
	}
	g, err := Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	same(t, g, handRecord())
}

// anyRecord draws records that pass Check, of any game.
func anyRecord() *rapid.Generator[*Game] {
	float := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
	action := rapid.Map(rapid.Int32Range(0, math.MaxInt32), func(a int32) game.Action { return game.Action(a) })
	return rapid.Custom(func(t *rapid.T) *Game {
		players := rapid.IntRange(1, game.MaxPlayers).Draw(t, "players")
		g := &Game{
			Number:    rapid.Uint64().Draw(t, "number"),
			Name:      rapid.StringN(1, 20, maxName).Draw(t, "name"),
			Seed:      rapid.Uint64().Draw(t, "seed"),
			Iteration: int(rapid.Int32Range(0, math.MaxInt32).Draw(t, "iteration")),
			Scores:    rapid.SliceOfN(float, players, players).Draw(t, "scores"),
			Returns:   rapid.SliceOfN(rapid.Float32Range(0, 1), players, players).Draw(t, "returns"),
		}
		for range players {
			s := Seat{Kind: SeatKind(rapid.IntRange(int(Network), int(lastSeatKind)).Draw(t, "kind"))}
			if s.Kind == Network {
				s.Step = rapid.Uint64().Draw(t, "step")
			}
			g.Seats = append(g.Seats, s)
		}
		for range rapid.IntRange(0, 20).Draw(t, "moves") {
			m := Move{Action: action.Draw(t, "action"), Mover: game.Chance}
			if rapid.Bool().Draw(t, "player") {
				m.Mover = game.Player(rapid.IntRange(0, players-1).Draw(t, "mover"))
				for range rapid.IntRange(0, 5).Draw(t, "visits") {
					m.Visits = append(m.Visits, Visit{action.Draw(t, "visited"), rapid.Uint32Min(1).Draw(t, "n")})
				}
				if rapid.Bool().Draw(t, "value") {
					m.Value = rapid.SliceOfN(float, players, players).Draw(t, "values")
				}
			}
			g.Moves = append(g.Moves, m)
		}
		return g
	})
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyRecord().Draw(t, "record")
		data, err := AppendEncoded(nil, g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Fatalf("the record differs (-want +got):\n%s", diff)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	good, err := AppendEncoded(nil, handRecord())
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := Decode(good[:n]); err == nil {
			t.Errorf("a record cut to %d of %d bytes is accepted", n, len(good))
		}
	}
	const beforeMoves = 23 // bytes: see handEncoded
	head := good[:beforeMoves]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		data []byte
		want string
	}{
		{join([]byte{2}, good[1:]), "record version 2; this program reads version 1"},
		{join(good, []byte{0}), "1 bytes follow the record's end"},
		{[]byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}, "the length of the game's name is greater than 1024"},
		{join(head, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}), "the number of moves is 4294967295, more than the record has room for"},
		{join(head, []byte{1, 0x11, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1}, good[len(good)-16:]), "the number of visited actions is 4294967295, more than"},
		{join(head, []byte{1, 0x11, 0, 0, 0}, good[len(good)-16:]), "visits are announced, but there are none"},
		{join(head, []byte{1, 0x40, 0}, good[len(good)-16:]), "unknown flags 0x40"},
		{join(head, []byte{1, 0x02, 0}, good[len(good)-16:]), "the mover is 2; 0 to 1"},
		{join(head, []byte{1, 0x00, 0x80, 0x00}, good[len(good)-16:]), "an action is not in its shortest form"},
		{join(head, []byte{1, 0x00, 0xff, 0xff, 0xff, 0xff, 0x0f}, good[len(good)-16:]), "an action is greater than 2147483647"},
		{join(head, []byte{0}, good[len(good)-16:len(good)-4], []byte{0, 0, 0xc0, 0x7f}), "player 1 has the utility NaN, outside [0, 1]"},
		{join(head, []byte{0}, good[len(good)-16:len(good)-4], []byte{0, 0, 0, 0x40}), "player 1 has the utility 2, outside [0, 1]"},
	} {
		if _, err := Decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%x: got error %v, want %q", c.data, err, c.want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, spoil := range map[string]func(g *Game){
		"no seats":             func(g *Game) { g.Seats = nil },
		"nine seats":           func(g *Game) { g.Seats = make([]Seat, 9) },
		"unknown kind":         func(g *Game) { g.Seats[0].Kind = 9 },
		"UCT with a step":      func(g *Game) { g.Seats[1].Step = 1 },
		"no name":              func(g *Game) { g.Name = "" },
		"long name":            func(g *Game) { g.Name = strings.Repeat("x", maxName+1) },
		"iteration":            func(g *Game) { g.Iteration = -1 },
		"scores":               func(g *Game) { g.Scores = g.Scores[:1] },
		"infinite score":       func(g *Game) { g.Scores[0] = inf },
		"returns":              func(g *Game) { g.Returns = nil },
		"negative action":      func(g *Game) { g.Moves[1].Action = -1 },
		"mover":                func(g *Game) { g.Moves[1].Mover = game.Nobody },
		"chance with visits":   func(g *Game) { g.Moves[0].Visits = g.Moves[1].Visits },
		"one value":            func(g *Game) { g.Moves[1].Value = g.Moves[1].Value[:1] },
		"infinite value":       func(g *Game) { g.Moves[1].Value[1] = inf },
		"no visits at all":     func(g *Game) { g.Moves[3].Visits[0].N = 0 },
		"negative visited one": func(g *Game) { g.Moves[3].Visits[0].Action = -1 },
	} {
		g := handRecord()
		spoil(g)
		if _, err := AppendEncoded(nil, g); err == nil {
			t.Errorf("%s: the record is encoded", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	good, err := AppendEncoded(nil, handRecord())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, g := range playMany(3, 1) {
		data, _ := AppendEncoded(nil, g)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Decode(data)
		if err != nil {
			return
		}
		back, err := AppendEncoded(nil, g)
		if err != nil {
			t.Fatalf("a decoded record can't be encoded: %v", err)
		}
		if !bytes.Equal(back, data) {
			t.Fatalf("decoded and encoded again, %x becomes %x", data, back)
		}
	})
}
