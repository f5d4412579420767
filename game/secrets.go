package game

import "strconv"

// Secret is something that may be hidden from a seat, as a fact that is one of a number of classes:
// the colour that another seat has, how many cards of a kind it holds.
type Secret struct {
	Name    string // different from those of all others: "player 2's red+"
	Kind    string // of facts that are measured together: "colour", "cards"
	Seat    Player // whose secret it is
	Classes int    // 2 to MaxClasses
	// ClassNames are the names of the classes; nil: their numbers.
	ClassNames []string
}

// ClassName is the name of a class.
func (s *Secret) ClassName(class int) string {
	if class < len(s.ClassNames) {
		return s.ClassNames[class]
	}
	return strconv.Itoa(class)
}

// HasSecrets is a Game with hidden information that offers its secrets as facts, so that a network
// can learn how likely they are. Its states are SecretStates. All seats' secrets are in one list;
// which of them are hidden, and from whom, is a matter of the state.
type HasSecrets interface{ Secrets() []Secret }

// SecretState is a State of a game that HasSecrets. Its methods may be called while a player is to
// move.
type SecretState interface {
	// Secrets writes the class of each secret that seat can't see, as it is in this state, and
	// NoLabel for all others. Determinize for seat changes the classes, and never which of them
	// are NoLabel.
	Secrets(seat Player, classes []int8)
	// SecretPriors writes the probability of each class of each secret, in order, if what seat
	// can't see is drawn as Determinize draws it. It depends on nothing else than what seat sees.
	// The classes of a secret that is NoLabel are all 0.
	SecretPriors(seat Player, priors []float32)
}

// SecretsOf returns the secrets of g, none if it has none.
func SecretsOf(g Game) []Secret {
	if s, ok := g.(HasSecrets); ok {
		return s.Secrets()
	}
	return nil
}

// SecretClasses returns the number of classes of all secrets together.
func SecretClasses(secrets []Secret) int {
	n := 0
	for i := range secrets {
		n += secrets[i].Classes
	}
	return n
}

// TransformSecrets writes the classes src of a game's secrets, transformed, to dst. The two
// must not overlap.
func (t *Symmetry) TransformSecrets(secrets []Secret, dst, src []int8) {
	if t.Secrets == nil {
		copy(dst, src)
		return
	}
	first := 0
	for k := range secrets {
		to, start := secretOf(secrets, t.Secrets[first])
		dst[to] = NoLabel
		if class := src[k]; class >= 0 {
			dst[to] = int8(t.Secrets[first+int(class)] - start)
		}
		first += secrets[k].Classes
	}
}

// TransformSecretClasses writes numbers of each class of each secret, transformed, to dst. The two
// must not overlap.
func (t *Symmetry) TransformSecretClasses(dst, src []float32) {
	if t.Secrets == nil {
		copy(dst, src)
		return
	}
	for i, j := range t.Secrets {
		dst[j] = src[i]
	}
}

// secretOf returns the secret to which a class belongs, by its place among all classes, and the
// place of the secret's first class.
func secretOf(secrets []Secret, place int) (secret, first int) {
	for place >= first+secrets[secret].Classes {
		first += secrets[secret].Classes
		secret++
	}
	return secret, first
}
