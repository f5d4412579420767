package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// checkHiddenFacts checks the hidden facts of a game: that their classes are in range, that priors
// depend on what a seat sees alone and are the frequencies of what Determinize draws, and that both
// commute with symmetries.
func checkHiddenFacts(c *checker) error {
	if _, ok := c.g.(game.HasHiddenFacts); !ok {
		return nil
	}
	k := &hiddenFactChecker{checker: c, facts: game.HiddenFactsOf(c.g)}
	if len(k.facts) == 0 {
		return nil
	}
	s := c.g.NewState()
	_, hidden := s.(game.ImperfectInformation)
	if _, ok := s.(game.HiddenFactState); !ok || !hidden {
		return fmt.Errorf("the game has hidden facts, but its states have no methods HiddenFacts, HiddenFactPriors and Determinize")
	}
	if err := k.declared(); err != nil {
		return err
	}
	counted := 0
	err := c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		if s.CurrentPlayer() < 0 {
			return nil
		}
		for p := range c.g.Players() {
			draws := 8
			if counted < 12 {
				draws = 800
			}
			if err := k.drawn(s, game.Player(p), draws, rng); err != nil {
				return fmt.Errorf("for seat %d: %w", p, err)
			}
		}
		counted++
		return nil
	})
	if err != nil {
		return err
	}
	x, ok := c.g.(game.Symmetric)
	if !ok {
		return nil
	}
	symmetries := x.Symmetries()
	for i := range symmetries {
		if err := k.permutation(&symmetries[i], i == 0); err != nil {
			return fmt.Errorf("symmetry %d: %w", i, err)
		}
	}
	for i, actions := range c.played {
		t := &symmetries[i%len(symmetries)]
		if err := k.commutes(t, actions); err != nil {
			return fmt.Errorf("symmetry %d: %w", i%len(symmetries), err)
		}
	}
	return nil
}

type hiddenFactChecker struct {
	*checker
	facts []game.HiddenFact
}

// declared checks the list.
func (k *hiddenFactChecker) declared() error {
	names := map[string]bool{}
	for _, s := range k.facts {
		switch {
		case s.Name == "" || s.Kind == "" || names[s.Name]:
			return fmt.Errorf(
				"the hidden fact %q of the kind %q: names must be different, and neither may be empty",
				s.Name, s.Kind)
		case s.Seat < 0 || int(s.Seat) >= k.g.Players():
			return fmt.Errorf("%q is of seat %d", s.Name, s.Seat)
		case s.Classes < 2 || s.Classes > game.MaxClasses:
			return fmt.Errorf("%q has %d classes; must be 2 to %d",
				s.Name, s.Classes, game.MaxClasses)
		case s.ClassNames != nil && len(s.ClassNames) != s.Classes:
			return fmt.Errorf("%q has %d classes and %d names of them",
				s.Name, s.Classes, len(s.ClassNames))
		}
		names[s.Name] = true
	}
	return nil
}

// of returns the hidden facts of a state.
func (k *hiddenFactChecker) of(
	s game.State, seat game.Player,
) (classes []int8, priors []float32, err error) {
	const marker = -128
	x := s.(game.HiddenFactState)
	classes = slices.Repeat([]int8{marker}, len(k.facts)+1)
	x.HiddenFacts(seat, classes)
	n := game.HiddenFactClasses(k.facts)
	priors = poisoned(n)
	x.HiddenFactPriors(seat, priors)
	if classes[len(k.facts)] != marker {
		return nil, nil, fmt.Errorf("more hidden facts are written than there are")
	}
	if err := written(priors, n); err != nil {
		return nil, nil, fmt.Errorf("priors: %w", err)
	}
	classes, priors = classes[:len(k.facts)], priors[:n]
	rest := priors
	for i := range k.facts {
		f := &k.facts[i]
		own := rest[:f.Classes]
		rest = rest[f.Classes:]
		sum := 0.0
		for _, p := range own {
			if !(p >= 0 && p <= 1) {
				return nil, nil, fmt.Errorf("the priors of %q are %v", f.Name, own)
			}
			sum += float64(p)
		}
		class := classes[i]
		switch {
		case class < game.NoClass || int(class) >= f.Classes:
			return nil, nil,
				fmt.Errorf("%q is of class %d; must be %d to %d",
					f.Name, class, game.NoClass, f.Classes-1)
		case class == game.NoClass && sum != 0:
			return nil, nil, fmt.Errorf("%q is not hidden, but has the priors %v", f.Name, own)
		case class >= 0 && math.Abs(sum-1) > 1e-5:
			return nil, nil, fmt.Errorf("the priors of %q, %v, sum to %v", f.Name, own, sum)
		case class >= 0 && own[class] == 0:
			return nil, nil, fmt.Errorf("%q is of class %d, whose prior is 0", f.Name, class)
		}
	}
	return classes, priors, nil
}

// drawn compares the classes in determinizations with the priors.
func (k *hiddenFactChecker) drawn(s game.State, seat game.Player, draws int, rng *rand.Rand) error {
	was := k.look(s)
	classes, priors, err := k.of(s, seat)
	if err != nil {
		return err
	}
	if err := was.differs(k.look(s)); err != nil {
		return fmt.Errorf("a state before and after its hidden facts were read: %w", err)
	}
	counts := make([]float64, len(priors))
	d := k.g.NewState()
	for range draws {
		d.CopyFrom(s)
		d.(game.ImperfectInformation).Determinize(rng, seat)
		got, p, err := k.of(d, seat)
		if err != nil {
			return fmt.Errorf("a determinization: %w", err)
		}
		if !same(p, priors) {
			i := unequal(p, priors)
			return fmt.Errorf("the prior %d is %v, in a determinization %v", i, priors[i], p[i])
		}
		first := 0
		for i, class := range got {
			if (class == game.NoClass) != (classes[i] == game.NoClass) {
				return fmt.Errorf("%q is of class %d, in a determinization of class %d",
					k.facts[i].Name, classes[i], class)
			}
			if class >= 0 {
				counts[first+int(class)]++
			}
			first += k.facts[i].Classes
		}
	}
	for i, n := range counts {
		// Six standard deviations of the binomial distribution, plus one.
		p, all := float64(priors[i]), float64(draws)
		if math.Abs(n-p*all) > 6*math.Sqrt(p*all*(1-p))+1 {
			return fmt.Errorf(
				"the class %d of all is in %v of %d determinizations; its prior is %v",
				i, n, draws, p)
		}
	}
	return nil
}

// permutation checks the permutation of the hidden facts' classes.
func (k *hiddenFactChecker) permutation(t *game.Symmetry, identity bool) error {
	if t.HiddenFacts == nil {
		return nil
	}
	if err := permutation("hidden facts",
		t.HiddenFacts, game.HiddenFactClasses(k.facts), identity); err != nil {
		return err
	}
	var of []int // the hidden fact of each class
	for i := range k.facts {
		for range k.facts[i].Classes {
			of = append(of, i)
		}
	}
	for i := 1; i < len(of); i++ {
		if to := of[t.HiddenFacts[i]]; of[i] == of[i-1] && to != of[t.HiddenFacts[i-1]] {
			return fmt.Errorf("the classes of %q become those of several hidden facts",
				k.facts[of[i]].Name)
		}
		if a, b := &k.facts[of[i]], &k.facts[of[t.HiddenFacts[i]]]; a.Classes != b.Classes ||
			a.Kind != b.Kind || b.Seat != t.Players[a.Seat] {
			return fmt.Errorf("%q becomes %q", a.Name, b.Name)
		}
	}
	return nil
}

// commutes plays the images of a game's actions and compares the hidden facts on the way.
func (k *hiddenFactChecker) commutes(t *game.Symmetry, actions []game.Action) error {
	s, u := k.g.NewState(), k.g.NewState()
	n := game.HiddenFactClasses(k.facts)
	moved, numbers := make([]int8, len(k.facts)), make([]float32, n)
	for i, a := range actions {
		s.Apply(a)
		if int(a) < len(t.Actions) {
			a = t.Actions[a]
		}
		u.Apply(a)
		if s.CurrentPlayer() < 0 {
			continue
		}
		if t.Players[s.CurrentPlayer()] != u.CurrentPlayer() {
			return nil // another seat would have to begin
		}
		for p := range k.g.Players() {
			classes, priors, err := k.of(s, game.Player(p))
			if err != nil {
				return afterActions(actions[:i+1], err)
			}
			got, gotPriors, err := k.of(u, t.Players[p])
			if err != nil {
				return afterActions(actions[:i+1], err)
			}
			t.TransformHiddenFacts(k.facts, moved, classes)
			t.TransformHiddenFactClasses(numbers, priors)
			if !slices.Equal(moved, got) || !same(numbers, gotPriors) {
				return afterActions(actions[:i+1], fmt.Errorf("the hidden facts %v become %v, but in the image they are %v; or their priors differ", classes, moved, got))
			}
		}
	}
	return nil
}
