package cmd

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
)

// analyzed is what analyze prints as JSON.
type analyzed struct {
	Game, Player, ToMove string
	Board                []string
	Decision             string
	Value                []float64
	Visits               int
	Exact                bool
	Line                 []string
	Moves                []struct {
		Move   string
		Visits int
		Share  float64
		Value  []float64
	}
}

func analyze(t *testing.T, stdin, args string) *analyzed {
	t.Helper()
	status, stdout, stderr := tengen(t, stdin, "analyze "+args+" --json")
	if status != 0 {
		t.Fatalf("%s: %s", args, stderr)
	}
	a := &analyzed{}
	if err := json.Unmarshal([]byte(stdout), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// Every kind of player that searches tells what it sees.
func TestAnalyzePlayers(t *testing.T) {
	t.Chdir(t.TempDir())
	const two = "go:size=3,players=2,pass=free"
	newRun(t, "a", two, "alphazero")
	newRun(t, "d", two, "descent")
	const position = "(;SZ[3]KM[2.5];B[bb];W[ba])"
	for _, player := range []string{
		"uct:simulations=50", "a", "az:a,simulations=50", "ubfm:d,iterations=50",
		"descent:d,iterations=20",
	} {
		a := analyze(t, position, "- "+player)
		if a.Game != "go:size=3,players=2,komi=[0,2.5],pass=free" ||
			!slices.Equal(a.Board, []string{".O.", ".X.", "..."}) {
			t.Errorf("%s: %+v", player, a)
		}
		visits, share := 0, 0.0
		names := map[string]bool{}
		for i, m := range a.Moves {
			visits += m.Visits
			share += m.Share
			names[m.Move] = true
			if i > 0 && m.Visits > a.Moves[i-1].Visits {
				t.Errorf("%s: the moves are out of order: %+v", player, a.Moves)
			}
			if m.Visits > 0 && len(m.Value) != 2 {
				t.Errorf("%s: %+v", player, m)
			}
		}
		if visits != a.Visits || visits > 0 && math.Abs(share-1) > 1e-9 || len(names) != 8 ||
			!names["pass"] || !names[a.Decision] || len(a.Line) == 0 || len(a.Value) != 2 {
			t.Errorf("%s: %+v", player, a)
		}
	}
	// A network's game and size are its own.
	for position, want := range map[string]string{
		"(;SZ[5];B[bb])":                    "was trained on go:size=3,players=2,pass=free, not on go:size=5,players=2,pass=free",
		"X . .\nto move: Black":             "drawn is a board of 1 rows and 3 columns with 2 colours, which is none of go:size=3",
		`{"game":"tictactoe","actions":[]}`: "was trained on",
	} {
		if status, _, stderr := tengen(t, position, "analyze - az:a"); status != exitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: %d %s", position, status, stderr)
		}
	}
	status, _, stderr := tengen(t, "",
		"analyze --moves b2 az:a --game go:size=3,players=2,komi=[0,7],pass=free,ko=simple")
	if status != exitUsage || !strings.Contains(stderr, "was trained on") {
		t.Errorf("%d %s", status, stderr)
	}
}

// A position that is set up and one that was played are seen alike where nothing
// before matters.
func TestAnalyzeForms(t *testing.T) {
	const player = " uct:simulations=100"
	bySGF := analyze(t, "(;SZ[3];B[bb];W[ba];B[aa])", "-"+player)
	byBoard := analyze(t, "XO.\n.X.\n...\nto move: White", "-"+player)
	byJSON := analyze(t, `{"game":"go:players=2,size=3,pass=free","version":1,"actions":[4,1,0],"moves":["b2","b3","a3"]}`, "-"+player)
	byMoves := analyze(t, "", "--game go:size=3,players=2,pass=free --moves b2,b3,a3"+player)
	for _, a := range []*analyzed{byBoard, byJSON, byMoves} {
		if a.Game != bySGF.Game || !slices.Equal(a.Board, bySGF.Board) ||
			a.Decision != bySGF.Decision || !slices.Equal(a.Value, bySGF.Value) {
			t.Errorf("%+v\n%+v", bySGF, a)
		}
	}
}

// The picture is well-formed, with a circle for each stone and two for each move shown.
func TestAnalyzePicture(t *testing.T) {
	t.Chdir(t.TempDir())
	a := analyze(t, "XO.\n.X.\n#..\nto move: Blue", "- uct:simulations=100 --svg b.svg")
	shown := 0
	for _, m := range a.Moves {
		if m.Move != "pass" && m.Share >= 0.005 {
			shown++
		}
	}
	f, err := os.Open("b.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	circles := 0
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 4+2*shown {
		t.Errorf("%d circles for 4 stones and %d moves", circles, shown)
	}
}

// TestAnalyzeForced: where a single move is legal, the analysis has values and that move, for each
// kind of player that searches.
func TestAnalyzeForced(t *testing.T) {
	tried := map[string]int{}
	for _, c := range []struct{ game, players string }{
		{"tictactoe", "uct:simulations=20 alphabeta minimax:depth=1"},
		{"connect-four",
			"uct:simulations=20,proofs=true az:connect-four-gumbel,simulations=20 solver"},
		{"go:size=3,players=3", "uct:simulations=20"},
		{"go:size=5,players=3", "az:go-5x5x3,simulations=20 ubfm:go-5x5x3-descent,iterations=20 descent:go-5x5x3-descent,iterations=20"},
		{"go:size=5,players=2,pass=free", "az:go-5x5x2,simulations=20,leaves=4"},
		{"turtle:players=2",
			"uct:simulations=20 az:turtle,simulations=20 alphabeta:strategy=hybrid"},
		{"tcg", "uct:simulations=20 az:tcg,simulations=20 expectiminimax:depth=2 uct:simulations=20,rm=true"},
		{"backgammon:checkers=3", "uct:simulations=20 az:hypergammon-td,simulations=20"},
		{"kuhn", "uct:simulations=20"},
	} {
		g := game.Must(game.New(c.game))
		for _, s := range forcedPositions(g, 3) {
			for _, text := range strings.Fields(c.players) {
				p, err := player.Parse(g, text)
				if err != nil {
					t.Fatal(err)
				}
				a := &positionReport{game: g, state: s, player: p}
				if err := a.check(); err != nil {
					t.Fatalf("%s, %s: %v", g.Name(), text, err)
				}
				if err := a.think(t.Context(), 1); err != nil {
					t.Fatalf("%s, %s: %v", g.Name(), text, err)
				}
				only := game.ActionName(g, s, s.LegalActions(nil)[0])
				if a.Analysis == nil || len(a.Value) != g.Players() || len(a.Moves) != 1 ||
					a.Moves[0].Move != only || a.Decision != only {
					t.Errorf("%s, %s, %s is forced: %+v", g.Name(), text, only, a.Analysis)
				}
				tried[c.game]++
			}
		}
	}
	if len(tried) < 6 {
		t.Errorf("forced moves are found in %v alone", tried)
	}
}

// forcedPositions returns up to n positions of random games in which a player has one legal move.
func forcedPositions(g game.Game, n int) (list []game.State) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		r := game.NewReplayer(g)
		for r.State().CurrentPlayer() != game.Nobody && len(list) < n {
			if r.State().CurrentPlayer() == game.Chance {
				r.Apply(r.State().(game.Chancer).Sample(rng))
				continue
			}
			legal := r.LegalActions()
			if len(legal) == 1 {
				s := g.NewState()
				s.CopyFrom(r.State())
				list = append(list, s)
			}
			r.Apply(legal[rng.IntN(len(legal))])
		}
	}
	return list
}
