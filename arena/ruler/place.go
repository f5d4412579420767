package ruler

import (
	"context"
	"fmt"

	"tengen/arena"
	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
)

// Match says how a player is placed on a ruler.
type Match struct {
	Game   game.Game
	Player player.Player
	Games  int // against each rung, rounded up to whole rounds
	// Most is the number of simulations of the strongest rung to play against.
	Most                    int
	Seed                    uint64
	Opening                 int // decisions drawn at the start of each round's games
	Workers, GamesPerWorker int
}

// Placement is a player's place on a ruler.
type Placement struct {
	Game    string `json:"game"`
	Player  string `json:"player"`
	Seed    uint64 `json:"seed"`
	Opening int    `json:"opening"` // decisions drawn at the start of each round's games
	// Rating is the player's, in Elo over the first rung; nil if no game was played.
	Rating   *rating.Rating `json:"rating"`
	Meetings []Meeting      `json:"rungs"` // the rungs that it played against
	// Interrupted is set if the match ended early; the rounds that are complete count.
	Interrupted *arena.Interrupted `json:"interrupted,omitempty"`
}

// Meeting is the result against one rung.
type Meeting struct {
	Rung
	Games    int `json:"games"`
	Distinct int `json:"distinct_games"`
	// share of meetings in which the player finished first, ties counted half
	Ahead *arena.Estimate `json:"ahead"`
}

// Place plays a player against the rungs of a ruler, in ascending order from the first, until
// one is the stronger: rungs further up would tell little more. If ctx ends or an
// evaluator fails, it returns the placement by the rounds so far, and an *arena.Interrupted.
func (r *Ruler) Place(
	ctx context.Context, m Match, progress func(rung string, played, all int),
) (*Placement, error) {
	players, err := r.Players(m.Game)
	if err != nil {
		return nil, err
	}
	p := &Placement{Game: m.Game.Name(), Player: m.Player.Name(), Seed: m.Seed, Opening: m.Opening}
	var games []rating.Game
	fixed := map[int]float64{}
	groups := 0
	for i, rung := range r.Rungs {
		if rung.Simulations > m.Most && i > 0 {
			break
		}
		t := &arena.Tournament{
			Game: m.Game, Players: []player.Player{m.Player, players[i]}, Games: m.Games,
			Seed:    m.Seed + uint64(i),
			Opening: m.Opening, Anchor: 1, Workers: m.Workers, GamesPerWorker: m.GamesPerWorker,
		}
		s, stopped := t.Play(ctx, func(played, all int) {
			if progress != nil {
				progress(rung.Player, played, all)
			}
		})
		if s == nil {
			return nil, stopped
		}
		// In the fit the player is the last, after all rungs.
		for _, g := range s.Meetings {
			placed := rating.Game{Scores: g.Scores, Group: g.Group + groups}
			for _, who := range g.Players {
				placed.Players = append(placed.Players, []int{len(r.Rungs), i}[who])
			}
			games = append(games, placed)
		}
		groups += s.Rounds
		if i > 0 {
			fixed[i] = rung.Elo
		}
		if s.Rounds > 0 {
			p.Meetings = append(p.Meetings, Meeting{rung, s.Games, s.Distinct, s.Dominance[0][1]})
			fit, err := rating.Fit(len(r.Rungs)+1, games, rating.Options{Seats: true, Fixed: fixed})
			if err != nil {
				return nil, fmt.Errorf("place %s on the ruler of %s: %w", p.Player, p.Game, err)
			}
			p.Rating = &fit.Ratings[len(r.Rungs)]
		}
		if stopped != nil {
			p.Interrupted = s.Interrupted
			return p, stopped
		}
		if p.Rating.Elo < rung.Elo {
			break
		}
	}
	return p, nil
}
