package tcg

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// representativeNames are those of the three representatives.
var representativeNames = [3]string{"fight", "heal", "attack"}

// cellName is the name of a cell's card, "4/1/1"; of several copies "4/1/1#2" is the
// second.
func (g *Game) cellName(cell int) string {
	if cell >= g.n {
		return representativeNames[cell-g.n]
	}
	name := g.cards[cell].String()
	if copy := cell - int(g.base[cell]); copy > 0 {
		name += "#" + strconv.Itoa(copy+1)
	}
	return name
}

// parseCell parses the names of cellName.
func (g *Game) parseCell(text string) (int, error) {
	if g.rules.Representative {
		for k, name := range representativeNames {
			if name == text {
				return g.n + k, nil
			}
		}
	}
	name, number, counted := strings.Cut(text, "#")
	card, err := ParseCard(name)
	if err != nil {
		return 0, err
	}
	cell := g.find(card)
	if cell < 0 {
		return 0, fmt.Errorf("the deck has no card %v", card)
	}
	if !counted {
		return cell, nil
	}
	copies := bits.OnesCount64(g.run[cell])
	if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= copies {
		return cell + n - 1, nil
	}
	return 0, fmt.Errorf("%q: the deck has %d of the card %v, the first #1", text, copies, card)
}

// Words of actions.
const (
	wordPlace  = "place"
	wordRemove = "remove"
	wordUse    = "use"
	wordBattle = "battle"
	wordOwn    = "own"
	wordHeal   = "heal"
	wordAttack = "attack"
	wordNone   = "none"
	wordRest   = "nothing"
	wordDone   = "done"
)

// ActionName describes the action: "place 4/1/1", "place none", "remove 3/3/3",
// "heal", "attack", "nothing", "battle 3/3/3", "battle own 1/1/1", or in free order
// "use 3/3/3" and "done". Of several copies on a field "3/3/3#2" is the second in
// field order.
func (g *Game) ActionName(state game.State, a game.Action) string {
	at := place
	if s, ok := state.(*State); ok {
		at = s.phase
	}
	switch {
	case int(a) >= g.actions && int(a) < g.actions+g.n:
		return "draw " + g.cellName(int(a)-g.actions)
	case g.own > 0 && a >= g.own && int(a) < g.actions:
		return wordBattle + " " + wordOwn + " " + g.cellName(int(a-g.own))
	case a == Pass && at == act:
		return wordRest
	case a == Pass && at == choose:
		return wordDone
	case a == Pass:
		return wordPlace + " " + wordNone
	case a == Heal:
		return wordHeal
	case a == Attack:
		return wordAttack
	case a < 0 || int(a-firstCell) >= g.cells:
		return strconv.Itoa(int(a)) // no valid action
	}
	verb := map[phase]string{target: wordRemove, choose: wordUse, act: wordBattle}[at]
	if verb == "" {
		verb = wordPlace
	}
	return verb + " " + g.cellName(int(a-firstCell))
}

// ParseAction parses the names of ActionName, in either case. A card alone means the
// action possible with it; none, nothing and done are synonyms.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	words := strings.Fields(strings.ToLower(text))
	own := false
	switch {
	case len(words) == 3 && g.own > 0 && words[0] == wordBattle && words[1] == wordOwn:
		own = true
		words = words[2:]
	case len(words) == 2 &&
		(words[0] == wordPlace || words[0] == wordRemove || words[0] == wordUse ||
			words[0] == wordBattle):
		if words[0] == wordPlace && words[1] == wordNone {
			return Pass, nil
		}
		words = words[1:]
	case len(words) == 1:
		switch words[0] {
		case wordHeal:
			return Heal, nil
		case wordAttack:
			return Attack, nil
		case wordNone, wordRest, wordDone:
			return Pass, nil
		}
	default:
		return game.NoAction,
			fmt.Errorf("%q is no action: %s", strings.Join(words, " "), g.possible())
	}
	cell, err := g.parseCell(words[0])
	switch {
	case err != nil:
		return game.NoAction, fmt.Errorf("%w; actions are %s", err, g.possible())
	case own:
		return g.own + game.Action(cell), nil
	}
	return firstCell + game.Action(cell), nil
}

// possible lists the forms of actions.
func (g *Game) possible() string {
	list := "place CARD, place none, remove CARD, heal, attack, battle CARD, nothing"
	if g.own > 0 {
		list += ", battle own CARD"
	}
	if g.rules.Order == FreeOrder {
		list += ", use CARD, done"
	}
	return list
}
