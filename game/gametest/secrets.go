package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// checkSecrets checks the secrets of a game: that their classes are in range, that priors depend on
// what a seat sees alone and are the frequencies of what Determinize draws, and that both commute
// with symmetries.
func checkSecrets(c *checker) error {
	if _, ok := c.g.(game.HasSecrets); !ok {
		return nil
	}
	k := &secretChecker{checker: c, secrets: game.SecretsOf(c.g)}
	if len(k.secrets) == 0 {
		return nil
	}
	s := c.g.NewState()
	_, hidden := s.(game.ImperfectInformation)
	if _, ok := s.(game.SecretState); !ok || !hidden {
		return fmt.Errorf("the game has secrets, but its states have no methods Secrets, SecretPriors and Determinize")
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

type secretChecker struct {
	*checker
	secrets []game.Secret
}

// declared checks the list.
func (k *secretChecker) declared() error {
	names := map[string]bool{}
	for _, s := range k.secrets {
		switch {
		case s.Name == "" || s.Kind == "" || names[s.Name]:
			return fmt.Errorf(
				"the secret %q of the kind %q: names must be different, and neither may be empty",
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

// of returns the secrets of a state.
func (k *secretChecker) of(
	s game.State, seat game.Player,
) (classes []int8, priors []float32, err error) {
	const marker = -128
	x := s.(game.SecretState)
	classes = slices.Repeat([]int8{marker}, len(k.secrets)+1)
	x.Secrets(seat, classes)
	n := game.SecretClasses(k.secrets)
	priors = poisoned(n)
	x.SecretPriors(seat, priors)
	if classes[len(k.secrets)] != marker {
		return nil, nil, fmt.Errorf("more secrets are written than there are")
	}
	if err := written(priors, n); err != nil {
		return nil, nil, fmt.Errorf("priors: %w", err)
	}
	classes, priors = classes[:len(k.secrets)], priors[:n]
	rest := priors
	for i := range k.secrets {
		f := &k.secrets[i]
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
		case class < game.NoLabel || int(class) >= f.Classes:
			return nil, nil,
				fmt.Errorf("%q is of class %d; must be %d to %d",
					f.Name, class, game.NoLabel, f.Classes-1)
		case class == game.NoLabel && sum != 0:
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
func (k *secretChecker) drawn(s game.State, seat game.Player, draws int, rng *rand.Rand) error {
	was := k.look(s)
	classes, priors, err := k.of(s, seat)
	if err != nil {
		return err
	}
	if err := was.differs(k.look(s)); err != nil {
		return fmt.Errorf("a state before and after its secrets were read: %w", err)
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
			if (class == game.NoLabel) != (classes[i] == game.NoLabel) {
				return fmt.Errorf("%q is of class %d, in a determinization of class %d",
					k.secrets[i].Name, classes[i], class)
			}
			if class >= 0 {
				counts[first+int(class)]++
			}
			first += k.secrets[i].Classes
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

// permutation checks the permutation of the secrets' classes.
func (k *secretChecker) permutation(t *game.Symmetry, identity bool) error {
	if t.Secrets == nil {
		return nil
	}
	if err := permutation("secrets",
		t.Secrets, game.SecretClasses(k.secrets), identity); err != nil {
		return err
	}
	var of []int // the secret of each class
	for i := range k.secrets {
		for range k.secrets[i].Classes {
			of = append(of, i)
		}
	}
	for i := 1; i < len(of); i++ {
		if to := of[t.Secrets[i]]; of[i] == of[i-1] && to != of[t.Secrets[i-1]] {
			return fmt.Errorf("the classes of %q become those of several secrets",
				k.secrets[of[i]].Name)
		}
		if a, b := &k.secrets[of[i]], &k.secrets[of[t.Secrets[i]]]; a.Classes != b.Classes ||
			a.Kind != b.Kind || b.Seat != t.Players[a.Seat] {
			return fmt.Errorf("%q becomes %q", a.Name, b.Name)
		}
	}
	return nil
}

// commutes plays the images of a game's actions and compares the secrets on the way.
func (k *secretChecker) commutes(t *game.Symmetry, actions []game.Action) error {
	s, u := k.g.NewState(), k.g.NewState()
	n := game.SecretClasses(k.secrets)
	moved, numbers := make([]int8, len(k.secrets)), make([]float32, n)
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
			t.TransformSecrets(k.secrets, moved, classes)
			t.TransformSecretClasses(numbers, priors)
			if !slices.Equal(moved, got) || !same(numbers, gotPriors) {
				return afterActions(actions[:i+1], fmt.Errorf("the secrets %v become %v, but in the image they are %v; or their priors differ", classes, moved, got))
			}
		}
	}
	return nil
}
