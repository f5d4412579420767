package game

// Player is a seat, 0 to Players()-1, or one of the two constants below.
type Player int8

const (
	// Nobody is the current player when the game is over.
	Nobody Player = -1
	// Chance is the current player when the state waits for a random outcome.
	Chance Player = -2
)

// MaxPlayers is the upper limit of Game.Players; vectors of utilities fit arrays of
// this size.
const MaxPlayers = 8

// Action is a move or an outcome of chance. Actions below Game.Actions() have an entry
// in the policy; others appear only as the sole legal action of a state, or at chance
// states.
type Action int32

// NoAction means that there is no action.
const NoAction Action = -1

// Shape is the shape [C, H, W] of an observation: C planes of H rows and W columns.
type Shape struct{ C, H, W int }

// Size is the number of values in an observation.
func (s Shape) Size() int { return s.C * s.H * s.W }

// Game holds the immutable facts of a rule set. All methods are safe for concurrent
// use. Returned slices belong to the game and must not be changed.
type Game interface {
	// Name is the canonical name, which New parses back: "go:size=5,players=3".
	Name() string
	// Players is the number of seats, 1 to MaxPlayers.
	Players() int
	// Actions is the length of a policy.
	Actions() int
	// Planes is the shape of an observation.
	Planes() Shape
	// Support lists, in ascending order, the utilities that a categorical value head
	// predicts; nil asks for a linear head.
	Support() []float32
	// NewState returns the initial position.
	NewState() State
}

// State is one position of a game. It is owned by one goroutine at a time and holds no
// source of randomness.
type State interface {
	// CurrentPlayer is the player to move, Chance, or Nobody once the game is over.
	CurrentPlayer() Player
	// LegalActions appends the legal actions in ascending order, at least one, and returns
	// the extended slice. It is called only while a player is to move.
	LegalActions(dst []Action) []Action
	// Apply plays an action, or takes an outcome of chance. The action must be legal;
	// otherwise Apply panics or leaves the state undefined. The caller checks input
	// against LegalActions.
	Apply(a Action)
	// CopyFrom makes this state equal to src, a state of the same Game value. It does not
	// allocate.
	CopyFrom(src State)
	// Returns writes the utility of each player, in [0, 1], to dst[0:Players].
	// It may be called only when CurrentPlayer is Nobody.
	Returns(dst []float32)
	// Observation writes the planes as seen by the current player to
	// dst[0:Planes().Size()], plane by plane, row by row. It writes every element. Players
	// are ordered by seat, not relative to the current player. Once the game is over, the
	// planes show the final position with no player to move. It is not called while
	// CurrentPlayer is Chance, unless the game is an AfterstateObserver.
	Observation(dst []float32)
	// Hash is equal for states with equal futures, including the history where the rules
	// depend on it (superko). Other states' hashes differ, except with a probability of
	// about 2^-64 per pair.
	Hash() uint64
}

// Must returns g and panics if err is not nil. It is for tests and examples.
func Must(g Game, err error) Game {
	if err != nil {
		panic(err)
	}
	return g
}
