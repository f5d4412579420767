package turtle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"tengen/game"
)

// naive follows the rules as they are written: cards are words in lists, the track is
// a list of stacks. Tests compare the fast states with it.
type naive struct {
	r        Rules
	track    [][]string // [squares] stacks from below; unordered on an unstacked start
	tiles    []string   // that nobody has been dealt
	unplaced []string   // turtles that are not stacked yet
	deck     []string
	discards []string
	players  []naivePlayer
	mover    int
	step     string // tiles, stack, deal, play, draw, over
	turn     int
	shares   []float32
}

type naivePlayer struct {
	owner string
	hand  []string
}

var naiveColours = []string{"red", "green", "blue", "yellow", "purple"}

// naiveActions are the names of all actions, by action.
var naiveActions = func() (names []string) {
	for _, form := range []string{
		"%s++", "%s+", "%s-", "any+:%s", "any-:%s", "arrow:%s", "arrow2:%s", "discard:%s-",
		"own:%s", "place:%s",
	} {
		for _, colour := range naiveColours {
			names = append(names, fmt.Sprintf(form, colour))
		}
	}
	return append(names, "discard:any-", "draw:any+", "draw:any-", "draw:arrow", "draw:arrow2")
}()

func numbered(name string) game.Action {
	if rest, ok := strings.CutPrefix(name, "draw:"); ok && slices.Contains(naiveActions, rest) {
		name = rest // the draw of a card of a colour has the number of playing it
	}
	i := slices.Index(naiveActions, name)
	if i < 0 {
		panic("no action is called " + name)
	}
	return game.Action(i)
}

func newNaive(r Rules) *naive {
	r, err := r.complete()
	if err != nil {
		panic(err)
	}
	n := &naive{
		r: r, track: make([][]string, r.Squares), tiles: slices.Clone(naiveColours),
		players: make([]naivePlayer, r.Players), step: "tiles",
	}
	if r.Start == Stacked {
		n.unplaced = slices.Clone(naiveColours)
	} else {
		n.track[0] = slices.Clone(naiveColours)
	}
	for i, copies := range r.Deck {
		for range copies {
			if i < 3 {
				for _, colour := range naiveColours {
					n.deck = append(n.deck, colour+[]string{"++", "+", "-"}[i])
				}
			} else {
				n.deck = append(n.deck, []string{"any+", "any-", "arrow", "arrow2"}[i-3])
			}
		}
	}
	return n
}

func (n *naive) CurrentPlayer() game.Player {
	switch n.step {
	case "play":
		return game.Player(n.mover)
	case "over":
		return game.Nobody
	}
	return game.Chance
}

// where returns a turtle's square and position in the stack.
func (n *naive) where(turtle string) (square, place int) {
	for i, stack := range n.track {
		if j := slices.Index(stack, turtle); j >= 0 {
			return i, j
		}
	}
	panic(turtle + " is nowhere")
}

func (n *naive) sideBySide(square int) bool { return square == 0 && n.r.Start == Unstacked }

// last returns the stack that arrows move.
func (n *naive) last() []string {
	for _, stack := range n.track {
		if len(stack) > 0 {
			return stack
		}
	}
	panic("no turtle")
}

// points are 5 per square, plus 4 less the turtles below.
func (n *naive) points(turtle string) int {
	square, place := n.where(turtle)
	if n.sideBySide(square) {
		place = 0
	}
	return 5*square + 4 - place
}

// playable returns what can be done with a card.
func (n *naive) playable(card string) (names []string) {
	switch card {
	case "any+":
		for _, colour := range naiveColours {
			names = append(names, "any+:"+colour)
		}
	case "any-":
		for _, colour := range naiveColours {
			if square, _ := n.where(colour); square > 0 {
				names = append(names, "any-:"+colour)
			}
		}
	case "arrow", "arrow2":
		for _, colour := range n.last() {
			names = append(names, card+":"+colour)
		}
	default:
		if colour, ok := strings.CutSuffix(card, "-"); ok {
			if square, _ := n.where(colour); square == 0 {
				return nil
			}
		}
		names = append(names, card)
	}
	return names
}

func (n *naive) LegalActions(dst []game.Action) []game.Action {
	set := map[game.Action]bool{}
	for _, card := range n.players[n.mover].hand {
		for _, name := range n.playable(card) {
			set[numbered(name)] = true
		}
	}
	if len(set) == 0 {
		for _, card := range n.players[n.mover].hand {
			set[numbered("discard:"+card)] = true
		}
	}
	for a := range set {
		dst = append(dst, a)
	}
	slices.Sort(dst)
	return dst
}

func (n *naive) Outcomes(dst []game.Outcome) []game.Outcome {
	prefix, from := "draw:", n.deck
	switch n.step {
	case "tiles":
		prefix, from = "own:", n.tiles
	case "stack":
		prefix, from = "place:", n.unplaced
	}
	number := map[game.Action]int{}
	for _, x := range from {
		number[numbered(prefix+x)]++
	}
	for a, k := range number {
		dst = append(dst, game.Outcome{Action: a, Probability: float64(k) / float64(len(from))})
	}
	sort.Slice(dst, func(i, j int) bool { return dst[i].Action < dst[j].Action })
	return dst
}

func (n *naive) Sample(rng *rand.Rand) game.Action {
	outcomes := n.Outcomes(nil)
	x := rng.Float64()
	for _, o := range outcomes {
		if x -= o.Probability; x < 0 {
			return o.Action
		}
	}
	return outcomes[len(outcomes)-1].Action
}

// without removes one copy of a word from a list.
func without(list []string, word string) []string {
	i := slices.Index(list, word)
	return append(slices.Clone(list[:i]), list[i+1:]...)
}

func (n *naive) Apply(a game.Action) {
	name := naiveActions[a]
	p := &n.players[n.mover]
	switch n.step {
	case "tiles":
		p.owner = strings.TrimPrefix(name, "own:")
		n.tiles = without(n.tiles, p.owner)
		if n.mover++; n.mover == n.r.Players {
			n.mover = 0
			n.step = "deal"
			if n.r.Start == Stacked {
				n.step = "stack"
			}
		}
	case "stack":
		colour := strings.TrimPrefix(name, "place:")
		n.unplaced = without(n.unplaced, colour)
		n.track[0] = append(n.track[0], colour)
		if len(n.unplaced) == 0 {
			n.step = "deal"
		}
	case "deal", "draw":
		card := strings.TrimPrefix(name, "draw:")
		n.deck = without(n.deck, card)
		p.hand = append(slices.Clone(p.hand), card)
		if n.step == "draw" {
			n.mover = (n.mover + 1) % n.r.Players
			n.step = "play"
		} else if len(p.hand) == n.r.Hand {
			if n.mover++; n.mover == n.r.Players {
				n.mover, n.step = 0, "play"
			}
		}
	case "play":
		n.played(name)
	}
}

func (n *naive) played(name string) {
	p := &n.players[n.mover]
	card, colour, chosen := strings.Cut(name, ":")
	moved := true
	switch {
	case card == "discard":
		card, moved = colour, false
	case !chosen:
		colour = strings.TrimRight(card, "+-")
	}
	p.hand = without(p.hand, card)
	n.discards = append(slices.Clone(n.discards), card)
	if moved {
		distance := map[string]int{"any+": 1, "any-": -1, "arrow": 1, "arrow2": 2}[card]
		switch {
		case distance != 0:
		case strings.HasSuffix(card, "++"):
			distance = 2
		case strings.HasSuffix(card, "+"):
			distance = 1
		default:
			distance = -1
		}
		n.step1(colour, distance)
	}
	n.turn++
	switch {
	case len(n.track[n.r.Squares-1]) > 0:
		n.end(n.track[n.r.Squares-1][0])
	case n.turn == n.r.MaxTurns:
		n.end("")
	default:
		if len(n.deck) == 0 {
			n.deck, n.discards = n.discards, nil
		}
		n.step = "draw"
	}
}

// step1 moves a turtle and those that it carries.
func (n *naive) step1(turtle string, distance int) {
	square, place := n.where(turtle)
	top := len(n.track[square])
	if n.sideBySide(square) {
		top = place + 1
	}
	moving := slices.Clone(n.track[square][place:top])
	n.track[square] = append(slices.Clone(n.track[square][:place]), n.track[square][top:]...)
	to := square + distance
	if to > n.r.Squares-1 {
		to = n.r.Squares - 1
	}
	n.track[to] = append(slices.Clone(n.track[to]), moving...)
}

// end divides the win; turtle is "" if none has reached the goal.
func (n *naive) end(turtle string) {
	n.step = "over"
	n.shares = make([]float32, n.r.Players)
	var winners []int
	for p, q := range n.players {
		if q.owner == turtle {
			winners = append(winners, p)
		}
	}
	if winners == nil {
		most := 0
		for _, q := range n.players {
			most = max(most, n.points(q.owner))
		}
		for p, q := range n.players {
			if n.points(q.owner) == most || turtle != "" && n.r.Unowned == None {
				winners = append(winners, p)
			}
		}
	}
	for _, p := range winners {
		n.shares[p] = 1 / float32(len(winners))
	}
}

func (n *naive) Returns(dst []float32) { copy(dst, n.shares) }

// text describes the whole state in a canonical order.
func (n *naive) text() string {
	var b strings.Builder
	sorted := func(list []string) string {
		list = slices.Clone(list)
		sort.Strings(list)
		return strings.Join(list, " ")
	}
	fmt.Fprintf(&b, "%s %d %d |", n.step, n.mover, n.turn)
	for i, stack := range n.track {
		if n.sideBySide(i) {
			fmt.Fprintf(&b, " %s /", sorted(stack))
		} else {
			fmt.Fprintf(&b, " %s /", strings.Join(stack, " "))
		}
	}
	for _, q := range n.players {
		fmt.Fprintf(&b, "| %s: %s ", q.owner, sorted(q.hand))
	}
	fmt.Fprintf(&b, "| %s | %s", sorted(n.deck), sorted(n.discards))
	return b.String()
}

// score is the paper's score of an action of the current player, by formulas 4 to 10.
func (n *naive) score(strategy string, name string) int {
	own := n.players[n.mover].owner
	if strategy == "dummy" {
		return 0
	}
	card, colour, chosen := strings.Cut(name, ":")
	if card == "discard" {
		square, _ := n.where(own)
		return square
	}
	if !chosen {
		colour = strings.TrimRight(card, "+-")
	}
	c := 1
	if strings.HasSuffix(card, "++") || card == "arrow2" {
		c = 2
	}
	minus := strings.HasSuffix(card, "-")
	best := 0
	for _, t := range naiveColours {
		best = max(best, n.points(t))
	}
	rates := map[string][4]int{
		"fast": {10 * c, -10 * c, -c, c}, "efficient": {c, -10 * c, -c, 10 * c},
	}
	rate := rates[strategy]
	if strategy == "hybrid" {
		rate = rates["efficient"]
		if n.points(own) >= best {
			rate = rates["fast"]
		}
	}
	k := rate[0]
	switch {
	case colour == own && minus:
		k = rate[1]
	case colour != own && !minus:
		k = rate[2]
	case colour != own:
		k = rate[3]
	}
	after := *n
	after.track = slices.Clone(n.track)
	if minus {
		after.step1(colour, -c)
	} else {
		after.step1(colour, c)
	}
	square, _ := after.where(own)
	return square + k*c
}
