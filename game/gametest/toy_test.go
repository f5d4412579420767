package gametest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/random"
)

// toy is a small game with every ability that the suite checks. Chance deals each of
// two players one of four cards, face down; then they take turns to mark one of five
// cells, worth 1 2 3 2 1. The last cell is marked by an action outside the policy. The
// greater sum of cells and card wins. The row may be reversed.
//
// The parameter broken names one property to break.
type toy struct {
	broken string
	calls  atomic.Uint64 // counts calls, for games that behave differently each time
}

const (
	toyCells = 5
	toyFill  = game.Action(toyCells)
	toyCard  = game.Action(10) // and the three after it
)

var toyWeights = [toyCells]float32{1, 2, 3, 2, 1}

type toyState struct {
	g     *toy
	cards [2]int8 // -1 until dealt
	cells *[toyCells]int8
	turn  int
	drawn int // number of calls to Sample, in games that count them
}

func init() {
	game.Register(game.Family{
		Name:    "toy",
		Summary: "a game for the tests of the suite",
		Params:  []game.Param{{Key: "broken", Default: "nothing"}},
		New: func(v *game.Values) (game.Game, error) {
			return &toy{broken: v.String("broken")}, nil
		},
	})
}

func (g *toy) Name() string {
	switch g.broken {
	case "name refused":
		return "toys"
	case "name of another":
		return "toy"
	}
	return "toy:broken=" + g.broken
}

func (g *toy) Players() int {
	if g.broken == "players" {
		return 9
	}
	return 2
}

func (g *toy) Actions() int {
	if g.broken == "actions" {
		return 3
	}
	return toyCells
}

func (g *toy) Planes() game.Shape {
	if g.broken == "planes" {
		return game.Shape{C: 5, H: 0, W: toyCells}
	}
	return game.Shape{C: 5, H: 1, W: toyCells}
}

func (g *toy) Support() []float32 {
	switch g.broken {
	case "support order":
		return []float32{0, 1, 0.5}
	case "support":
		return []float32{0, 1}
	}
	return []float32{0, 0.5, 1}
}

// PlyLimit: two cards and five cells.
func (g *toy) PlyLimit() int {
	if g.broken == "ply limit" {
		return 6
	}
	return 7
}

// ScoreBounds: all cells and the highest card.
func (g *toy) ScoreBounds() (low, high float64) {
	if g.broken == "score bounds" {
		return 1, 2
	}
	high = 4
	for _, w := range toyWeights {
		high += float64(w)
	}
	return 0, high
}

func (g *toy) UtilitySum() float64 {
	if g.broken == "sum" {
		return 2
	}
	return 1
}

func (g *toy) HasChance() bool { return g.broken != "has chance" }

func (g *toy) SeatName(p game.Player) string {
	if g.broken == "seat names" {
		return "somebody"
	}
	return [...]string{"Left", "Right"}[p]
}

func (g *toy) NewState() game.State {
	s := &toyState{g: g, cards: [2]int8{-1, -1}, cells: new([toyCells]int8)}
	for i := range s.cells {
		s.cells[i] = -1
	}
	return s
}

func (g *toy) ActionName(_ game.State, a game.Action) string {
	switch {
	case g.broken == "action names":
		return "cell"
	case a == toyFill:
		return "fill"
	}
	return string(rune('a' + a))
}

func (g *toy) ParseAction(_ game.State, text string) (game.Action, error) {
	switch {
	case g.broken == "garbage" || text == "fill":
		if len(text) == 1 && text[0] >= 'a' && text[0] <= 'e' {
			return game.Action(text[0] - 'a'), nil
		}
		return toyFill, nil
	case text == "cell":
		return 0, nil
	case len(text) == 1 && text[0] >= 'a' && text[0] <= 'e':
		return game.Action(text[0] - 'a'), nil
	}
	return game.NoAction, fmt.Errorf("%q is no cell; a to e or fill is wanted", text)
}

func (g *toy) Symmetries() []game.Symmetry {
	n := func() []int { return []int{0, 1, 2, 3, 4} }
	identity := game.Symmetry{
		Cells: n(), Planes: n(), Actions: []game.Action{0, 1, 2, 3, 4},
		Players: []game.Player{0, 1},
	}
	flip := game.Symmetry{
		Cells: []int{4, 3, 2, 1, 0}, Planes: n(), Actions: []game.Action{4, 3, 2, 1, 0},
		Players: []game.Player{0, 1},
	}
	switch g.broken {
	case "identity":
		return []game.Symmetry{flip, identity}
	case "no symmetry":
		return nil
	case "permutation":
		flip.Cells[0] = 0
	case "short permutation":
		flip.Cells = flip.Cells[:4]
	case "symmetry of actions":
		flip.Actions = identity.Actions
	case "symmetry of cells":
		flip.Cells = []int{4, 2, 3, 1, 0}
		flip.Actions = []game.Action{4, 2, 3, 1, 0}
	case "symmetry of planes":
		flip.Planes = []int{1, 0, 2, 3, 4}
	}
	g.permuteTargets(&identity, &flip)
	return []game.Symmetry{identity, flip}
}

func (s *toyState) CurrentPlayer() game.Player {
	switch empty := s.empty(); {
	case s.cards[0] < 0 || s.cards[1] < 0:
		return game.Chance
	case empty == 0 && s.g.broken != "end":
		return game.Nobody
	case s.g.broken == "mover" && empty == 2:
		return 2
	}
	return game.Player(s.turn % 2)
}

func (s *toyState) empty() int {
	n := 0
	for _, c := range s.cells {
		if c < 0 {
			n++
		}
	}
	return n
}

var toyKept atomic.Pointer[[1]int] // makes allocations escape to the heap

func (s *toyState) LegalActions(dst []game.Action) []game.Action {
	first := len(dst)
	empty := s.empty()
	if empty <= 1 {
		return append(dst, toyFill)
	}
	for i, c := range s.cells {
		if c < 0 {
			dst = append(dst, game.Action(i))
		}
	}
	switch s.g.broken {
	case "no legal action":
		if empty == 2 {
			return dst[:first]
		}
	case "order":
		slices.Reverse(dst[first:])
	case "duplicates":
		dst = append(dst, dst[len(dst)-1])
	case "outside":
		dst = append(dst, 17)
	case "negative":
		dst[first] = -1
	case "append":
		return append(dst[:0], dst[first:]...)
	case "legal reading":
		if s.g.calls.Add(1)%2 == 0 {
			return dst[:len(dst)-1]
		}
	case "legal allocates":
		toyKept.Store(new([1]int))
	}
	return dst
}

func (s *toyState) Apply(a game.Action) {
	switch {
	case s.g.broken == "panic" && s.empty() == 3:
		panic("toy is broken")
	case s.g.broken == "apply allocates":
		toyKept.Store(new([1]int))
	case s.g.broken == "turn":
		defer func() { s.drawn-- }()
	}
	if a >= toyCard {
		if s.cards[0] < 0 {
			s.cards[0] = int8(a - toyCard)
		} else {
			s.cards[1] = int8(a - toyCard)
		}
		return
	}
	if a == toyFill {
		a = game.Action(max(slices.Index(s.cells[:], -1), 0))
	}
	s.cells[a] = int8(s.turn % 2)
	s.turn++
}

func (s *toyState) CopyFrom(from game.State) {
	src := from.(*toyState)
	cells := s.cells
	*s = *src
	switch s.g.broken {
	case "aliased copy":
		return
	case "forgetful copy":
		if s.empty() == 1 {
			s.turn++
		}
	case "dirty copy":
		if cells[0] >= 0 && src.cells[0] < 0 {
			s.cells = cells
			cells := *src.cells
			cells[0] = 1
			*s.cells = cells
			return
		}
	case "copy allocates":
		cells = new([toyCells]int8)
	}
	s.cells = cells
	*s.cells = *src.cells
}

func (s *toyState) Scores(dst []float32) {
	for p, card := range s.cards {
		dst[p] = float32(max(card, 0))
	}
	for i, c := range s.cells {
		if c >= 0 {
			dst[c] += toyWeights[i]
		}
	}
	if s.g.broken == "scores" {
		dst[1] = float32(math.Inf(1))
	}
}

func (s *toyState) Returns(dst []float32) {
	var scores [2]float32
	s.Scores(scores[:])
	switch {
	case scores[0] > scores[1]:
		dst[0], dst[1] = 1, 0
	case scores[0] < scores[1]:
		dst[0], dst[1] = 0, 1
	default:
		dst[0], dst[1] = 0.5, 0.5
	}
	switch s.g.broken {
	case "range":
		dst[0], dst[1] = 3*dst[0]-1, 3*dst[1]-1
	case "returns of one":
		dst[1] = float32(math.NaN())
	case "returns allocates":
		toyKept.Store(new([1]int))
	}
}

func (s *toyState) Observation(dst []float32) {
	m := s.turn % 2
	for i, c := range s.cells {
		dst[i], dst[5+i] = 0, 0
		if c >= 0 {
			dst[5*int(c)+i] = 1
		}
		dst[10+i], dst[15+i] = float32(1-m), float32(m)
		if s.CurrentPlayer() == game.Nobody {
			dst[10+i], dst[15+i] = 0, 0
		}
		dst[20+i] = float32(s.cards[m]) / 4
	}
	s.breakHistory(dst)
	switch s.g.broken {
	case "unwritten":
		if s.empty() == 2 {
			dst[7] = math.Float32frombits(0x7fc0beef)
		}
	case "nan":
		dst[3] = float32(math.NaN())
	case "beyond":
		dst[:26][25] = 1
	case "leaky observation":
		dst[24] = float32(s.cards[1-m])
	case "observe allocates":
		toyKept.Store(new([1]int))
	case "shared state":
		n := s.g.calls.Add(1)
		for range 20 { // let other goroutines run
			runtime.Gosched()
		}
		if s.g.calls.Load() != n {
			dst[0] += 5
		}
	}
}

// key packs the state: all of it, or without the cards of one seat or both.
func (s *toyState) key(card0, card1 bool) uint64 {
	var k uint64 = 1
	for _, c := range s.cells {
		k = 3*k + uint64(c+1)
	}
	for p, seen := range [2]bool{card0, card1} {
		k *= 6
		switch {
		case seen:
			k += uint64(s.cards[p] + 1)
		case s.cards[p] >= 0:
			k += 5
		}
	}
	return random.Mix(k)
}

func (s *toyState) Hash() uint64 {
	switch s.g.broken {
	case "constant hash":
		return 1
	case "hash without cards":
		return s.key(false, false)
	case "hash of the moment":
		return s.g.calls.Add(1)
	case "sample changes the state":
		return random.Mix(s.key(true, true) + uint64(s.drawn))
	case "hash allocates":
		toyKept.Store(new([1]int))
	}
	return s.key(true, true)
}

func (s *toyState) Turn() int {
	if s.g.broken == "turn" {
		return s.drawn
	}
	return s.turn
}

// DecisionsLeft is half of the empty cells: the player to move gets the odd one.
func (s *toyState) DecisionsLeft(game.Player) (expected, most float64) {
	n := float64((s.empty() + 1) / 2)
	switch s.g.broken {
	case "no decision left":
		return 0, n
	case "few decisions left":
		return 1, 1
	}
	return n, n
}

func (s *toyState) Outcomes(dst []game.Outcome) []game.Outcome {
	first := len(dst)
	n := 0
	for c := range int8(4) {
		if c != s.cards[0] {
			n++
		}
	}
	for c := range int8(4) {
		if c != s.cards[0] {
			dst = append(dst, game.Outcome{
				Action: toyCard + game.Action(c), Probability: 1 / float64(n),
			})
		}
	}
	switch s.g.broken {
	case "probabilities":
		dst[first].Probability /= 2
	case "outcome twice":
		dst[first].Action = dst[first+1].Action
	}
	return dst
}

func (s *toyState) Sample(rng *rand.Rand) game.Action {
	if s.g.broken == "sample changes the state" {
		s.drawn++
	}
	for {
		c := int8(rng.IntN(4))
		if s.g.broken == "biased sample" && c == 3 {
			c = int8(rng.IntN(4))
		}
		if c != s.cards[0] || s.g.broken == "unlisted sample" {
			return toyCard + game.Action(c)
		}
	}
}

func (s *toyState) Determinize(rng *rand.Rand, seat game.Player) {
	other := 1 - seat
	switch {
	case s.cards[other] < 0 || s.g.broken == "no determinization":
		return
	case s.g.broken == "own card redrawn" && s.cards[seat] >= 0:
		s.cards[seat] = (s.cards[seat] + 1) % 4
		return
	case s.g.broken == "determinized mover":
		s.turn++
		return
	case s.g.broken == "leaky determinization" && rng.IntN(2) == 0:
		return
	}
	for {
		s.cards[other] = int8(rng.IntN(4))
		if s.cards[other] != s.cards[seat] {
			return
		}
	}
}

func (s *toyState) InformationStateKey(seat game.Player) uint64 {
	if s.g.broken == "leaky key" {
		return s.key(true, true)
	}
	return s.key(seat == 0, seat == 1)
}

func (s *toyState) Playout(rng *rand.Rand) {
	if s.g.broken == "playout allocates" {
		toyKept.Store(new([1]int))
	}
	for {
		switch s.CurrentPlayer() {
		case game.Nobody:
			return
		case game.Chance:
			s.Apply(s.Sample(rng))
		default:
			if s.g.broken == "playout stops" && s.empty() == 1 {
				return
			}
			i := rng.IntN(toyCells)
			if s.g.broken == "playout of the moment" {
				i = rand.IntN(toyCells)
			}
			switch {
			case s.cells[i] >= 0:
			case s.empty() == 1:
				s.Apply(toyFill)
			default:
				s.Apply(game.Action(i))
			}
		}
	}
}

func (s *toyState) Draw(color bool) string {
	var b strings.Builder
	for _, c := range s.cells {
		b.WriteByte(".lr"[c+1])
	}
	switch {
	case s.g.broken == "escapes" || color:
		b.WriteString("\x1b[0m\n")
	case s.g.broken != "newline":
		b.WriteString("\n")
	}
	return b.String()
}
