package leduc

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/random"
)

// State is a position.
type State struct {
	cards [players + 1]int8 // ranks, of the first player, the second and face up, as far as dealt
	dealt int8
	round int8
	acts  [rounds]int8           // in each round
	did   [rounds][mostActs]int8 // the acts
	paid  [players]int8          // chips
	// raises counts those of this round.
	raises int8
	folded int8 // the player who has folded + 1; 0: nobody
}

// CurrentPlayer is Chance while cards are dealt, then the players in turn, from the first on in
// each round.
func (s *State) CurrentPlayer() game.Player {
	switch {
	case s.folded != 0 || s.round == rounds:
		return game.Nobody
	case s.dealt < players+s.round:
		return game.Chance
	}
	return game.Player(s.acts[s.round] % players)
}

// LegalActions appends fold after a raise, call, and raise if fewer than two have been made in the
// round.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	if s.paid[0] != s.paid[1] {
		dst = append(dst, Fold)
	}
	dst = append(dst, Call)
	if s.raises < mostRaise {
		dst = append(dst, Raise)
	}
	return dst
}

// Apply deals a card, or plays an action.
func (s *State) Apply(a game.Action) {
	if s.dealt < players+s.round {
		s.cards[s.dealt] = int8(a - actions)
		s.dealt++
		return
	}
	n := &s.acts[s.round]
	p := *n % players
	s.did[s.round][*n] = int8(a)
	*n++
	switch a {
	case Fold:
		s.folded = p + 1
	case Call:
		s.paid[p] = s.paid[1-p]
		if *n >= players {
			s.round++
			s.raises = 0
		}
	case Raise:
		s.paid[p] = s.paid[1-p] + 2 + 2*s.round
		s.raises++
	}
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// winner is the player who wins the pot, or game.Nobody if the players share it.
func (s *State) winner() game.Player {
	switch up := s.cards[players]; {
	case s.folded != 0:
		return game.Player(players - s.folded)
	case s.cards[0] == s.cards[1]:
		return game.Nobody
	case s.cards[0] == up:
		return 0
	case s.cards[1] == up || s.cards[1] > s.cards[0]:
		return 1
	}
	return 0
}

// chips is what p has won once the game is over, and before that less what it has paid.
func (s *State) chips(p int) int {
	if s.CurrentPlayer() != game.Nobody {
		return -int(s.paid[p])
	}
	switch s.winner() {
	case game.Nobody:
		return 0
	case game.Player(p):
		return int(s.paid[1-p])
	}
	return -int(s.paid[p])
}

// Returns writes the shares of all chips.
func (s *State) Returns(dst []float32) {
	for p := range players {
		dst[p] = utility(s.chips(p))
	}
}

// Scores writes the chips that each player has won, less those that it has put into the pot.
func (s *State) Scores(dst []float32) {
	for p := range players {
		dst[p] = float32(s.chips(p))
	}
}

// Observation writes planes of a cell for each action, so that a network's logit of an action is
// that of its cell. The planes of what was played are constant: for each rank, whether it is that
// of the current player's card, and whether that of the card face up; for each act of the two
// rounds, whether it was fold, call or raise; for each player, whether it is to move. The last
// planes tell the cells apart: that of an action is 1 in its cell. Once the game is over no
// player's card is shown.
func (s *State) Observation(dst []float32) {
	clear(dst[:planes*actions])
	if s.dealt > players {
		fill(dst, planePublic+int(s.cards[players]))
	}
	for r := range rounds {
		for i := range int(s.acts[r]) {
			fill(dst, planeActs+(r*mostActs+i)*actions+int(s.did[r][i]))
		}
	}
	if p := s.CurrentPlayer(); p >= 0 {
		fill(dst, planeOwn+int(s.cards[p]))
		fill(dst, planeMover+int(p))
	}
	for a := range actions {
		dst[(planeAction+a)*actions+a] = 1
	}
}

// fill sets a plane to 1.
func fill(dst []float32, plane int) {
	for a := range actions {
		dst[plane*actions+a] = 1
	}
}

// public encodes what all players see: acts and the card face up.
func (s *State) public() uint64 {
	h := uint64(1)
	for r := range rounds {
		for i := range mostActs {
			act := 0
			if i < int(s.acts[r]) {
				act = int(s.did[r][i]) + 1
			}
			h = h<<2 | uint64(act)
		}
	}
	h = h<<2 | uint64(s.dealt)
	if s.dealt > players {
		return h<<2 | uint64(s.cards[players]+1)
	}
	return h << 2
}

// Hash is exact: the cards and the acts.
func (s *State) Hash() uint64 {
	h := s.public()
	for p := range players {
		h <<= 2
		if p < int(s.dealt) {
			h |= uint64(s.cards[p] + 1)
		}
	}
	return random.Mix(h << 2)
}

// InformationStateKey is exact: the seat, its card, the card face up and the acts.
func (s *State) InformationStateKey(seat game.Player) uint64 {
	h := s.public() << 2
	if int(seat) < int(s.dealt) {
		h |= uint64(s.cards[seat] + 1)
	}
	return random.Mix((h<<2|uint64(seat))<<2 | 1)
}

// left counts the cards of each rank that are not among those dealt, of which seat's own and the
// one face up count alone if seat is a player.
func (s *State) left(seat game.Player) (n [len(ranks)]int8, total int) {
	for r := range n {
		n[r] = copies
	}
	total = copies * len(ranks)
	for i := range int(s.dealt) {
		if seat < 0 || i == int(seat) || i == players {
			n[s.cards[i]]--
			total--
		}
	}
	return n, total
}

// Determinize draws the cards that have been dealt to the other player, or to both before seat's
// own is dealt, from those that seat does not see.
func (s *State) Determinize(rng *rand.Rand, seat game.Player) {
	if s.CurrentPlayer() == game.Nobody {
		return
	}
	n, total := s.left(seat)
	for p := range min(players, int(s.dealt)) {
		if p != int(seat) {
			r := nth(&n, rng.IntN(total))
			s.cards[p] = r
			n[r]--
			total--
		}
	}
}

// nth returns the rank of card i of a number of cards.
func nth(n *[len(ranks)]int8, i int) int8 {
	r := int8(0)
	for ; i >= int(n[r]); r++ {
		i -= int(n[r])
	}
	return r
}

// Outcomes appends the ranks that are left, by the number of cards.
func (s *State) Outcomes(dst []game.Outcome) []game.Outcome {
	n, total := s.left(game.Nobody)
	for r, k := range n {
		if k > 0 {
			dst = append(dst, game.Outcome{
				Action: Deal(r), Probability: float64(k) / float64(total),
			})
		}
	}
	return dst
}

// Sample draws a card.
func (s *State) Sample(rng *rand.Rand) game.Action {
	n, total := s.left(game.Nobody)
	return Deal(int(nth(&n, rng.IntN(total))))
}

// History implements game.Chronicler.
func (s *State) History(dst []game.Action) []game.Action {
	for p := range min(players, int(s.dealt)) {
		dst = append(dst, Deal(int(s.cards[p])))
	}
	for r := range rounds {
		if players+r > int(s.dealt) {
			break
		}
		if r > 0 {
			dst = append(dst, Deal(int(s.cards[players])))
		}
		for i := range int(s.acts[r]) {
			dst = append(dst, game.Action(s.did[r][i]))
		}
	}
	return dst
}

// HistoryPlanes are those of acts.
func (g *Game) HistoryPlanes() (from, to int) { return planeActs, planeMover }

// HiddenFacts are the players' cards.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts returns the list of hidden facts.
func listHiddenFacts() (list []game.HiddenFact) {
	for p := range game.Player(players) {
		list = append(list, game.HiddenFact{
			Name: fmt.Sprintf("player %d's card", p+1), Kind: "card", Seat: p, Classes: len(ranks),
			ClassNames: strings.Split(ranks, ""),
		})
	}
	return list
}

// HiddenFacts implements game.HiddenFactState.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	for p := range players {
		classes[p] = game.NoClass
		if p != int(seat) {
			classes[p] = s.cards[p]
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: by the cards of each rank that seat does not
// see.
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	n, total := s.left(seat)
	for p := range players {
		for r := range len(ranks) {
			priors[p*len(ranks)+r] = 0
			if p != int(seat) {
				priors[p*len(ranks)+r] = float32(n[r]) / float32(total)
			}
		}
	}
}
