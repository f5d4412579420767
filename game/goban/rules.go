package goban

import (
	"fmt"
	"math"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
)

// Ko says which positions a placement may not recreate.
type Ko string

const (
	// Positional superko forbids stones that stood on the board before, whoever is to
	// move.
	Positional Ko = "positional"
	// Situational superko forbids stones that stood before with the same colour to move,
	// after a placement or a pass.
	Situational Ko = "situational"
	// Simple ko forbids stones that stood on the board since the end of the player's own
	// last turn. With two colours this forbids the immediate recapture of a single stone.
	// Longer cycles continue until max_plies.
	Simple Ko = "simple"
)

// Pass says when passing is allowed.
type Pass string

const (
	// Forced: only if every legal placement, if there is any, fills an own eye; then it is
	// the only action.
	Forced Pass = "forced"
	// Free: always.
	Free Pass = "free"
)

// Eye says which empty points are eyes of a colour. All kinds require that all
// orthogonal neighbours on the board are stones of that colour.
type Eye string

const (
	// Diagonal also requires that at most one diagonal neighbour is a stone of another
	// colour, and none if the point lies on the edge or in a corner.
	Diagonal Eye = "diagonal"
	// Chain also requires that the neighbours belong to one group.
	Chain Eye = "chain"
	// Orthogonal requires nothing more.
	Orthogonal Eye = "orthogonal"
)

// Reward says what the utilities are.
type Reward string

const (
	// Score: the points, without komi, divided by the points of the board.
	Score Reward = "score"
	// Win: one to a sole leader, komi counted, or 1/k to each of k leaders.
	Win Reward = "win"
)

// Rules are the rules of a game of Go.
type Rules struct {
	Rows, Columns int       // 1 to 19
	Players       int       // 2 to 4
	Komi          []float64 // added to the scores, one per colour; nil is all zeros
	Ko            Ko        // "" is Positional
	Pass          Pass      // "" is Forced
	Eye           Eye       // "" is Diagonal
	Reward        Reward    // "" is Score
	MaxPlies      int       // 1 to 20,000 actions, passes counted; 0 is six times the points
}

const (
	maxSide    = 19
	maxPlies   = 20_000
	minPlayers = 2
	maxPlayers = 4
	maxKomi    = 1_000
)

// complete fills in defaults, or returns an error that says what is wrong.
func (r Rules) complete() (Rules, error) {
	if r.Rows < 1 || r.Rows > maxSide || r.Columns < 1 || r.Columns > maxSide {
		return r, fmt.Errorf("a board of %d rows and %d columns: both must be 1 to %d",
			r.Rows, r.Columns, maxSide)
	}
	if r.Players < minPlayers || r.Players > maxPlayers {
		return r, fmt.Errorf("players=%d: %d to %d are wanted", r.Players, minPlayers, maxPlayers)
	}
	if r.Komi == nil {
		r.Komi = make([]float64, r.Players)
	}
	if len(r.Komi) != r.Players {
		return r, fmt.Errorf("komi=%s: one number per colour is wanted, %d in all",
			notation.Format(r.Komi), r.Players)
	}
	for _, k := range r.Komi {
		if !(math.Abs(k) <= maxKomi) {
			return r, fmt.Errorf("komi=%s: numbers from %d to %d are wanted",
				notation.Format(r.Komi), -maxKomi, maxKomi)
		}
	}
	if r.MaxPlies == 0 {
		r.MaxPlies = 6 * r.Rows * r.Columns
	}
	if r.MaxPlies < 1 || r.MaxPlies > maxPlies {
		return r, fmt.Errorf("max_plies=%d: 1 to %d are wanted", r.MaxPlies, maxPlies)
	}
	err := firstError(
		choose("ko", &r.Ko, Positional, Situational, Simple),
		choose("pass", &r.Pass, Forced, Free),
		choose("eye", &r.Eye, Diagonal, Chain, Orthogonal),
		choose("reward", &r.Reward, Score, Win))
	return r, err
}

// choose sets *value to the first word if it is empty, and returns an error if it is
// not one of words.
func choose[T ~string](key string, value *T, words ...T) error {
	if *value == "" {
		*value = words[0]
	}
	list := make([]string, len(words))
	for i, w := range words {
		if *value == w {
			return nil
		}
		list[i] = string(w)
	}
	return fmt.Errorf("%s=%s: one of %s is wanted", key, *value, strings.Join(list, ", "))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// name is the canonical name of complete rules: values that differ from the defaults,
// and always the size and the number of players.
func (r Rules) name() string {
	var b strings.Builder
	if r.Rows == r.Columns {
		fmt.Fprintf(&b, "go:size=%d", r.Rows)
	} else {
		fmt.Fprintf(&b, "go:rows=%d,columns=%d", r.Rows, r.Columns)
	}
	fmt.Fprintf(&b, ",players=%d", r.Players)
	for _, k := range r.Komi {
		if k != 0 {
			fmt.Fprintf(&b, ",komi=%s", notation.Format(r.Komi))
			break
		}
	}
	for _, w := range []struct{ key, value, byDefault string }{
		{"ko", string(r.Ko), string(Positional)},
		{"pass", string(r.Pass), string(Forced)},
		{"eye", string(r.Eye), string(Diagonal)},
		{"reward", string(r.Reward), string(Score)},
	} {
		if w.value != w.byDefault {
			fmt.Fprintf(&b, ",%s=%s", w.key, w.value)
		}
	}
	if r.MaxPlies != 6*r.Rows*r.Columns {
		fmt.Fprintf(&b, ",max_plies=%d", r.MaxPlies)
	}
	return b.String()
}

func init() {
	game.Register(game.Family{
		Name:    "go",
		Summary: "Go for two to four colours, 1×1 to 19×19",
		Params: []game.Param{
			{Key: "size", Default: "5", Help: "rows and columns of a square board, 1 to 19"},
			{Key: "rows", Help: "rows, 1 to 19, if the board is not square"},
			{Key: "columns", Help: "columns, 1 to 19, if the board is not square"},
			{Key: "players", Default: "3", Help: "colours, 2 to 4: Black, White, Red, Blue"},
			{Key: "komi", Help: "added to the scores, one number per colour; default zeros"},
			{Key: "ko", Default: "positional", Help: "positional, situational (superko) or simple"},
			{Key: "pass", Default: "forced",
				Help: "forced: only if all placements fill own eyes; free: always"},
			{Key: "eye", Default: "diagonal",
				Help: "what counts as an own eye: diagonal, chain or orthogonal"},
			{Key: "reward", Default: "score",
				Help: "utilities: score (points ÷ points of the board) or win"},
			{Key: "max_plies", Help: "actions after which the game ends; default 6 × points"},
		},
		New:   fromValues,
		Drawn: drawn,
	})
}

// fromValues makes the game from its parameters.
func fromValues(v *game.Values) (game.Game, error) {
	r := Rules{
		Players: v.Int("players", minPlayers, maxPlayers),
		Komi:    v.Floats("komi"),
		Ko:      Ko(v.Choice("ko", string(Positional), string(Situational), string(Simple))),
		Pass:    Pass(v.Choice("pass", string(Forced), string(Free))),
		Eye:     Eye(v.Choice("eye", string(Diagonal), string(Chain), string(Orthogonal))),
		Reward:  Reward(v.Choice("reward", string(Score), string(Win))),
	}
	switch rows, columns := v.Given("rows"), v.Given("columns"); {
	case !rows && !columns:
		r.Rows = v.Int("size", 1, maxSide)
		r.Columns = r.Rows
	case v.Given("size"):
		v.Fail("size", "it sets both rows and columns: give size alone, or rows and columns")
	case !rows:
		v.Fail("columns", "rows is wanted too")
	case !columns:
		v.Fail("rows", "columns is wanted too")
	default:
		r.Rows, r.Columns = v.Int("rows", 1, maxSide), v.Int("columns", 1, maxSide)
	}
	if v.Given("max_plies") {
		r.MaxPlies = v.Int("max_plies", 1, maxPlies)
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	return New(r)
}
