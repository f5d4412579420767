package kuhn

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/random"
)

// State is a position.
type State struct {
	g     *Game
	cards [mostPlayers]int8 // of the players who have been dealt one
	dealt int8
	acts  int8  // passes and bets so far; number i is that of player i mod players
	bets  uint8 // bit i: act i is a bet
}

// firstBet is the number of the first bet, or acts if there is none.
func (s *State) firstBet() int { return min(bits.TrailingZeros8(s.bets), int(s.acts)) }

// over reports whether all have passed, or all have answered a bet.
func (s *State) over() bool { return int(s.acts) == s.firstBet()%s.g.players+s.g.players }

// CurrentPlayer is Chance during the deal, then the next player to pass or bet.
func (s *State) CurrentPlayer() game.Player {
	switch {
	case int(s.dealt) < s.g.players:
		return game.Chance
	case s.over():
		return game.Nobody
	}
	return game.Player(int(s.acts) % s.g.players)
}

// LegalActions appends pass and bet.
func (s *State) LegalActions(dst []game.Action) []game.Action { return append(dst, Pass, Bet) }

// Apply deals a card, passes or bets.
func (s *State) Apply(a game.Action) {
	if int(s.dealt) < s.g.players {
		s.cards[s.dealt] = int8(a - actions)
		s.dealt++
		return
	}
	if a == Bet {
		s.bets |= 1 << s.acts
	}
	s.acts++
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// hasBet reports whether player p has bet or called.
func (s *State) hasBet(p int) bool {
	return s.bets>>p&1 != 0 || s.bets>>(p+s.g.players)&1 != 0
}

// paid is the number of chips that p has put into the pot.
func (s *State) paid(p int) int {
	if s.hasBet(p) {
		return 2
	}
	return 1
}

// winner is the player with the highest card of those who have bet, or of all.
func (s *State) winner() int {
	winner := -1
	for p := range s.g.players {
		if (s.bets == 0 || s.hasBet(p)) && (winner < 0 || s.cards[p] > s.cards[winner]) {
			winner = p
		}
	}
	return winner
}

// pot is the number of chips in the pot.
func (s *State) pot() (chips int) {
	for p := range s.g.players {
		chips += s.paid(p)
	}
	return chips
}

// chips is what p has won once the game is over, and before that less what it has paid.
func (s *State) chips(p int) int {
	chips := -s.paid(p)
	if s.CurrentPlayer() == game.Nobody && p == s.winner() {
		chips += s.pot()
	}
	return chips
}

// Returns writes the shares of all chips.
func (s *State) Returns(dst []float32) {
	for p := range s.g.players {
		dst[p] = s.g.utility(s.chips(p))
	}
}

// Scores writes the chips that each player has won, less those that it has put into the pot.
func (s *State) Scores(dst []float32) {
	for p := range s.g.players {
		dst[p] = float32(s.chips(p))
	}
}

// Observation writes constant planes: for each card, whether it is the current player's; for each
// act of the game, whether it was a pass, and whether it was a bet; for each player, whether it is
// to move. Once the game is over no card is shown.
func (s *State) Observation(dst []float32) {
	clear(dst[:s.g.Planes().C])
	first := s.g.players + 1
	for i := range int(s.acts) {
		dst[first+2*i+int(s.bets>>i&1)] = 1
	}
	if p := s.CurrentPlayer(); p >= 0 {
		dst[s.cards[p]] = 1
		dst[first+2*s.g.mostActs()+int(p)] = 1
	}
}

// Hash is exact: the cards and the bets.
func (s *State) Hash() uint64 {
	h := s.public()
	for p := range int(s.dealt) {
		h = h<<3 | uint64(s.cards[p]+1)
	}
	return random.Mix(h)
}

// public encodes what all players see.
func (s *State) public() uint64 {
	return 1<<24 | uint64(s.dealt)<<16 | uint64(s.acts)<<8 | uint64(s.bets)
}

// InformationStateKey is exact: the seat, its card and the bets.
func (s *State) InformationStateKey(seat game.Player) uint64 {
	card := uint64(0)
	if int(seat) < int(s.dealt) {
		card = uint64(s.cards[seat] + 1)
	}
	return random.Mix(s.public()<<8 | card<<4 | uint64(seat))
}

// Determinize draws the cards that have been dealt to others, all deals being equally likely.
func (s *State) Determinize(rng *rand.Rand, seat game.Player) {
	if int(s.dealt) == s.g.players && s.over() {
		return
	}
	free := uint8(1<<(s.g.players+1) - 1)
	if int(seat) < int(s.dealt) {
		free &^= 1 << s.cards[seat]
	}
	for p := range int(s.dealt) {
		if p != int(seat) {
			s.cards[p] = draw(free, rng)
			free &^= 1 << s.cards[p]
		}
	}
}

// draw returns one of the cards of a set.
func draw(free uint8, rng *rand.Rand) int8 {
	for range rng.IntN(bits.OnesCount8(free)) {
		free &= free - 1
	}
	return int8(bits.TrailingZeros8(free))
}

// undealt is the set of cards that may be dealt.
func (s *State) undealt() uint8 {
	free := uint8(1<<(s.g.players+1) - 1)
	for p := range int(s.dealt) {
		free &^= 1 << s.cards[p]
	}
	return free
}

// Outcomes appends the cards that have not been dealt.
func (s *State) Outcomes(dst []game.Outcome) []game.Outcome {
	free := s.undealt()
	share := 1 / float64(bits.OnesCount8(free))
	for ; free != 0; free &= free - 1 {
		dst = append(dst, game.Outcome{Action: Deal(bits.TrailingZeros8(free)), Probability: share})
	}
	return dst
}

// Sample draws a card.
func (s *State) Sample(rng *rand.Rand) game.Action { return Deal(int(draw(s.undealt(), rng))) }

// History implements game.Chronicler.
func (s *State) History(dst []game.Action) []game.Action {
	for p := range int(s.dealt) {
		dst = append(dst, Deal(int(s.cards[p])))
	}
	for i := range int(s.acts) {
		dst = append(dst, game.Action(s.bets>>i&1)) // Pass or Bet
	}
	return dst
}

// HistoryPlanes are those of passes and bets.
func (g *Game) HistoryPlanes() (from, to int) {
	return g.players + 1, g.players + 1 + 2*g.mostActs()
}

// HiddenFacts are the players' cards.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts returns the list of hidden facts.
func (g *Game) listHiddenFacts() (list []game.HiddenFact) {
	names := strings.Split(ranks[:g.players+1], "")
	for p := range game.Player(g.players) {
		list = append(list, game.HiddenFact{
			Name: fmt.Sprintf("player %d's card", p+1), Kind: "card", Seat: p,
			Classes: g.players + 1, ClassNames: names,
		})
	}
	return list
}

// HiddenFacts implements game.HiddenFactState.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	for p := range s.g.players {
		classes[p] = game.NoClass
		if p != int(seat) {
			classes[p] = s.cards[p]
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: all cards but seat's own are equally likely.
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	cards := s.g.players + 1
	for p := range s.g.players {
		for c := range cards {
			priors[p*cards+c] = 0
			if p != int(seat) && c != int(s.cards[seat]) {
				priors[p*cards+c] = 1 / float32(cards-1)
			}
		}
	}
}
