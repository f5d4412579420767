package arena

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
)

// Anchor is a player of an anchor ladder with its rating in Elo over the first anchor, and the 95 %
// interval of the measurement.
type Anchor struct {
	Player      string  `json:"player"` // as player.Parse reads it
	Simulations int     `json:"simulations"`
	Elo         float64 `json:"elo"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
}

// AnchorLadder is a scale of strength that does not move: for a game, the ratings of a few UCT
// players, measured once in many games against each other. A player whose games against them are
// rated with these ratings fixed ([rating.Options].Fixed) is on a scale that does not depend on
// what else was trained, or when. Anchors are in ascending order of their simulations. The first
// one is the UCT of evaluations ([player.Baseline]), whose rating is 0.
//
// The ratings are made by `tengen-lab reproduce ruler`, and stand in docs/results/ruler.md; `go
// test -run Measured -update` copies them to this package.
type AnchorLadder struct {
	Game    string   `json:"game"` // canonical name
	Anchors []Anchor `json:"rungs"`
}

//go:embed anchors
var anchorFiles embed.FS

// AnchorLadders returns those of all games that have one.
func AnchorLadders() []*AnchorLadder {
	files, err := anchorFiles.ReadDir("anchors")
	if err != nil {
		panic(err) // embedded
	}
	var list []*AnchorLadder
	for _, f := range files {
		l := new(AnchorLadder)
		text, err := anchorFiles.ReadFile(path.Join("anchors", f.Name()))
		if err == nil {
			err = json.Unmarshal(text, l)
		}
		if err != nil {
			panic(fmt.Sprintf("arena: anchors of %s: %v", f.Name(), err)) // a test reads them all
		}
		list = append(list, l)
	}
	return list
}

// AnchorLadderOf returns the anchor ladder of a game, nil if it has none.
func AnchorLadderOf(g game.Game) *AnchorLadder {
	for _, l := range AnchorLadders() {
		if l.Game == g.Name() {
			return l
		}
	}
	return nil
}

// Above returns the anchor to play against for a player whose rating is known: the weakest that
// is at least as strong and has at most the given number of simulations, or the strongest of these.
func (l *AnchorLadder) Above(elo float64, simulations int) int {
	best := 0
	for i, anchor := range l.Anchors {
		if anchor.Simulations > simulations {
			break
		}
		best = i
		if anchor.Elo >= elo {
			break
		}
	}
	return best
}

// Index returns the index of the anchor with a player's name, -1 if there is none.
func (l *AnchorLadder) Index(name string) int {
	for i := range l.Anchors {
		if l.Anchors[i].Player == name {
			return i
		}
	}
	return -1
}

// Players returns the anchors as players of a game.
func (l *AnchorLadder) Players(g game.Game) ([]player.Player, error) {
	var list []player.Player
	for _, anchor := range l.Anchors {
		p, err := player.Parse(g, anchor.Player)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// PlacementMatch says how a player is placed on an anchor ladder.
type PlacementMatch struct {
	Game   game.Game
	Player player.Player
	Games  int // against each anchor, rounded up to whole rounds
	// Most is the number of simulations of the strongest anchor to play against.
	Most                    int
	Seed                    uint64
	Opening                 int // decisions drawn at the start of each round's games
	Workers, GamesPerWorker int
}

// Placement is a player's place on an anchor ladder.
type Placement struct {
	Game    string `json:"game"`
	Player  string `json:"player"`
	Seed    uint64 `json:"seed"`
	Opening int    `json:"opening"` // decisions drawn at the start of each round's games
	// Rating is the player's, in Elo over the first anchor; nil if no game was played.
	Rating   *rating.Rating `json:"rating"`
	Meetings []AnchorMatch  `json:"rungs"` // the anchors that it played against
	// Interrupted is set if the match ended early; the rounds that are complete count.
	Interrupted *Interrupted `json:"interrupted,omitempty"`
}

// AnchorMatch is the result against one anchor.
type AnchorMatch struct {
	Anchor
	Games    int `json:"games"`
	Distinct int `json:"distinct_games"`
	// share of meetings in which the player finished first, ties counted half
	Ahead *Estimate `json:"ahead"`
}

// Place plays a player against the anchors of an anchor ladder, in ascending order from the first,
// until one is the stronger: anchors further up would tell little more. If ctx ends or an evaluator
// fails, it returns the placement by the rounds so far, and an *Interrupted.
func (l *AnchorLadder) Place(
	ctx context.Context, m PlacementMatch, progress func(anchor string, played, all int),
) (*Placement, error) {
	players, err := l.Players(m.Game)
	if err != nil {
		return nil, err
	}
	p := &Placement{Game: m.Game.Name(), Player: m.Player.Name(), Seed: m.Seed, Opening: m.Opening}
	var games []rating.Game
	fixed := map[int]float64{}
	groups := 0
	for i, anchor := range l.Anchors {
		if anchor.Simulations > m.Most && i > 0 {
			break
		}
		t := &Tournament{
			Game: m.Game, Players: []player.Player{m.Player, players[i]}, Games: m.Games,
			Seed:    m.Seed + uint64(i),
			Opening: m.Opening, Anchor: 1, Workers: m.Workers, GamesPerWorker: m.GamesPerWorker,
		}
		s, stopped := t.Play(ctx, func(played, all int) {
			if progress != nil {
				progress(anchor.Player, played, all)
			}
		})
		if s == nil {
			return nil, stopped
		}
		// In the fit the player is the last, after all anchors.
		for _, g := range s.Meetings {
			placed := rating.Game{Scores: g.Scores, Group: g.Group + groups}
			for _, who := range g.Players {
				placed.Players = append(placed.Players, []int{len(l.Anchors), i}[who])
			}
			games = append(games, placed)
		}
		groups += s.Rounds
		if i > 0 {
			fixed[i] = anchor.Elo
		}
		if s.Rounds > 0 {
			p.Meetings = append(p.Meetings,
				AnchorMatch{anchor, s.Games, s.Distinct, s.Dominance[0][1]})
			fit, err := rating.Fit(len(l.Anchors)+1, games,
				rating.Options{Seats: true, Fixed: fixed})
			if err != nil {
				return nil, fmt.Errorf("place %s on the anchor ladder of %s: %w",
					p.Player, p.Game, err)
			}
			p.Rating = &fit.Ratings[len(l.Anchors)]
		}
		if stopped != nil {
			p.Interrupted = s.Interrupted
			return p, stopped
		}
		if p.Rating.Elo < anchor.Elo {
			break
		}
	}
	return p, nil
}
