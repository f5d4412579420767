package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// checkFacts checks the constants that a game declares.
func checkFacts(c *checker) error {
	g := c.g
	shape := g.Planes()
	switch {
	case g.Players() < 1 || g.Players() > game.MaxPlayers:
		return fmt.Errorf("%d players; 1 to %d are possible", g.Players(), game.MaxPlayers)
	case g.Actions() < 1:
		return fmt.Errorf("a policy of length %d", g.Actions())
	case shape.C < 1 || shape.H < 1 || shape.W < 1:
		return fmt.Errorf("observations of shape %v", shape)
	case !(game.PointsPerUtility(g) > 0):
		return fmt.Errorf("%v points a utility", game.PointsPerUtility(g))
	}
	for i, u := range g.Support() {
		if !(u >= 0 && u <= 1) || i > 0 && u <= g.Support()[i-1] {
			return fmt.Errorf("the support %v does not ascend within [0, 1]", g.Support())
		}
	}
	return nil
}

// checkRules checks what play itself needs: a valid current player, sorted legal
// actions, an end. It plays the games that the other checks use.
func checkRules(c *checker) error {
	for plies := 0; !c.enough(plies); {
		rng := c.rng(len(c.played))
		s := c.g.NewState()
		var actions []game.Action
		for s.CurrentPlayer() != game.Nobody {
			if len(actions) >= c.maxPlies {
				return fmt.Errorf("the game has not ended after %d actions", c.maxPlies)
			}
			if err := c.moves(s); err != nil {
				return afterActions(actions, err)
			}
			a, err := randomAction(s, rng)
			if err != nil {
				return afterActions(actions, err)
			}
			s.Apply(a)
			actions = append(actions, a)
		}
		c.played = append(c.played, actions)
		plies += len(actions) + 1
	}
	return nil
}

// moves checks the current player of a state and its legal actions.
func (c *checker) moves(s game.State) error {
	mover := s.CurrentPlayer()
	if mover == game.Chance {
		if !game.HasChance(c.g) {
			return fmt.Errorf("chance is to move in a game that has no chance")
		}
		if _, ok := s.(game.Chancer); !ok {
			return fmt.Errorf("chance is to move, but the state is no Chancer")
		}
		return nil
	}
	if mover < 0 || int(mover) >= c.g.Players() {
		return fmt.Errorf("the current player is %d in a game of %d players", mover, c.g.Players())
	}
	legal := s.LegalActions(nil)
	if len(legal) == 0 {
		return fmt.Errorf("no action is legal while the current player is %d", mover)
	}
	for i, a := range legal {
		switch {
		case a < 0:
			return fmt.Errorf("the legal actions %v hold a negative one", legal)
		case int(a) >= c.g.Actions() && len(legal) > 1:
			return fmt.Errorf("the legal action %d has no place in a policy of length %d and is not the only one in %v", a, c.g.Actions(), legal)
		case i > 0 && a <= legal[i-1]:
			return fmt.Errorf("the legal actions %v do not ascend", legal)
		}
	}
	before := []game.Action{-7, 1 << 30}
	for _, room := range []int{0, c.g.Actions() + 1} {
		dst := append(make([]game.Action, 0, len(before)+room), before...)
		got := s.LegalActions(dst)
		if len(got) < len(before) || !slices.Equal(got[:len(before)], before) ||
			!slices.Equal(got[len(before):], legal) {
			return fmt.Errorf("appending the legal actions %v to %v gives %v", legal, before, got)
		}
	}
	return nil
}

// checkReading reads every state twice: reading must not change it.
func checkReading(c *checker) error {
	return c.each(func(s game.State, _ *rand.Rand) error {
		if err := c.look(s).differs(c.look(s)); err != nil {
			return fmt.Errorf("a state that was read twice: %w", err)
		}
		return nil
	})
}

// checkReturns checks the range, support and sum of utilities.
func checkReturns(c *checker) error {
	players := c.g.Players()
	support := c.g.Support()
	if l, ok := c.g.(game.Limited); ok {
		for _, actions := range c.played {
			if len(actions) > l.PlyLimit() {
				return afterActions(actions,
					fmt.Errorf("%d actions were played, but at most %d are declared",
						len(actions), l.PlyLimit()))
			}
		}
	}
	return c.each(func(s game.State, _ *rand.Rand) error {
		if r, ok := s.(game.Scored); ok {
			scores := poisoned(players)
			r.Scores(scores)
			if err := written(scores, players); err != nil {
				return fmt.Errorf("scores: %w", err)
			}
		}
		if s.CurrentPlayer() != game.Nobody {
			return nil
		}
		utilities := poisoned(players)
		s.Returns(utilities)
		if err := written(utilities, players); err != nil {
			return fmt.Errorf("utilities: %w", err)
		}
		utilities = utilities[:players]
		var sum float64
		for _, u := range utilities {
			sum += float64(u)
			if u < 0 || u > 1 {
				return fmt.Errorf("the utilities %v leave [0, 1]", utilities)
			}
			near := func(x float32) bool { return math.Abs(float64(x-u)) <= 1e-6 }
			if support != nil && !slices.ContainsFunc(support, near) {
				return fmt.Errorf("the utility %v is not in the support %v", u, support)
			}
		}
		if k, ok := c.g.(game.ConstantSum); ok && math.Abs(sum-k.UtilitySum()) > 1e-5 {
			return fmt.Errorf("the utilities %v sum to %v, not to %v as declared",
				utilities, sum, k.UtilitySum())
		}
		return withinBounds(c.g, s)
	})
}

// withinBounds checks the final scores against the declared bounds.
func withinBounds(g game.Game, s game.State) error {
	m, ok := g.(game.Measured)
	if !ok {
		return nil
	}
	r, ok := s.(game.Scored)
	if !ok {
		return fmt.Errorf("scores have bounds, but the state has no scores")
	}
	low, high := m.ScoreBounds()
	if !(low < high) {
		return fmt.Errorf("scores from %v to %v are declared", low, high)
	}
	scores := make([]float32, g.Players())
	r.Scores(scores)
	for _, x := range scores {
		if float64(x) < low-1e-4 || float64(x) > high+1e-4 {
			return fmt.Errorf("the scores %v leave the declared bounds, %v to %v",
				scores, low, high)
		}
	}
	return nil
}

// checkChance checks that outcomes are valid, that their probabilities sum to one, and
// that samples follow them.
func checkChance(c *checker) error {
	const samples, counted = 4, 20
	counts := 0 // chance states at which frequencies were counted
	return c.each(func(s game.State, rng *rand.Rand) error {
		if s.CurrentPlayer() != game.Chance {
			return nil
		}
		x := s.(game.Chancer)
		outcomes := x.Outcomes(nil)
		before := []game.Outcome{{Action: -7, Probability: 3}}
		if got := x.Outcomes(before); len(got) != 1+len(outcomes) || got[0] != before[0] {
			return fmt.Errorf("appending the outcomes %v to %v gives %v", outcomes, before, got)
		}
		var sum float64
		p := map[game.Action]float64{}
		for _, o := range outcomes {
			if _, twice := p[o.Action]; twice || !(o.Probability > 0) || o.Action < 0 {
				return fmt.Errorf("the outcomes %v repeat an action, or have one that is negative or without probability", outcomes)
			}
			p[o.Action] = o.Probability
			sum += o.Probability
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the probabilities of the outcomes %v sum to %v", outcomes, sum)
		}
		n := samples
		if counts < counted {
			n = 100 * len(outcomes)
			counts++
		}
		was := c.look(s)
		drawn := map[game.Action]int{}
		for range n {
			a := x.Sample(rng)
			if _, ok := p[a]; !ok {
				return fmt.Errorf("chance drew %d, which is not among the outcomes %v", a, outcomes)
			}
			drawn[a]++
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after chance drew from it: %w", err)
		}
		if n == samples {
			return nil
		}
		for a, q := range p {
			// Six standard deviations of the binomial distribution, plus one.
			if expected := q * float64(n); math.Abs(float64(drawn[a])-expected) >
				6*math.Sqrt(expected*(1-q))+1 {
				return fmt.Errorf("chance drew %d in %d of %d cases; its probability is %v",
					a, drawn[a], n, q)
			}
		}
		return nil
	})
}

// checkPlayout checks that the game's own playout, if it has one, reaches an end and
// takes all its randomness from rng.
func checkPlayout(c *checker) error {
	if _, ok := c.g.NewState().(game.Playouter); !ok {
		return nil
	}
	return c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		seed := rng.Uint64()
		var ends [2]*snapshot
		for i := range ends {
			s := c.at(prefix)
			s.(game.Playouter).Playout(random.New(seed, random.Test))
			if s.CurrentPlayer() != game.Nobody {
				return fmt.Errorf(
					"after a playout the current player is %d; the game should be over",
					s.CurrentPlayer())
			}
			ends[i] = c.look(s)
		}
		if err := ends[0].differs(ends[1]); err != nil {
			return fmt.Errorf("two playouts from equal random sources: %w", err)
		}
		return nil
	})
}

// checkPace checks that estimates of the decisions left, if the game makes any, are in order and
// within the bound that it gives.
func checkPace(c *checker) error {
	if _, ok := c.g.NewState().(game.Paced); !ok {
		return nil
	}
	for _, actions := range c.played {
		s := c.g.NewState()
		var most []float64 // by decision of the game
		var players []game.Player
		for n, a := range actions {
			if p := s.CurrentPlayer(); p >= 0 && len(s.LegalActions(nil)) > 1 {
				expected, bound := s.(game.Paced).DecisionsLeft(p)
				if !(expected >= 1 && expected <= bound) {
					return afterActions(actions[:n], fmt.Errorf("player %d is to make %g decisions, the one at hand included, and at most %g", p, expected, bound))
				}
				most, players = append(most, bound), append(players, p)
			}
			s.Apply(a)
		}
		var made [game.MaxPlayers]float64
		for i := len(most) - 1; i >= 0; i-- {
			p := players[i]
			if made[p]++; made[p] > most[i] {
				return afterActions(actions,
					fmt.Errorf("player %d made %g decisions where there are at most %g",
						p, made[p], most[i]))
			}
		}
	}
	return nil
}
