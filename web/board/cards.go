package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/tcg"
)

// Measures of the picture. The second player's side is at the top: from the upper edge
// to the middle, its name, its hand and its field.
const (
	pictureWidth  = 6.0
	pictureHeight = 9.55
	tableEdge     = 0.1
	handHeight    = 1.42
	fieldHeight   = 1.64
	cardWidth     = 1.02 // maximum width
	cardTall      = 1.28 // height of a card of width 1
	cardGap       = 0.1
	hintTall      = 0.24 // space below a card on a field for the result of a battle
)

// Positions of a side's name, hand and field, the second player's on top.
var (
	headY   = [2]float64{8.7, 0.38}
	handTop = [2]float64{6.9, 0.74}
	matTop  = [2]float64{5.2, 2.22}
)

const (
	saidY    = 4.1 // what happens next
	buttonY  = 4.74
	legendY  = 9.22
	buttonUp = 0.52 // height of a button
)

var cardTones = [2]Tone{Red, Blue}

// cards draws the trading-card game.
type cards struct {
	g      game.Game
	layout Layout
	seats  []string
	health float64 // at the beginning
	rep    bool    // whether representatives stand for the cards in hand
}

func cardsDrawer(g game.Game) Drawer {
	t, ok := g.(*tcg.Game)
	if !ok {
		return nil
	}
	rules := t.Rules()
	d := &cards{
		g: g, health: float64(rules.Deck.HP), rep: rules.Representative, seats: game.SeatNames(g),
	}
	d.layout = Layout{
		Width: pictureWidth, Height: pictureHeight, Name: "card table", Spots: []Spot{},
	}
	middle := pictureWidth / 2
	ground := []Shape{
		{Kind: Rect, Tone: Felt, X: middle, Y: pictureHeight / 2, W: pictureWidth,
			H: pictureHeight, R: 0.18},
	}
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Disc, Tone: cardTones[p], R: 1, Of: d.seats[p],
		})
		ground = append(ground,
			Shape{
				Kind: Rect, Tone: Mat, X: middle, Y: matTop[p] + fieldHeight/2,
				W: pictureWidth - 2*tableEdge, H: fieldHeight, R: 0.12,
			},
			Shape{Kind: Dot, Tone: cardTones[p], X: 0.32, Y: headY[p], R: 0.11},
			Shape{
				Kind: Text, Tone: Ink, X: 0.58 + 0.082*float64(len(d.seats[p])), Y: headY[p],
				R: 0.28, Text: d.seats[p],
			},
			Shape{Kind: Icon, Tone: Green, X: 2.02, Y: headY[p], R: 0.19, Text: "heal"},
			Shape{Kind: Icon, Tone: Faint, X: 5.0, Y: headY[p], R: 0.19, Text: "deck"})
	}
	x := 1.08
	for _, word := range []string{"Fight", "Heal", "Attack", "Deck"} {
		half := 0.055 * float64(len(word))
		ground = append(ground,
			Shape{
				Kind: Icon, Tone: Faint, X: rounded(x), Y: legendY, R: 0.11,
				Text: strings.ToLower(word),
			},
			Shape{
				Kind: Text, Tone: Faint, X: rounded(x + 0.2 + half), Y: legendY, R: 0.2, Text: word,
			})
		x += 0.2 + 2*half + 0.42
	}
	d.layout.Ground = ground
	return d
}

func (d *cards) Layout() *Layout { return &d.layout }

// Draw shows both hands, which are open. No state contains the order of the decks.
func (d *cards) Draw(s game.State, _ game.Player) Frame {
	t := s.(*tcg.State).View()
	var f Frame
	for p := range t.Sides {
		d.head(&f, p, &t)
		copies := map[string]int{}
		key := func(c *tcg.CardView) string {
			copies[c.Name]++
			return fmt.Sprintf("%d/%s/%d", p, c.Name, copies[c.Name])
		}
		// The field comes first: a card that leaves the hand keeps its key.
		d.field(&f, p, &t, key)
		d.hand(&f, p, &t, key)
	}
	f.Shapes = append(f.Shapes, Shape{
		Key: "said", Kind: Text, Tone: Ink, X: pictureWidth / 2, Y: saidY, R: 0.25, Of: "Now",
		Text: d.situation(&t),
	})
	d.buttons(&f, s, &t)
	return f
}

// head draws a player's health and deck.
func (d *cards) head(f *Frame, p int, t *tcg.View) {
	side, y, key := &t.Sides[p], headY[p], strconv.Itoa(p)
	left := "cards to draw"
	if d.rep {
		left = "cards to place"
	}
	f.Shapes = append(f.Shapes, Shape{
		Key: key + "hp", Kind: Text, Tone: Ink, X: 2.64, Y: y,
		R: rounded(min(0.37, 1.45/float64(len(number(side.HP))))), Text: number(side.HP),
		Of: d.seats[p], At: fmt.Sprintf("%s health points, %d %s",
			number(side.HP), side.Deck, left),
	}, Shape{
		Key: key + "deck", Kind: Text, Tone: Faint, X: 5.45, Y: y, R: 0.28,
		Text: strconv.Itoa(side.Deck),
	})
	// The bar shows the remaining health. A full bar is the greater of both players' and
	// the initial health.
	const from, width = 3.2, 1.4
	whole := max(d.health, t.Sides[0].HP, t.Sides[1].HP)
	f.Shapes = append(f.Shapes, Shape{
		Key: key + "all", Kind: Rect, Tone: Mat, X: from + width/2, Y: y, W: width, H: 0.1, R: 0.05,
	})
	if part := width * side.HP / whole; part > 0 {
		f.Shapes = append(f.Shapes, Shape{
			Key: key + "bar", Kind: Rect, Tone: cardTones[p], X: rounded(from + part/2), Y: y,
			W: rounded(part), H: 0.1, R: 0.05,
		})
	}
}

func (d *cards) hand(f *Frame, p int, t *tcg.View, key func(*tcg.CardView) string) {
	list := t.Sides[p].Hand
	at := box{tableEdge, handTop[p], pictureWidth - 2*tableEdge, handHeight}
	w, centers := at.spread(len(list), cardWidth, cardTall, cardGap)
	for i := range list {
		c := &list[i]
		shape := Shape{Key: key(c), Of: d.seats[p] + "’s hand", At: title(c)}
		if d.rep {
			shape.Key = "hand " + shape.Key // there is always one
			shape.Of = d.seats[p] + "’s representatives"
		}
		d.card(f, c, shape, centers[i], w)
		d.spot(f, c, centers[i], w, "Place "+title(c))
	}
}

func (d *cards) field(f *Frame, p int, t *tcg.View, key func(*tcg.CardView) string) {
	list := t.Sides[p].Field
	at := box{2 * tableEdge, matTop[p], pictureWidth - 4*tableEdge, fieldHeight}
	w, centers := at.spread(len(list), cardWidth, cardTall+hintTall, cardGap)
	for i := range list {
		c := &list[i]
		centers[i][1] -= w * hintTall / 2
		shape := Shape{Key: key(c), Of: d.seats[p] + "’s field", At: title(c)}
		switch {
		case c.Acts:
			shape.Tone, shape.At = Gold, shape.At+", acting"
		case c.Acted:
			shape.Tone = Faint
		}
		d.card(f, c, shape, centers[i], w)
		if c.Action == game.NoAction {
			continue
		}
		what := map[string]string{
			"target": "Remove ", "choose": "Use ", "act": "Battle ",
		}[t.Phase] + title(c)
		if acting := acts(t); t.Phase == "act" && acting != nil {
			result := outcome(acting, c)
			what += ": " + result.said(acting, c)
			f.Shapes = append(f.Shapes, Shape{
				Key: "hint " + shape.Key, Kind: Text, Tone: result.tone(), Text: result.hint(),
				X: rounded(centers[i][0]), Y: rounded(centers[i][1] + w*(cardTall+hintTall)/2),
				R: rounded(max(0.2*w, 0.13)),
			})
		}
		d.spot(f, c, centers[i], w, what)
	}
}

// card draws a card. shape has its Key, Of, At and perhaps Tone.
func (d *cards) card(f *Frame, c *tcg.CardView, shape Shape, at [2]float64, w float64) {
	shape.Kind, shape.X, shape.Y, shape.W, shape.H = Card, rounded(at[0]), rounded(at[1]),
		rounded(w), rounded(cardTall*w)
	if shape.Tone == "" {
		shape.Tone = Paper
	}
	shape.Text = fmt.Sprintf("fight %s\nheal %s\nattack %s",
		number(c.Fight), number(c.Heal), number(c.Attack))
	if c.Removal {
		shape.Text = "removal"
	}
	f.Shapes = append(f.Shapes, shape)
}

// spot adds a spot for a card if an action names it.
func (d *cards) spot(f *Frame, c *tcg.CardView, at [2]float64, w float64, name string) {
	if c.Action != game.NoAction {
		f.Spots = append(f.Spots, Spot{
			Action: c.Action, X: rounded(at[0]), Y: rounded(at[1]), W: rounded(w),
			H: rounded(cardTall * w), R: rounded(0.1 * w), Name: name,
		})
	}
}

// buttons draws the legal actions that name no card.
func (d *cards) buttons(f *Frame, s game.State, t *tcg.View) {
	if s.CurrentPlayer() < 0 {
		return
	}
	placed := map[game.Action]bool{}
	for _, x := range f.Spots {
		placed[x.Action] = true
	}
	var actions []game.Action
	for _, a := range s.LegalActions(nil) {
		if !placed[a] {
			actions = append(actions, a)
		}
	}
	if len(actions) > 1 && actions[0] == tcg.Pass { // doing nothing comes last
		actions = append(actions[1:], actions[0])
	}
	at := box{tableEdge, buttonY - buttonUp/2, pictureWidth - 2*tableEdge, buttonUp + cardGap}
	w, centers := at.spread(len(actions), 1.84, buttonUp/1.84, cardGap)
	for i, a := range actions {
		label, name := d.button(s, t, a)
		key := "button " + strconv.Itoa(i)
		x := rounded(centers[i][0])
		f.Shapes = append(f.Shapes,
			Shape{
				Key: key, Kind: Rect, Tone: Paper, X: x, Y: buttonY, W: rounded(w), H: buttonUp,
				R: buttonUp / 2,
			},
			Shape{
				Key: key + " text", Kind: Text, Tone: Ink, X: x, Y: buttonY, R: 0.24, Text: label,
			})
		f.Spots = append(f.Spots, Spot{
			Action: a, X: x, Y: buttonY, W: rounded(w), H: buttonUp, R: buttonUp / 2, Name: name,
		})
	}
}

// acts returns the acting card, or nil.
func acts(t *tcg.View) *tcg.CardView {
	for p := range t.Sides {
		for i := range t.Sides[p].Field {
			if c := &t.Sides[p].Field[i]; c.Acts {
				return c
			}
		}
	}
	return nil
}

// rounded keeps numbers short.
func rounded(x float64) float64 {
	return float64(int(x*1000+0.5)) / 1000
}
