// Command nim is tengen with one more game, Nim. It shows everything that your own
// game needs. Every command of tengen works with it:
//
//	go run ./examples/nim games
//	go run ./examples/nim train examples/nim/nim.yaml
//	go run ./examples/nim play --game nim human uct
package main

import (
	"fmt"
	"os"
	"strings"

	"tengen/cmd"
	"tengen/game"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func init() {
	game.Register(game.Family{
		Name:    "nim",
		Summary: "Nim: take any number of counters from one heap; whoever takes the last one wins",
		Params: []game.Param{
			{Key: "heaps", Default: "[3,4,5]", Help: "counters in each heap"},
		},
		New: func(v *game.Values) (game.Game, error) {
			return newGame(v.Floats("heaps"))
		},
	})
}

// nim holds the rules: the initial heaps.
type nim struct {
	heaps   []int
	largest int
}

func newGame(heaps []float64) (game.Game, error) {
	g := &nim{}
	for _, h := range heaps {
		if h != float64(int(h)) || h < 1 || h > 20 {
			return nil,
				fmt.Errorf("heaps: %g counters in a heap; a whole number from 1 to 20 is wanted", h)
		}
		g.heaps = append(g.heaps, int(h))
		g.largest = max(g.largest, int(h))
	}
	if len(heaps) < 1 || len(heaps) > 10 {
		return nil, fmt.Errorf("heaps: %d heaps; 1 to 10 are wanted", len(heaps))
	}
	return g, nil
}

// Name and the methods up to NewState implement game.Game.
func (g *nim) Name() string {
	words := make([]string, len(g.heaps))
	for i, h := range g.heaps {
		words[i] = fmt.Sprint(h)
	}
	return "nim:heaps=[" + strings.Join(words, ",") + "]"
}

// Players is two.
func (g *nim) Players() int { return 2 }

// Actions: action heap·largest + n−1 takes n counters from a heap.
func (g *nim) Actions() int { return len(g.heaps) * g.largest }

// Planes: a row per heap and a cell per counter, 1 if the counter is still there; then for each
// player a plane of ones if that player is to move.
func (g *nim) Planes() game.Shape { return game.Shape{C: 3, H: len(g.heaps), W: g.largest} }

// Support: a game is lost or won.
func (g *nim) Support() []float32 { return []float32{0, 1} }

// NewState returns the full heaps.
func (g *nim) NewState() game.State {
	return &state{game: g, left: append([]int(nil), g.heaps...)}
}

// UtilitySum declares that one player wins and the other loses.
func (g *nim) UtilitySum() float64 { return 1 }

// ActionName is "2 from heap 1".
func (g *nim) ActionName(_ game.State, a game.Action) string {
	heap, n := g.split(a)
	return fmt.Sprintf("%d from heap %d", n, heap+1)
}

// ParseAction parses the names of ActionName.
func (g *nim) ParseAction(_ game.State, text string) (game.Action, error) {
	var n, heap int
	if _, err := fmt.Sscanf(text, "%d from heap %d", &n, &heap); err != nil || heap < 1 ||
		heap > len(g.heaps) || n < 1 || n > g.largest {
		return game.NoAction, fmt.Errorf("%q is no move; write it as in %q", text, "2 from heap 1")
	}
	return game.Action((heap-1)*g.largest + n - 1), nil
}

func (g *nim) split(a game.Action) (heap, n int) {
	return int(a) / g.largest, int(a)%g.largest + 1
}

// state is one position: the counters left in each heap.
type state struct {
	game  *nim
	left  []int
	mover game.Player
	won   bool // whether the last counter was taken, by the player who is not mover
}

// CurrentPlayer and the methods below implement game.State.
func (s *state) CurrentPlayer() game.Player {
	if s.won {
		return game.Nobody
	}
	return s.mover
}

func (s *state) LegalActions(dst []game.Action) []game.Action {
	for heap, left := range s.left {
		for n := 1; n <= left; n++ {
			dst = append(dst, game.Action(heap*s.game.largest+n-1))
		}
	}
	return dst
}

func (s *state) Apply(a game.Action) {
	heap, n := s.game.split(a)
	s.left[heap] -= n
	s.mover = 1 - s.mover
	s.won = true
	for _, left := range s.left {
		if left > 0 {
			s.won = false
		}
	}
}

func (s *state) CopyFrom(src game.State) {
	from := src.(*state)
	copy(s.left, from.left)
	s.mover, s.won = from.mover, from.won
}

func (s *state) Returns(dst []float32) {
	dst[s.mover], dst[1-s.mover] = 0, 1
}

func (s *state) Observation(dst []float32) {
	dst = dst[:s.game.Planes().Size()]
	clear(dst)
	for heap, left := range s.left {
		for i := range left {
			dst[heap*s.game.largest+i] = 1
		}
	}
	if p := int(s.CurrentPlayer()); p >= 0 {
		n := len(dst) / 3
		mover := dst[(1+p)*n : (2+p)*n]
		for i := range mover {
			mover[i] = 1
		}
	}
}

// Hash: heaps have at most 20 counters, so ten of them and the player to move fit a
// number in base 21, which is then mixed.
func (s *state) Hash() uint64 {
	h := uint64(s.mover)
	for _, left := range s.left {
		h = h*21 + uint64(left)
	}
	h = (h + 1) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Draw shows the heaps.
func (s *state) Draw(bool) string {
	var b strings.Builder
	for heap, left := range s.left {
		fmt.Fprintf(&b, "heap %d  %s\n", heap+1, strings.Repeat("o ", left))
	}
	return b.String()
}
