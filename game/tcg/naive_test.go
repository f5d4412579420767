package tcg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"tengen/game"
)

// naive follows the rules as they are written: lists of cards, searched every time.
// Tests compare the fast states with it.
type naive struct {
	r       Rules
	list    []Card // the deck in the order of its cells
	players [2]naivePlayer
	turn    int
	mover   int
	step    string // deal, draw, place, target, choose, act, over
	acting  *naiveCard
	winner  int // -1: a draw
	hands   bool
	begun   bool // a card has acted in this turn, or may have
}

type naivePlayer struct {
	hp         float64
	hand, deck []Card
	field      []*naiveCard
	left       int        // representatives that may be placed
	average    [3]float64 // their values
}

// naiveCard is a card on a field.
type naiveCard struct {
	fight, heal, attack float64
	card                Card
	kind                int // 0, 1, 2 for a representative, else -1
	acted               bool
}

func (c *naiveCard) total() float64 { return c.fight + c.heal + c.attack }

func newNaive(r Rules) *naive {
	r, err := r.complete()
	if err != nil {
		panic(err)
	}
	n := &naive{r: r, list: slices.Clone(r.Deck.Cards), winner: -1, step: "deal"}
	key := func(c Card) string {
		return fmt.Sprintf("%04d %02d %02d %02d %v",
			c.Total(), c.Fight, c.Heal, c.Attack, c.Removal)
	}
	sort.Slice(n.list, func(i, j int) bool { return key(n.list[i]) < key(n.list[j]) })
	for p := range n.players {
		n.players[p].hp = float64(r.Deck.HP)
		n.players[p].deck = slices.Clone(n.list)
		for _, c := range r.Deck.Opening {
			n.toHand(p, c)
		}
	}
	if r.Deck.Opening != nil || r.Representative {
		n.begin()
	}
	if r.Representative {
		n.represent()
	}
	n.hands = r.RealRoot
	return n
}

func (n *naive) clone() *naive {
	m := *n
	for p := range m.players {
		q := &m.players[p]
		q.hand, q.deck = slices.Clone(q.hand), slices.Clone(q.deck)
		q.field = nil
		for _, c := range n.players[p].field {
			d := *c
			if n.acting == c {
				m.acting = &d
			}
			q.field = append(q.field, &d)
		}
	}
	return &m
}

// represent computes the representatives' values.
func (n *naive) represent() {
	for p := range n.players {
		q := &n.players[p]
		var sums [3]float64
		add := func(c Card, times float64) {
			for k, v := range [3]int{c.Fight, c.Heal, c.Attack} {
				sums[k] += times * float64(v)
			}
		}
		for _, c := range q.hand {
			add(c, 2)
		}
		for _, c := range q.deck {
			add(c, 1)
		}
		q.left = len(q.hand) + len(q.deck)
		for k := range sums {
			q.average[k] = 0
			if q.left > 0 {
				q.average[k] = math.Floor(sums[k]/float64(q.left)*4096+0.5) / 4096
			}
		}
	}
}

// toHand moves a card from the deck to the hand.
func (n *naive) toHand(p int, c Card) {
	q := &n.players[p]
	i := slices.Index(q.deck, c)
	q.deck = slices.Delete(q.deck, i, i+1)
	q.hand = append(q.hand, c)
}

func (n *naive) begin() {
	q := &n.players[n.mover]
	n.acting = nil
	for p := range n.players {
		for _, c := range n.players[p].field {
			c.acted = false
		}
	}
	switch {
	case n.turn >= n.r.MaxTurns:
		n.step = "over"
	case n.r.Representative || n.r.Draw == UnlessFull && len(q.hand)+1 > n.r.Deck.Hand:
		n.step = "place"
	case len(q.deck) > 0:
		n.step = "draw"
	case n.r.Empty == Loss:
		n.step, n.winner = "over", 1-n.mover
	default:
		n.step = "place"
	}
}

func (n *naive) CurrentPlayer() game.Player {
	switch n.step {
	case "deal", "draw":
		return game.Chance
	case "over":
		return game.Nobody
	}
	return game.Player(n.mover)
}

// cellsFor returns the number of cells.
func (n *naive) cellsFor() int {
	if n.r.Representative {
		return len(n.list) + 3
	}
	return len(n.list)
}

// columns of four rows hold three actions and all cells.
func (n *naive) columns() int { return int(math.Ceil(float64(3+n.cellsFor()) / 4)) }

func (n *naive) actions() int {
	if n.r.Battle == Any {
		return 3 + 2*n.cellsFor()
	}
	return 4 * n.columns()
}

// cell returns the first cell of a card.
func (n *naive) cell(c Card) int { return slices.Index(n.list, c) }

// fieldCell returns the cell of a card on a field: one further for each equal card
// before it.
func (n *naive) fieldCell(p int, c *naiveCard) int {
	if c.kind >= 0 {
		return len(n.list) + c.kind
	}
	cell := n.cell(c.card)
	for _, d := range n.players[p].field {
		if d == c {
			return cell
		}
		if d.card == c.card && d.kind < 0 {
			cell++
		}
	}
	panic("not on the field")
}

// option is an action and what it means.
type option struct {
	a     game.Action
	card  *naiveCard // the card that battles, is removed or acts
	owner int
	place Card
	kind  int // of the representative placed, else -1
}

func (n *naive) options() []option {
	q, other := &n.players[n.mover], &n.players[1-n.mover]
	var list []option
	add := func(a int, o option) {
		o.a = game.Action(a)
		if !slices.ContainsFunc(list, func(p option) bool { return p.a == o.a }) {
			list = append(list, o)
		}
	}
	switch n.step {
	case "place":
		add(0, option{kind: -1})
		for k := 0; n.r.Representative && !n.hands && q.left > 0 && k < 3; k++ {
			add(3+len(n.list)+k, option{kind: k})
		}
		for _, c := range q.hand {
			if n.r.Representative && !n.hands ||
				c.Removal && n.r.Removals == WithTarget && len(other.field) == 0 {
				continue
			}
			add(3+n.cell(c), option{place: c, kind: -1})
		}
	case "target":
		for _, c := range other.field {
			add(3+n.fieldCell(1-n.mover, c), option{card: c})
		}
	case "choose":
		add(0, option{})
		for _, c := range q.field {
			if !c.acted {
				add(3+n.fieldCell(n.mover, c), option{card: c})
			}
		}
	case "act":
		if n.r.Order != FreeOrder {
			add(0, option{})
		}
		add(1, option{})
		add(2, option{})
		for _, c := range other.field {
			add(3+n.fieldCell(1-n.mover, c), option{card: c, owner: 1 - n.mover})
		}
		for _, c := range q.field {
			if n.r.Battle == Any && c != n.acting {
				add(3+n.cellsFor()+n.fieldCell(n.mover, c), option{card: c, owner: n.mover})
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].a < list[j].a })
	return list
}

func (n *naive) LegalActions(dst []game.Action) []game.Action {
	for _, o := range n.options() {
		dst = append(dst, o.a)
	}
	return dst
}

func (n *naive) Outcomes(dst []game.Outcome) []game.Outcome {
	deck := n.players[n.mover].deck
	for i, c := range n.list {
		if i > 0 && n.list[i-1] == c {
			continue
		}
		k := 0
		for _, d := range deck {
			if c == d {
				k++
			}
		}
		if k > 0 {
			dst = append(dst, game.Outcome{
				Action: game.Action(n.actions() + i), Probability: float64(k) / float64(len(deck)),
			})
		}
	}
	return dst
}

func (n *naive) Sample(rng *rand.Rand) game.Action {
	deck := n.players[n.mover].deck
	return game.Action(n.actions() + n.cell(deck[rng.IntN(len(deck))]))
}

func (n *naive) Apply(a game.Action) {
	q, other := &n.players[n.mover], &n.players[1-n.mover]
	var o option
	if n.CurrentPlayer() >= 0 {
		list := n.options()
		o = list[slices.IndexFunc(list, func(o option) bool { return o.a == a })]
	}
	switch n.step {
	case "deal":
		n.toHand(n.mover, n.list[int(a)-n.actions()])
		if len(q.hand) == n.r.Deck.Hand {
			n.mover = 1 - n.mover
			if n.mover == 0 {
				n.begin()
			}
		}
	case "draw":
		n.toHand(n.mover, n.list[int(a)-n.actions()])
		n.step = "place"
	case "place":
		switch {
		case a == 0:
		case o.kind >= 0:
			q.left--
			c := &naiveCard{kind: o.kind}
			*[]*float64{&c.fight, &c.heal, &c.attack}[o.kind] = q.average[o.kind]
			q.field = append(q.field, c)
		default:
			i := slices.Index(q.hand, o.place)
			q.hand = slices.Delete(q.hand, i, i+1)
			if n.hands {
				q.left--
			}
			if o.place.Removal {
				if len(other.field) > 0 {
					n.step = "target"
					return
				}
				break
			}
			q.field = append(q.field, onField(o.place))
		}
		n.nextCard()
	case "target":
		n.discard(1-n.mover, o.card)
		n.nextCard()
	case "choose":
		if a == 0 {
			n.endTurn()
			return
		}
		n.acting, n.step = o.card, "act"
	case "act":
		c := n.acting
		c.acted = true
		switch {
		case a == 0:
		case a == 1:
			q.hp += c.heal
		case a == 2:
			other.hp -= c.attack
			if other.hp <= 0 {
				n.step, n.winner, n.acting = "over", n.mover, nil
				return
			}
		default:
			d := o.card
			loses, falls := c.fight <= d.fight, c.fight >= d.fight
			if loses {
				n.discard(n.mover, c)
			}
			if falls {
				n.discard(o.owner, d)
			}
		}
		n.nextCard()
	}
}

func onField(c Card) *naiveCard {
	return &naiveCard{
		fight: float64(c.Fight), heal: float64(c.Heal), attack: float64(c.Attack),
		card: c, kind: -1,
	}
}

func (n *naive) discard(p int, c *naiveCard) {
	q := &n.players[p]
	q.field = slices.DeleteFunc(q.field, func(d *naiveCard) bool { return d == c })
}

// nextCard finds the next card that has not acted yet.
func (n *naive) nextCard() {
	n.acting = nil
	field := slices.Clone(n.players[n.mover].field)
	if n.r.Order == NewestOrder && len(field) > 0 &&
		!slices.ContainsFunc(field, func(c *naiveCard) bool { return c.acted }) && !n.begun {
		field = append([]*naiveCard{field[len(field)-1]}, field...)
	}
	n.begun = true
	for _, c := range field {
		if c.acted {
			continue
		}
		if n.r.Order == FreeOrder {
			n.step = "choose"
			return
		}
		n.acting, n.step = c, "act"
		return
	}
	n.endTurn()
}

func (n *naive) endTurn() {
	n.turn++
	n.hands, n.begun = false, false
	n.mover = 1 - n.mover
	n.begin()
}

func (n *naive) Returns(dst []float32) {
	dst[0], dst[1] = 0.5, 0.5
	if n.winner >= 0 {
		dst[n.winner], dst[1-n.winner] = 1, 0
	}
}

// value is the paper's evaluation for p.
func (n *naive) value(p int) float64 {
	var worth [2]float64
	for i, q := range n.players {
		worth[i] = q.hp
		for _, c := range q.field {
			worth[i] += c.total() / 3
		}
		if len(q.hand) > 1 {
			least, greatest := math.Inf(1), math.Inf(-1)
			for _, c := range q.hand {
				sum := float64(c.Fight + c.Heal + c.Attack)
				if c.Removal {
					sum = 5
				}
				least, greatest = min(least, sum), max(greatest, sum)
			}
			worth[i] -= greatest - least
		}
	}
	return worth[p] - worth[1-p]
}

// text contains everything that the future depends on.
func (n *naive) text() string {
	var b strings.Builder
	fmt.Fprint(&b, n.step, n.turn, n.mover, n.winner, n.hands)
	for p, q := range n.players {
		hand, deck := slices.Clone(q.hand), slices.Clone(q.deck)
		for _, cards := range [][]Card{hand, deck} {
			sort.Slice(cards, func(i, j int) bool { return cards[i].String() < cards[j].String() })
		}
		fmt.Fprint(&b, "|", q.hp, hand, deck, q.left, q.average)
		for _, c := range q.field {
			fmt.Fprint(&b, " ",
				c.fight, c.heal, c.attack, c.kind, c.acted && p == n.mover, c == n.acting)
		}
	}
	return b.String()
}

// observation returns what Observation writes, plane by plane.
func (n *naive) observation() []float32 {
	cells := 4 * n.columns()
	var planes []float32
	plane := func(value func(i int) float64) {
		for i := range cells {
			planes = append(planes, float32(value(i)))
		}
	}
	truth := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	greatest := 1
	for _, c := range n.list {
		greatest = max(greatest, c.Fight, c.Heal, c.Attack)
	}
	card := func(value func(c Card) float64) {
		plane(func(i int) float64 {
			if i < 3 || i >= 3+len(n.list) {
				return 0
			}
			return value(n.list[i-3])
		})
	}
	scale := func(v float64) float64 { return v / float64(greatest) }
	card(func(c Card) float64 { return scale(float64(c.Fight)) })
	card(func(c Card) float64 { return scale(float64(c.Heal)) })
	card(func(c Card) float64 { return scale(float64(c.Attack)) })
	card(func(c Card) float64 { return truth(c.Removal) })
	for a := range 3 {
		plane(func(i int) float64 { return truth(i == a) })
	}
	plane(func(i int) float64 {
		return truth(n.acting != nil && i == 3+n.fieldCell(n.mover, n.acting))
	})
	plane(func(i int) float64 {
		for _, c := range n.players[n.mover].field {
			if (n.step == "act" || n.step == "choose") && !c.acted && c != n.acting &&
				3+n.fieldCell(n.mover, c) == i {
				return 1
			}
		}
		return 0
	})
	for p, q := range n.players {
		for _, cards := range [][]Card{q.hand, q.deck} {
			plane(func(i int) float64 { // of k copies, the first k cells of the card
				if i < 3 || i >= 3+len(n.list) {
					return 0
				}
				c, number := n.list[i-3], i-3-n.cell(n.list[i-3])
				for _, d := range cards {
					if c == d {
						number--
					}
				}
				return truth(number < 0)
			})
		}
		plane(func(i int) float64 {
			k := 0.0
			for _, c := range q.field {
				k += truth(3+n.fieldCell(p, c) == i)
			}
			return k
		})
		plane(func(i int) float64 {
			for rank, c := range q.field {
				if 3+n.fieldCell(p, c) == i {
					return float64(rank+1) / float64(len(n.list))
				}
			}
			return 0
		})
		hp, heals, hits := max(0, q.hp), 0.0, 0.0
		for _, c := range q.field {
			heals += c.heal
			hits += c.attack
		}
		plane(func(int) float64 { return hp / (hp + float64(n.r.Deck.HP)) })
		plane(func(int) float64 { return heals / (heals + 10) })
		plane(func(int) float64 { return hits / (hits + 10) })
	}
	for k := range 3 {
		plane(func(int) float64 {
			if n.acting == nil {
				return 0
			}
			return scale([3]float64{n.acting.fight, n.acting.heal, n.acting.attack}[k])
		})
	}
	for _, step := range []string{"place", "target", "choose", "act"} {
		plane(func(int) float64 { return truth(n.step == step) })
	}
	for p := range 2 {
		plane(func(int) float64 { return truth(n.step != "over" && n.mover == p) })
	}
	plane(func(int) float64 { return float64(n.turn) / float64(n.r.MaxTurns) })
	return planes
}
