package goban

import (
	"io"
	"path/filepath"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, c := range []struct {
		name  string
		games int
	}{
		{"go:size=1,players=3", 20},
		{"go:rows=1,columns=4,players=2", 40},
		{"go:rows=1,columns=7,players=3,ko=simple,pass=free", 30},
		{"go:rows=2,columns=3,players=4,ko=situational,reward=win", 30},
		{"go:size=3,players=3,komi=[0,0.5,1],eye=chain,reward=win", 30},
		{"go:size=5,players=3", 30},
		{"go:size=5,players=2,ko=simple,pass=free,eye=orthogonal", 20},
		{"go:rows=4,columns=6,players=4,ko=situational,pass=free", 15},
		{"go:size=8,players=2,komi=[0,6.5],pass=free,reward=win", 6},
		{"go:size=9,players=3", 3},
		{"go:rows=5,columns=13,players=2,ko=situational,pass=free,eye=chain", 4},
		{"go:rows=19,columns=4,players=4,ko=simple,reward=win,max_plies=200", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := game.Must(game.New(c.name))
			if g.Name() != c.name {
				t.Errorf("the name is %s", g.Name())
			}
			gametest.Conform(t, g, gametest.Games(c.games))
		})
	}
}

// golden lists the games that have playthroughs in testdata.
var golden = map[string]string{
	"5x5":  "go:size=5,players=3",
	"2x3":  "go:rows=2,columns=3,players=4,ko=situational,pass=free,eye=orthogonal",
	"1x6":  "go:rows=1,columns=6,players=2,komi=[0,0.5],ko=simple,reward=win",
	"7x10": "go:rows=7,columns=10,players=3,eye=chain,max_plies=120",
}

// TestGolden replays playthroughs of the naive board.
func TestGolden(t *testing.T) {
	for short, name := range golden {
		g := game.Must(game.New(name))
		file := filepath.Join("testdata", short+".golden")
		r := rulesOf(g)
		gametest.Rewrite(t, file, func(w io.Writer) error {
			io.WriteString(w, "# Random games of the naive board (go test -run Golden -update).\n")
			rng := random.New(11, random.Test, uint64(r.Rows), uint64(r.Columns))
			for range 3 {
				slow := naivePlayer{newNaive(r)}
				if err := gametest.Record(w, name, r.Players, slow, rng); err != nil {
					return err
				}
			}
			return nil
		})
		gametest.Golden(t, g, file)
	}
}

// naivePlayer implements gametest.Rules for a naive board.
type naivePlayer struct{ n *naive }

func (s naivePlayer) CurrentPlayer() game.Player {
	if s.n.over() {
		return game.Nobody
	}
	return game.Player(s.n.color())
}

func (s naivePlayer) LegalActions(dst []game.Action) []game.Action {
	return append(dst, actions(s.n.legal())...)
}

func (s naivePlayer) Apply(a game.Action)   { s.n.apply(int(a)) }
func (s naivePlayer) Returns(dst []float32) { copy(dst, s.n.returns()) }
