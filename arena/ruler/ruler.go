package ruler

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"tengen/game"
	"tengen/player"
)

// Rung is a player of a ruler with its rating in Elo over the first rung, and the 95 % interval of
// the measurement.
type Rung struct {
	Player      string  `json:"player"` // as player.Parse reads it
	Simulations int     `json:"simulations"`
	Elo         float64 `json:"elo"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
}

// Ruler is the ruler of a game: rungs in ascending order of their simulations. The first one is
// the UCT of evaluations ([player.Baseline]), whose rating is 0.
type Ruler struct {
	Game  string `json:"game"` // canonical name
	Rungs []Rung `json:"rungs"`
}

//go:embed measured
var measured embed.FS

// All returns the rulers of all games that have one.
func All() []*Ruler {
	files, err := measured.ReadDir("measured")
	if err != nil {
		panic(err) // embedded
	}
	var list []*Ruler
	for _, f := range files {
		r := new(Ruler)
		text, err := measured.ReadFile(path.Join("measured", f.Name()))
		if err == nil {
			err = json.Unmarshal(text, r)
		}
		if err != nil {
			panic(fmt.Sprintf("ruler: %s: %v", f.Name(), err)) // a test reads them all
		}
		list = append(list, r)
	}
	return list
}

// Of returns the ruler of a game, nil if it has none.
func Of(g game.Game) *Ruler {
	for _, r := range All() {
		if r.Game == g.Name() {
			return r
		}
	}
	return nil
}

// Above returns the rung to play against for a player whose rating is known: the weakest that
// is at least as strong and has at most the given number of simulations, or the strongest of these.
func (r *Ruler) Above(elo float64, simulations int) int {
	best := 0
	for i, rung := range r.Rungs {
		if rung.Simulations > simulations {
			break
		}
		best = i
		if rung.Elo >= elo {
			break
		}
	}
	return best
}

// Index returns the index of the rung with a player's name, -1 if there is none.
func (r *Ruler) Index(name string) int {
	for i := range r.Rungs {
		if r.Rungs[i].Player == name {
			return i
		}
	}
	return -1
}

// Players returns the rungs as players of a game.
func (r *Ruler) Players(g game.Game) ([]player.Player, error) {
	var list []player.Player
	for _, rung := range r.Rungs {
		p, err := player.Parse(g, rung.Player)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
